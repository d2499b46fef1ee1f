//! Machine code made of a region, beside the run if there is a thread for it.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_module::{FuncId, ModuleReloc};
use isac_ir::Model;

use crate::codegen::{KeptSurroundings, Room, Translated, translate};
use crate::native::Unsupported;
use crate::region::Region;

/// Bytes of the thread's stack: as many as the run's own has.
const STACK_BYTES: usize = 8 << 20;

/// Code that belongs nowhere yet.
pub(crate) struct MachineCode {
    pub(crate) bytes: Vec<u8>,
    /// In bytes.
    pub(crate) alignment: u64,
    pub(crate) relocations: Vec<ModuleReloc>,
}

/// Makes machine code of the function in a context, which is empty then.
pub(crate) fn machine_code(
    isa: &dyn TargetIsa,
    context: &mut Context,
    function: FuncId,
) -> Result<MachineCode, Unsupported> {
    let compiled = context.compile(isa, &mut ControlPlane::default());
    let failed = compiled.err().map(|error| Unsupported(format!("{:?}", error.inner)));
    let code = context.take_compiled_code().map(|compiled| {
        let relocations = compiled.buffer.relocs().iter();
        let relocations = relocations.map(|own| ModuleReloc::from_mach_reloc(own, &context.func, function));
        MachineCode {
            relocations: relocations.collect(),
            bytes: compiled.code_buffer().to_vec(),
            alignment: compiled.buffer.alignment.into(),
        }
    });
    context.clear();
    match (failed, code) {
        (None, Some(code)) => Ok(code),
        (failed, _) => Err(failed.unwrap_or_else(|| Unsupported("no code".to_owned()))),
    }
}

/// A region of which code is to be made.
pub(crate) struct Task {
    pub(crate) function: FuncId,
    pub(crate) around: KeptSurroundings,
    pub(crate) region: Region,
    /// Nobody else takes of it.
    pub(crate) room: Room,
}

/// What has been made of a region, but for its code.
pub(crate) struct Made {
    pub(crate) function: FuncId,
    pub(crate) translated: Translated,
    /// What is left of it.
    pub(crate) room: Room,
    /// How long it took.
    pub(crate) time: Duration,
}

type Answer = Result<(Made, MachineCode), Unsupported>;

/// Who is to make code beside a run.
#[derive(Debug, Clone)]
pub(crate) struct Helper {
    /// The run's model.
    pub(crate) model: Arc<Model>,
    /// What was begun is there when it is asked for that often, and not before; else as soon as it is made.
    pub(crate) askings: Option<u32>,
}

/// A thread that makes code of regions, one at a time.
pub(crate) struct CompilerThread {
    tasks: Sender<Task>,
    answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
    /// Nobody waits for what it makes any more.
    is_over: Arc<AtomicBool>,
    askings: Option<u32>,
    /// How often it was asked for what it makes.
    asked: u32,
}

impl CompilerThread {
    /// `None` if no thread can be had.
    pub(crate) fn new(isa: OwnedTargetIsa, askings: Option<u32>) -> Option<CompilerThread> {
        let (tasks, given) = channel();
        let (sender, answers) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let is_abandoned = Arc::clone(&is_over);
        let work = move || {
            let (mut context, mut builder) = (Context::new(), FunctionBuilderContext::new());
            for task in given {
                let answer = make(task, (&*isa, &is_abandoned), &mut context, &mut builder);
                if sender.send(answer).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("compiler".to_owned()).stack_size(STACK_BYTES);
        let thread = Some(thread.spawn(work).ok()?);
        Some(CompilerThread { tasks, answers, thread, is_over, askings, asked: 0 })
    }

    /// Gives the thread a region to make code of; false if it is gone.
    pub(crate) fn begin(&mut self, task: Task) -> bool {
        self.asked = 0;
        self.tasks.send(task).is_ok()
    }

    /// What it has made of the region that was begun, once it is there.
    ///
    /// # Panics
    /// As the thread has, if it has.
    pub(crate) fn take_made(&mut self) -> Option<Answer> {
        self.asked = self.asked.saturating_add(1);
        let answer = match self.askings {
            Some(askings) if self.asked < askings => return None,
            Some(_) => self.answers.recv().map_err(|_| TryRecvError::Disconnected),
            None => self.answers.try_recv(),
        };
        match answer {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                    resume_unwind(panic);
                }
                Some(Err(Unsupported("the compiler's thread is gone".to_owned())))
            }
        }
    }
}

impl Drop for CompilerThread {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

fn make(
    task: Task,
    (isa, is_over): (&dyn TargetIsa, &AtomicBool),
    context: &mut Context,
    builder: &mut FunctionBuilderContext,
) -> Answer {
    let begun = Instant::now();
    let Task { function, around, region, mut room } = task;
    let translated = translate(&around.lend(), &region, &mut room, &mut context.func, builder);
    if is_over.load(Ordering::Relaxed) || room.is_over {
        context.clear();
        return Err(Unsupported("it counts too much, or nobody waits for it".to_owned()));
    }
    let code = machine_code(isa, context, function)?;
    Ok((Made { function, translated, room, time: begun.elapsed() }, code))
}
