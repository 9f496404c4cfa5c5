//! Machine code: how guests are compiled, and how compiled ones are loaded.

#![expect(unsafe_code, reason = "loads machine code from disk; the block states why it is sound")]

use std::sync::Arc;

use wasmtime::{Collector, Config, Engine, Module, OptLevel};

use crate::cache::CheckedFile;
use crate::language::{Language, Spoken as _};
use crate::memory::{Creator, Flags};

/// Stack for wasm frames. At the default of 512 KiB deeply nested JSON ends in a
/// trap; with this much CPython notices first and raises `RecursionError`.
pub(crate) const WASM_STACK: usize = 8 << 20;

/// The engine every guest of a language is compiled for and runs in.
pub(crate) fn engine(language: Language, flags: &Arc<Flags>) -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        .wasm_exceptions(true)
        // C++ exceptions live on wasmtime's garbage-collected heap. The null
        // collector never frees: a loop that throws would eat its memory limit.
        .collector(Collector::DeferredReferenceCounting)
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(WASM_STACK)
        // Not used, since guests have threads of their own, but checked.
        .async_stack_size(WASM_STACK)
        // The same program gives the same answer on every machine.
        .relaxed_simd_deterministic(true)
        // A trap is reported as a kind, never as addresses, so the tables that
        // map machine code back to wasm would only cost disk.
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None)
        .with_host_memory(Arc::new(Creator::new(language.minimum(), Arc::clone(flags))));
    Engine::new(&config)
}

/// Loads a guest that this program compiled earlier.
pub(crate) fn load(engine: &Engine, file: &CheckedFile) -> wasmtime::Result<Module> {
    let open = file.file().try_clone()?;
    // SAFETY: `deserialize_open_file` trusts its input to be machine code that this version of
    // wasmtime wrote. `CheckedFile` can only be made by `Cache::open`, which has compared the
    // open file's identity or digest with the one recorded when we compiled it, in a folder only
    // we can write; and the cache never writes to a file again once it is in place.
    unsafe { Module::deserialize_open_file(engine, open) }
}
