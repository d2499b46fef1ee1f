//! The loop of messages: what comes from the editor, and what the checks beside it have found.
//!
//! Everything that has come is taken before anything is read again, so that of many keystrokes the last
//! one counts. Parsing and resolving is done here, at once: that takes a few milliseconds, and every
//! answer is by the texts as they are. The checks, some of which prove things, run on a thread of their
//! own; what they find is shown with the rest unless they take longer than somebody notices.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::check::{CheckJob, CheckResult};
use crate::frame::{Frame, read_frame, write_value};
use crate::server::{Server, Stage};
use crate::service::Services;

/// After so long, what is known is shown before the checks are through.
const PATIENCE: Duration = Duration::from_millis(30);

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The editor has said so, in the right order.
    Orderly,
    /// The editor has gone, or said so without asking the server to shut down.
    Abrupt,
}

/// What the loop waits for.
enum Event {
    Frame(Frame),
    Checked(CheckResult),
}

/// Talks to an editor until one of both has enough.
///
/// # Errors
/// If nothing can be written any more.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    services: Arc<dyn Services>,
) -> io::Result<End> {
    let (sender, events) = channel();
    let board = Arc::new(Board::default());
    let (to_loop, of_checker) = (sender.clone(), board.clone());
    thread::spawn(move || read_frames(input, &to_loop));
    let checker = thread::spawn(move || of_checker.work(&sender));
    let mut talk = Talk { server: Server::new(services), output, told: None };
    let end = talk.go_on(&events, &board);
    board.close();
    // What it is at ends soon, and nobody waits for it.
    drop(checker);
    end
}

fn read_frames(mut input: impl BufRead, events: &Sender<Event>) {
    loop {
        let frame = read_frame(&mut input).unwrap_or(Frame::End);
        let is_end = matches!(frame, Frame::End);
        if events.send(Event::Frame(frame)).is_err() || is_end {
            return;
        }
    }
}

/// Checks that are to be made: of a description only the newest.
#[derive(Default)]
struct Board {
    jobs: Mutex<Jobs>,
    has_changed: Condvar,
}

#[derive(Default)]
struct Jobs {
    open: BTreeMap<PathBuf, CheckJob>,
    is_closed: bool,
}

impl Board {
    fn post(&self, jobs: Vec<CheckJob>) {
        let Ok(mut board) = self.jobs.lock() else { return };
        board.open.extend(jobs.into_iter().map(|job| (job.key().to_owned(), job)));
        self.has_changed.notify_all();
    }

    fn close(&self) {
        let Ok(mut board) = self.jobs.lock() else { return };
        board.is_closed = true;
        self.has_changed.notify_all();
    }

    fn work(&self, events: &Sender<Event>) {
        while let Some(job) = self.take() {
            let read = job.analysis.clone();
            // A bug in a check shall not end the server: then there is what was found by reading.
            let result = catch_unwind(AssertUnwindSafe(|| job.run())).unwrap_or_else(|_| CheckResult {
                findings: read.findings(),
                analysis: read,
                study: None,
            });
            if events.send(Event::Checked(result)).is_err() {
                return;
            }
        }
    }

    /// The next job, as soon as there is one; `None` if there will be none.
    fn take(&self) -> Option<CheckJob> {
        let mut board = self.jobs.lock().ok()?;
        loop {
            if board.is_closed {
                return None;
            }
            if let Some((_, job)) = board.open.pop_first() {
                return Some(job);
            }
            board = self.has_changed.wait(board).ok()?;
        }
    }
}

struct Talk<'o> {
    server: Server,
    output: &'o mut dyn Write,
    /// What was said of the profile.
    told: Option<String>,
}

impl Talk<'_> {
    fn go_on(&mut self, events: &Receiver<Event>, board: &Board) -> io::Result<End> {
        let mut is_in_hurry = false;
        loop {
            let first = match is_in_hurry {
                true => events.recv_timeout(PATIENCE),
                false => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let first = match first {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => {
                    is_in_hurry = false;
                    self.publish(true)?;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(End::Abrupt),
            };
            let queue: VecDeque<Event> = std::iter::once(first).chain(events.try_iter()).collect();
            if let Some(end) = self.take_all(queue)? {
                return Ok(end);
            }
            self.undisturbed(Server::update);
            let checks = self.server.checks();
            is_in_hurry |= !checks.is_empty();
            board.post(checks);
            self.publish(false)?;
            is_in_hurry &= self.server.is_checking();
        }
    }

    /// Takes what has come, in its order; the end of the connection if it was among it.
    fn take_all(&mut self, queue: VecDeque<Event>) -> io::Result<Option<End>> {
        let cancelled = cancelled(&queue);
        for event in queue {
            match event {
                Event::Checked(result) => self.server.checked(result),
                Event::Frame(Frame::End) => return Ok(Some(End::Abrupt)),
                Event::Frame(Frame::Mistake(answer)) => write_value(&mut *self.output, &answer)?,
                Event::Frame(Frame::Message(Message::Response(_))) => {}
                Event::Frame(Frame::Message(Message::Notification(notification))) => {
                    if notification.method == "exit" {
                        let is_orderly = self.server.stage() == Stage::ShutDown;
                        return Ok(Some(if is_orderly { End::Orderly } else { End::Abrupt }));
                    }
                    self.notify(notification)?;
                }
                Event::Frame(Frame::Message(Message::Request(request))) => {
                    let response = match cancelled.contains(&request.id) {
                        true => {
                            let code = ErrorCode::RequestCanceled as i32;
                            Response::new_err(request.id, code, "cancelled".to_owned())
                        }
                        false => self.answer(request),
                    };
                    Message::Response(response).write(&mut self.output)?;
                    self.complain()?;
                }
            }
        }
        Ok(None)
    }

    fn notify(&mut self, notification: Notification) -> io::Result<()> {
        let method = notification.method.clone();
        if self.server.stage() == Stage::New {
            return Ok(());
        }
        let done = self.undisturbed(|server| server.notify(notification));
        self.complain()?;
        match done {
            // Nobody waits for an answer; it stands where editors keep what servers say.
            Some(Err(reason)) => self.say("window/logMessage", 2, &format!("{method}: {reason}")),
            _ => Ok(()),
        }
    }

    fn answer(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        self.undisturbed(|server| server.request(request)).unwrap_or_else(|| {
            let reason = "a bug of the server; what it knows is read again".to_owned();
            Response::new_err(id, ErrorCode::InternalError as i32, reason)
        })
    }

    /// Lets the server do something; a bug in it ends that, and not the connection.
    fn undisturbed<T>(&mut self, work: impl FnOnce(&mut Server) -> T) -> Option<T> {
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut self.server))).ok();
        if done.is_none() {
            self.server.forget();
        }
        done
    }

    fn publish(&mut self, in_hurry: bool) -> io::Result<()> {
        for publication in self.undisturbed(|server| server.publications(in_hurry)).unwrap_or_default() {
            let params = serde_json::to_value(publication).unwrap_or(Value::Null);
            self.send("textDocument/publishDiagnostics", params)?;
        }
        Ok(())
    }

    /// Says once why a profile shows nothing, and what makes no sense in the settings.
    fn complain(&mut self) -> io::Result<()> {
        for wrong in self.server.take_wrong_settings() {
            self.say("window/showMessage", 2, &format!("isac: {wrong}"))?;
        }
        let complaint = self.server.complaint().map(str::to_owned);
        if self.told != complaint {
            self.told.clone_from(&complaint);
            if let Some(complaint) = complaint {
                return self.say("window/showMessage", 2, &complaint);
            }
        }
        Ok(())
    }

    fn say(&mut self, method: &str, kind: u32, message: &str) -> io::Result<()> {
        self.send(method, json!({ "type": kind, "message": message }))
    }

    fn send(&mut self, method: &str, params: Value) -> io::Result<()> {
        Message::Notification(Notification { method: method.to_owned(), params }).write(&mut self.output)
    }
}

/// The requests that somebody does not want to be answered any more.
fn cancelled(queue: &VecDeque<Event>) -> BTreeSet<RequestId> {
    let notifications = queue.iter().filter_map(|event| match event {
        Event::Frame(Frame::Message(Message::Notification(notification))) => Some(notification),
        _ => None,
    });
    let wanted = notifications.filter(|notification| notification.method == "$/cancelRequest");
    wanted.filter_map(|found| serde_json::from_value(found.params.get("id")?.clone()).ok()).collect()
}
