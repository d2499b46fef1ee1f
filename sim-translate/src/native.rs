//! Machine code: made by Cranelift, entered, and what it calls.
//!
//! Beside the shared memory this is the only place that is not safe.

#![allow(unsafe_code, reason = "machine code is entered and calls back")]

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, MemFlagsData, Signature, Value, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, default_libcall_names};

use crate::beside::{CompilerThread, Helper, MachineCode, Made, Task, machine_code};
use crate::codegen::returns::{ReturnKind, fill_return};
use crate::codegen::{Exit, Helpers, KeptSurroundings, Room, Surroundings, Translated, signature, translate};
use crate::core::Core;
use crate::layout;
use crate::region::Region;

/// The entry of a compiled region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(*const u8);

impl Entry {
    /// Its address, for links and tables in the shared memory.
    pub(crate) fn address(self) -> u64 {
        self.0 as u64
    }
}

/// Code of one generation: it is dropped as a whole.
pub(crate) struct Native {
    module: Option<JITModule>,
    isa: OwnedTargetIsa,
    /// Who makes code of regions, if that is not done by who runs it.
    thread: Option<CompilerThread>,
    context: Context,
    builder: FunctionBuilderContext,
    enter: Entry,
    miss: Entry,
    /// Bytes of code so far.
    pub(crate) bytes: u64,
}

/// This machine cannot be translated for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) String);

fn failed(error: ModuleError) -> Unsupported {
    Unsupported(format!("{error:?}"))
}

impl Native {
    /// A generation without any region; code of regions is made beside the run if that is asked for and a thread
    /// can be had.
    pub(crate) fn new(helper: Option<&Helper>) -> Result<Native, Unsupported> {
        let unsupported = |error: &dyn std::fmt::Display| Unsupported(error.to_string());
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("enable_verifier", "false"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("preserve_frame_pointers", "true"),
        ] {
            flags.set(name, value).map_err(|error| unsupported(&error))?;
        }
        let isa = cranelift_native::builder().map_err(|error| unsupported(&error))?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(|error| unsupported(&error))?;
        let module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
        let context = module.make_context();
        let mut native = Native {
            module: Some(module),
            thread: helper.and_then(|helper| CompilerThread::new(isa.clone(), helper.askings)),
            isa,
            context,
            builder: FunctionBuilderContext::new(),
            enter: Entry(std::ptr::null()),
            miss: Entry(std::ptr::null()),
            bytes: 0,
        };
        native.enter = native.define_enter()?;
        native.miss = native.define_miss()?;
        Ok(native)
    }

    fn module(&mut self) -> &mut JITModule {
        match &mut self.module {
            Some(module) => module,
            None => unreachable!("the module is taken when the generation is dropped"),
        }
    }

    /// Whether code of regions is made beside the run.
    pub(crate) fn has_thread(&self) -> bool {
        self.thread.is_some()
    }

    /// Where links lead that lead nowhere yet.
    pub(crate) fn miss(&self) -> Entry {
        self.miss
    }

    /// Compiles a region.
    pub(crate) fn compile(
        &mut self,
        around: &Surroundings<'_>,
        region: &Region,
        room: &mut Room,
    ) -> Result<(Translated, Entry), Unsupported> {
        let translated = translate(around, region, room, &mut self.context.func, &mut self.builder);
        if room.is_over {
            self.context.clear();
            return Err(Unsupported("it counts too much".to_owned()));
        }
        let entry = self.define(signature())?;
        Ok((translated, entry))
    }

    /// Begins to compile a region beside the run; false if that cannot be done.
    pub(crate) fn begin(&mut self, around: KeptSurroundings, region: Region, room: Room) -> bool {
        let function = self.declare(&signature()).ok();
        let task = function.map(|function| Task { function, around, region, room });
        task.zip(self.thread.as_mut()).is_some_and(|(task, thread)| thread.begin(task))
    }

    /// What was begun, once it is made, with its entry.
    pub(crate) fn take_made(&mut self) -> Result<Option<(Made, Entry)>, Unsupported> {
        let Some(made) = self.thread.as_mut().and_then(CompilerThread::take_made) else { return Ok(None) };
        let (made, code) = made?;
        let entry = self.place(made.function, &code)?;
        Ok(Some((made, entry)))
    }

    /// What functions are made for.
    pub(crate) fn config(&mut self) -> cranelift_codegen::isa::TargetFrontendConfig {
        self.module().target_config()
    }

    /// Makes machine code of the function at hand.
    fn define(&mut self, signature: Signature) -> Result<Entry, Unsupported> {
        let function = self.declare(&signature)?;
        self.context.func.signature = signature;
        let code = machine_code(&*self.isa, &mut self.context, function)?;
        self.place(function, &code)
    }

    fn declare(&mut self, signature: &Signature) -> Result<FuncId, Unsupported> {
        self.module().declare_anonymous_function(signature).map_err(failed)
    }

    /// Places code where it can run.
    fn place(&mut self, function: FuncId, code: &MachineCode) -> Result<Entry, Unsupported> {
        let module = self.module();
        let MachineCode { bytes, alignment, relocations } = code;
        module.define_function_bytes(function, *alignment, bytes, relocations).map_err(failed)?;
        module.finalize_definitions().map_err(failed)?;
        let entry = Entry(module.get_finalized_function(function));
        self.bytes += bytes.len() as u64;
        Ok(entry)
    }

    /// Makes a function that has no region: of the shared memory and another number, which are told to who fills it.
    fn define_filled(
        &mut self,
        signature: Signature,
        fill: impl FnOnce(&mut FunctionBuilder<'_>, Value, Value),
    ) -> Result<Entry, Unsupported> {
        let config = self.config();
        let mut builder = std::mem::take(&mut self.builder);
        self.context.func = Function::new();
        self.context.func.signature = signature.clone();
        let mut b = FunctionBuilder::new(&mut self.context.func, &mut builder);
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        b.seal_block(block);
        let (ctx, number) = (b.block_params(block)[0], b.block_params(block)[1]);
        fill(&mut b, ctx, number);
        b.finalize(config);
        self.builder = builder;
        self.define(signature)
    }

    /// The way in: a function of the host's convention that calls a region.
    fn define_enter(&mut self) -> Result<Entry, Unsupported> {
        let mut host = Signature::new(self.config().default_call_conv);
        host.params.extend([AbiParam::new(types::I64), AbiParam::new(types::I64)]);
        self.define_filled(host, |b, ctx, code| {
            let region = b.import_signature(signature());
            let zero = b.ins().iconst(types::I64, 0);
            b.ins().call_indirect(region, code, &[ctx, zero]);
            b.ins().return_(&[]);
        })
    }

    /// The way back of a link that leads nowhere yet.
    fn define_miss(&mut self) -> Result<Entry, Unsupported> {
        self.define_filled(signature(), |b, ctx, number| {
            let flags = MemFlagsData::trusted();
            b.ins().store(flags, number, ctx, layout::SITE);
            let reason = b.ins().iconst(types::I64, Exit::Link as i64);
            b.ins().store(flags, reason, ctx, layout::EXIT);
            b.ins().return_(&[]);
        })
    }

    /// What all returns have in common, where somebody follows calls.
    pub(crate) fn define_return(&mut self, kind: ReturnKind) -> Result<Entry, Unsupported> {
        self.define_filled(signature(), |b, ctx, pc| {
            let tail = b.import_signature(signature());
            fill_return(b, (ctx, pc), tail, kind);
        })
    }

    /// Runs compiled code until it comes back.
    pub(crate) fn run(&self, core: &mut Core<'_>, entry: Entry) {
        let base = core.state.arena.base();
        let core: *mut Core<'_> = core;
        // SAFETY: the place lies within the shared memory, which lives as long as the core.
        unsafe { base.add(layout::CORE as usize).cast::<u64>().write_unaligned(core as u64) };
        // SAFETY: `enter` was made by `define_enter` with this convention and these parameters, and
        // is kept by the module until the generation is dropped, which needs `self`.
        let enter: extern "C" fn(*mut u8, *const u8) = unsafe { std::mem::transmute(self.enter.0) };
        // The code reaches the shared memory, each access within it by a check or by construction,
        // and this core by the helpers below, while nobody else holds it.
        enter(base, entry.0);
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: code runs in `run` alone, which borrows `self`; links, tables and records of calls that
            // hold addresses of it are read by its own code alone, and the next generation clears each before it
            // lays its own there.
            unsafe { module.free_memory() };
        }
    }
}

/// True if machine code can be made for this computer; the engine interprets where it cannot.
pub fn is_host_supported() -> bool {
    cranelift_native::builder().is_ok()
}

/// Addresses of the helpers.
pub(crate) fn helpers() -> Helpers {
    Helpers {
        load: help_load as *const () as u64,
        store: help_store as *const () as u64,
        extra_cycles: help_extra_cycles as *const () as u64,
        passed: help_passed as *const () as u64,
    }
}

/// The core that compiled code runs for.
///
/// # Safety
/// `ctx` is what [`Native::run`] gave the code that calls, which has not come back yet.
unsafe fn core_of<'a>(ctx: *mut u8) -> &'a mut Core<'static> {
    // SAFETY: `run` has put the address there; the core is borrowed by `run` alone, which waits.
    unsafe {
        let core = ctx.add(layout::CORE as usize).cast::<u64>().read_unaligned() as *mut Core<'static>;
        &mut *core
    }
}

extern "C" fn help_load(ctx: *mut u8, address: u64, packed: u64, site: u64) -> u64 {
    // SAFETY: called by compiled code with its own parameter.
    unsafe { core_of(ctx) }.help_load(address, packed, site)
}

extern "C" fn help_store(ctx: *mut u8, address: u64, packed: u64, _site: u64) -> u64 {
    // SAFETY: as above.
    unsafe { core_of(ctx) }.help_store(address, packed)
}

extern "C" fn help_extra_cycles(ctx: *mut u8, cycles: u64, step: u64, _site: u64) -> u64 {
    // SAFETY: as above.
    unsafe { core_of(ctx) }.help_extra_cycles(cycles, step);
    0
}

extern "C" fn help_passed(ctx: *mut u8, asked: u64, site: u64, _unused: u64) -> u64 {
    // SAFETY: as above.
    unsafe { core_of(ctx) }.help_passed(asked, site)
}
