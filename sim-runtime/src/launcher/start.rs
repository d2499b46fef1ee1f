//! From a program file to a machine that is ready to run it.
//!
//! The order is the language's: RESET values (the engine's), the image, the PC, arguments on
//! the stack, operation `reset`, then what the user sets.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use sim_profile::{ImagePart, ProgramImage};

use crate::engine::{Engine, Machine};
use crate::fault::Stop;
use crate::host::{Abi, Host, InitialStack, RootDirectory, Streams, setup_stack};
use crate::image::{
    Digest, Image, ImageError, ImageFormat, RecordFormat, Segment, line_of_address, place_image, read_image,
    recognise_format,
};
use crate::launcher::interrupt::Interrupt;
use crate::launcher::launch_info::{LaunchInfo, LaunchStack};
use crate::launcher::options::{ProgramFormat, RunOptions};
use crate::launcher::place::Assignment;
use crate::launcher::slice::Recall;
use isac_ir::resource::Syscalls;

/// Largest program file; what is larger is no program, and might never end.
const FILE_LIMIT: u64 = 1 << 30;

const PAGE_BYTES: u64 = 4096;

/// Most bytes below the stack's top that the heap leaves alone, as Linux's limit for stacks.
const STACK_BYTES: u64 = 8 << 20;

/// A program that stands in the machine's memory.
pub(super) struct Started {
    pub(super) host: Host,
    pub(super) image: ProgramImage,
    /// How operation `reset` ended.
    pub(super) stop: Stop,
}

/// What a run meets outside of the machine.
pub(super) struct Outside {
    pub(super) streams: Streams,
    pub(super) interrupt: Interrupt,
    pub(super) recall: Recall,
}

/// Loads the program and runs operation `reset`.
pub(super) fn start(
    engine: &mut dyn Engine,
    info: &LaunchInfo,
    options: &RunOptions,
    outside: Outside,
    (program, assignments): (&[u8], &[Assignment]),
) -> Result<Started, String> {
    let image = load_program(engine.machine(), info, options, program)?;
    let mut host = make_host(options, outside)?;
    if let Some(microseconds) = options.sample_timer {
        host = host.with_sample_timer(sample_timer(Duration::from_micros(microseconds)));
    }
    if let Some((start, limit)) = heap_bounds(info, &image) {
        host.set_heap(start, limit);
    }
    match &info.stack {
        Some(stack) => set_stack(engine.machine(), info, stack, &mut host)?,
        None if options.arguments.is_empty() => {}
        None => {
            return Err("the model has no STACK, so the program cannot get arguments; leave out \
                        what follows `--`, or give TARGET a STACK"
                .to_owned());
        }
    }
    // No instruction, but what comes before the first: operation `reset`.
    let stop = engine.run(&mut host, 0);
    apply(engine.machine(), info, options, assignments);
    Ok(Started { host, image: describe_image(&options.program, &image), stop })
}

/// Tells once for each period that has gone by that a sample is due.
fn sample_timer(period: Duration) -> impl FnMut() -> bool + Send + 'static {
    let mut due = Instant::now() + period;
    move || {
        let now = Instant::now();
        let is_due = now >= due;
        if is_due {
            due = now + period;
        }
        is_due
    }
}

/// What a profile tells of a program's file.
pub fn describe_image(path: &Path, image: &Image) -> ProgramImage {
    let part = |segment: &Segment| ImagePart {
        address: segment.address,
        size_bytes: segment.size,
        // The headers of the file also tell where its symbols are, if it has any.
        digest: Digest::of(segment.bytes.get(segment.lead as usize..).unwrap_or_default()).to_string(),
    };
    ProgramImage {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        digest: image.digest.clone(),
        entry: image.entry,
        parts: image.segments.iter().map(part).collect(),
    }
}

/// Zeros between segments beyond which a file is not taken for a program that was cut otherwise, in bytes.
const WIDEST_GAP: u64 = 1 << 28;

/// Whether a file, moved by `base`, holds what was run, however that was cut: each part's bytes, with zeros where
/// the file has nothing, as a raw program made of an ELF file has them.
pub fn holds_parts(image: &Image, base: u64, run: &ProgramImage) -> bool {
    let digest = |part: &ImagePart| -> Option<String> {
        let (mut at, end) = (part.address, part.address.checked_add(part.size_bytes)?);
        let mut digest = Digest::new();
        for segment in &image.segments {
            let start = segment.address.checked_add(base)?;
            let stop = start.checked_add(segment.bytes.len() as u64)?.min(end);
            if stop <= at {
                continue;
            }
            let gap = start.saturating_sub(at);
            if gap > WIDEST_GAP || start >= end {
                break;
            }
            digest.add(&vec![0; gap as usize]);
            at = at.max(start);
            digest.add(&segment.bytes[(at - start) as usize..(stop - start) as usize]);
            at = stop;
        }
        (at == end).then(|| digest.to_string())
    };
    !run.parts.is_empty() && run.parts.iter().all(|part| digest(part).as_ref() == Some(&part.digest))
}

/// The bytes of the program that is run.
pub(super) fn read_program_of(options: &RunOptions) -> Result<Vec<u8>, String> {
    let path = &options.program;
    read_program(path).map_err(|error| {
        let path = path.display();
        format!("the program {path} cannot be read: {error}; name a file that holds a program and that you may read")
    })
}

fn load_program(
    machine: &mut dyn Machine,
    info: &LaunchInfo,
    options: &RunOptions,
    bytes: &[u8],
) -> Result<Image, String> {
    let path = &options.program;
    let wrong = |error| format!("the program {} cannot be loaded: {error}", path.display());
    let format = choose_format(machine, info, options, bytes);
    let image = read_image(bytes, format, &info.expected()).map_err(wrong)?;
    let placement = info.placement();
    place_image(&image, machine, &placement).map_err(|error| {
        let line = match error {
            ImageError::OutsideMap { address, .. } => line_of_address(bytes, format, address),
            _ => None,
        };
        line.map_or_else(|| wrong(error), |line| wrong_in_line(path, line, error))
    })?;
    if let Some(entry) = image.entry {
        let (map, address) = placement.locate(entry);
        let pc = address / info.cell_bytes(map);
        machine.write_place(&info.pc, pc.into());
    }
    Ok(image)
}

fn wrong_in_line(path: &Path, line: u64, error: ImageError) -> String {
    format!("the program {} cannot be loaded: line {line}: {error}", path.display())
}

pub(super) fn read_program(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() && std::fs::canonicalize(path).is_ok() {
        // A pipe of the shell has no name that leads to it; what has one may never end.
        let message = "it is a pipe or a device; expected a program";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    File::open(path)?.take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_LIMIT {
        let message = format!("it has more than {FILE_LIMIT} bytes; expected a program");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Raw bytes go to where the PC points after RESET if the user names no other place.
fn choose_format(
    machine: &dyn Machine,
    info: &LaunchInfo,
    options: &RunOptions,
    bytes: &[u8],
) -> ImageFormat {
    let pc = u64::try_from(machine.read_place(&info.pc)).unwrap_or(0);
    let default = pc.saturating_mul(info.cell_bytes(info.host_map));
    match (options.raw, options.format) {
        (Some(address), _) => ImageFormat::Raw { address: address.unwrap_or(default) },
        (None, ProgramFormat::Raw) => ImageFormat::Raw { address: default },
        (None, ProgramFormat::Elf) => ImageFormat::Elf,
        (None, ProgramFormat::Ihex) => ImageFormat::Records(RecordFormat::IntelHex),
        (None, ProgramFormat::Srec) => ImageFormat::Records(RecordFormat::SRecord),
        (None, ProgramFormat::Auto) => {
            recognise_format(bytes).unwrap_or(ImageFormat::Raw { address: default })
        }
    }
}

fn make_host(options: &RunOptions, outside: Outside) -> Result<Host, String> {
    let Outside { streams, interrupt, recall } = outside;
    let host = Host::new(streams)
        .with_interrupt(move || interrupt.reason().is_some())
        .with_recall(move || recall.is_due())
        .with_clock_hz(options.clock_hz)
        .with_seed(options.seed)
        .with_arguments(program_arguments(options));
    match &options.root {
        None => Ok(host),
        Some(path) => RootDirectory::open(path).map(|root| host.with_root(root)).map_err(|error| {
            format!(
                "the root directory {} cannot be opened: {error}; give --root a folder that exists",
                path.display()
            )
        }),
    }
}

/// The program's name without its folder, so that a run does not depend on where it lies, and
/// the arguments.
fn program_arguments(options: &RunOptions) -> Vec<String> {
    let name = options.program.file_name().unwrap_or_default();
    let mut arguments = vec![name.to_string_lossy().into_owned()];
    arguments.extend(options.arguments.iter().cloned());
    arguments
}

fn set_stack(
    machine: &mut dyn Machine,
    info: &LaunchInfo,
    stack: &LaunchStack,
    host: &mut Host,
) -> Result<(), String> {
    let cell_bytes = info.cell_bytes(info.host_map);
    // The first stack makes no system call.
    let syscalls = Syscalls::Generic;
    let abi = Abi { word_bits: info.word_bits(), big_endian: info.big_endian, syscalls };
    let random = host.random_bytes();
    let initial =
        InitialStack { top: stack.top.saturating_mul(cell_bytes), argv: host.arguments(), envp: &[], random };
    let pointer = setup_stack(machine, info.host_map, abi, &initial).map_err(|error| error.to_string())?;
    let value = u128::from(pointer / cell_bytes);
    machine.write_place(&stack.pointer, value);
    Ok(())
}

/// The heap of a guest, in bytes: from the page behind the image's highest segment in the host
/// map, where it is loaded or where the running program finds it, to the end of the memory there,
/// leaving room for the stack if that is above.
fn heap_bounds(info: &LaunchInfo, image: &Image) -> Option<(u64, u64)> {
    let placement = info.placement();
    let in_host_map = |address| placement.locate(address).0 == info.host_map;
    let cell_bytes = info.cell_bytes(info.host_map);
    let in_memory = |last: u64| in_host_map(last) && memory_end(info, last / cell_bytes).is_some();
    let loaded = image.segments.iter().filter(|segment| in_host_map(segment.address)).map(Segment::last);
    let found = image.found_at.iter().map(|(_, last)| *last).filter(|last| in_memory(*last));
    let last = loaded.chain(found).max()?;
    let start = last.checked_add(1)?.checked_next_multiple_of(PAGE_BYTES)?;

    let mut end = memory_end(info, last / cell_bytes)?.saturating_mul(cell_bytes);
    if let Some(stack) = &info.stack {
        let top = stack.top.saturating_mul(cell_bytes);
        if (start..=end).contains(&top) {
            end = top - ((top - start) / 2).min(STACK_BYTES);
        }
    }
    (start <= end).then_some((start, end))
}

/// First cell address above the uninterrupted memory that holds a cell.
fn memory_end(info: &LaunchInfo, cell: u64) -> Option<u64> {
    let mut end = None;
    for &(low, high) in &info.maps.get(info.host_map)?.ranges {
        let continues = end == Some(low) || (low..=high).contains(&cell);
        if continues {
            end = Some(high.saturating_add(1));
        }
    }
    end
}

fn apply(machine: &mut dyn Machine, info: &LaunchInfo, options: &RunOptions, assignments: &[Assignment]) {
    if let Some(pc) = options.pc {
        machine.write_place(&info.pc, pc.into());
    }
    for assignment in assignments {
        machine.write_place_bits(&assignment.place, assignment.value);
    }
}
