//! What every guest is made from: the engine, the code and the standard library.

use std::hash::Hash as _;
use std::sync::{Arc, Mutex};

use wasmtime::{InstancePre, Linker};

use crate::files::Library;
use crate::install::{BoxError, Parts};
use crate::language::Language;
use crate::memory::Flags;
use crate::state::State;
use crate::threads::{STACK, lock};
use crate::{code, door, script, wasi};

/// What every instance is made from.
pub(crate) struct Kit {
    pub(crate) language: Language,
    pub(crate) engine: wasmtime::Engine,
    pub(crate) pre: InstancePre<State>,
    pub(crate) library: Arc<Library>,
    /// Asks guests to look up.
    pub(crate) flags: Arc<Flags>,
    pub(crate) scratch: Scratch,
}

/// Buffers for freezing and thawing, kept so that their pages need not be faulted in anew.
#[derive(Default)]
pub(crate) struct Scratch(Mutex<Vec<Vec<u8>>>);

impl Scratch {
    /// Larger ones are given back to the system.
    const LARGEST: usize = 16 << 20;
    const MOST: usize = 4;

    /// Lends an empty buffer to `task`.
    pub(crate) fn lend<R>(&self, task: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let mut buffer = lock(&self.0).pop().unwrap_or_default();
        let done = task(&mut buffer);
        buffer.clear();
        let mut buffers = lock(&self.0);
        if buffer.capacity() <= Self::LARGEST && buffers.len() < Self::MOST {
            buffers.push(buffer);
        }
        done
    }
}

/// Loads the compiled code and links it.
pub(crate) fn open(parts: &Parts) -> Result<Kit, BoxError> {
    let language = parts.language;
    let flags = Arc::default();
    let engine = code::engine(language, &flags)?;
    let module = code::load(&engine, &parts.code)?;
    let mut linker = Linker::new(&engine);
    wasi::add_to_linker(&mut linker)?;
    door::add_to_linker(&mut linker)?;
    script::add_to_linker(&mut linker)?;
    let pre = linker.instantiate_pre(&module)?;
    let library = Arc::new(match &parts.library {
        Some(library) => Library::open(library.file().try_clone()?)?,
        None => Library::none(),
    });
    Ok(Kit { language, engine, pre, library, flags, scratch: Scratch::default() })
}

/// Whatever must be equal for compiled code to be loadable.
pub(crate) fn compatibility(language: Language) -> Result<Vec<u8>, BoxError> {
    let mut bytes = Bytes::default();
    code::engine(language, &Arc::default())?.precompile_compatibility_hash().hash(&mut bytes);
    Ok(bytes.0)
}

/// Compiles a module. wasmtime does not say how far it is, so the progress is an
/// estimate that slows down as it nears the end.
pub(crate) fn compile(
    language: Language,
    module: &[u8],
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Vec<u8>, BoxError> {
    let engine = code::engine(language, &Arc::default())?;
    let done = std::sync::Mutex::new(false);
    let bell = std::sync::Condvar::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let begun = std::time::Instant::now();
            let mut over = lock(&done);
            while !*over {
                let waited = bell.wait_timeout(over, std::time::Duration::from_millis(250));
                over = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
                progress(1.0 - (-begun.elapsed().as_secs_f64() / USUAL_SECONDS).exp());
            }
        });
        let compiled = engine.precompile_module(module);
        *lock(&done) = true;
        bell.notify_all();
        Ok(compiled?)
    })
}

/// After this long a compilation is taken to be about two thirds done.
const USUAL_SECONDS: f64 = 60.0;

/// Runs `task` on a thread whose stack is large enough for a guest.
pub(crate) fn on_deep_stack<R: Send + 'static>(
    task: impl FnOnce() -> Result<R, BoxError> + Send + 'static,
) -> Result<R, BoxError> {
    let thread = std::thread::Builder::new().name("image".into()).stack_size(STACK).spawn(task)?;
    thread.join().map_err(|_| "the thread that builds the image ended unexpectedly")?
}

/// Collects what would be hashed.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl std::hash::Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
