//! The TypeScript guest: QuickJS, its functions, and how a step goes there.
//!
//! ```text
//! enter ──► true: run every job that is ready, enter again
//!       └─► false: the step is over; the program rests or has ended
//! ```
//!
//! QuickJS runs the jobs of promises only when its host asks it to, so a step is several calls of
//! one function of ours (`guest-js/runtime.js`) with the jobs between them. Everything it keeps is in
//! its memory, the runtime's and the context's addresses included, so a frozen guest needs no more
//! than CPython does.
//!
//! Values of the language are passed as addresses of boxes in the guest's memory. Whoever is given one
//! frees it, save the arguments of a call.

mod door;
mod files;
mod source;

use std::sync::Arc;

use wasmtime::{AsContextMut, Instance, Memory, Store, TypedFunc, WasmParams, WasmResults};

pub(crate) use self::door::add_to_linker;
pub(crate) use self::source::{Source, prepared};
use crate::state::State;

/// Where addresses are passed to and fro. Like [`crate::split::FLAG`] at the far end of the guest's
/// stack, where nothing else ever is: QuickJS uses at most half of it.
const SCRATCH: u32 = 64;

/// Where answers of up to [`LITTLE`] bytes are passed, beyond those; most are.
const ASIDE: usize = 128;
const LITTLE: usize = 512;

/// How much of the megabyte of stack in its memory QuickJS may use.
const STACK: u32 = 480 << 10;

/// What the host's functions are called in the guest.
const FUNCTIONS: [&str; 14] = [
    "door",
    "print",
    "compile",
    "module",
    "stat",
    "list",
    "read",
    "readText",
    "write",
    "remove",
    "makeFolder",
    "random",
    "digest",
    "utf8",
];

/// Our own part of the guest, in the order its files need each other.
pub(crate) const PACKAGE: &[&str] = &[
    include_str!("../guest-js/values.js"),
    include_str!("../guest-js/inspect.js"),
    include_str!("../guest-js/failures.js"),
    include_str!("../guest-js/absent.js"),
    include_str!("../guest-js/written.js"),
    include_str!("../guest-js/given.js"),
    include_str!("../guest-js/files.js"),
    include_str!("../guest-js/tools.js"),
    include_str!("../guest-js/modules.js"),
    include_str!("../guest-js/runtime.js"),
    include_str!("../guest-js/globals.js"),
    include_str!("../guest-js/numbers.js"),
    include_str!("../guest-js/locale.js"),
    include_str!("../guest-js/url.js"),
    include_str!("../guest-js/install.js"),
];

/// QuickJS's functions, as far as they are called.
#[derive(Clone)]
pub(crate) struct Script {
    memory: Memory,
    malloc: TypedFunc<u32, u32>,
    free: TypedFunc<u32, ()>,
    eval: TypedFunc<(u32, u32, u32, u32), u32>,
    call: TypedFunc<(u32, u32, u32, u32), u32>,
    run_job: TypedFunc<(), i32>,
    exception: TypedFunc<(), u32>,
    is_exception: TypedFunc<u32, i32>,
    free_value: TypedFunc<u32, ()>,
    text_of: TypedFunc<(u32, u32), u32>,
    free_text: TypedFunc<u32, ()>,
    number_of: TypedFunc<u32, f64>,
    truth_of: TypedFunc<u32, i32>,
    new_text: TypedFunc<(u32, u32), u32>,
    new_bytes: TypedFunc<(u32, u32), u32>,
    new_number: TypedFunc<f64, u32>,
    truth: TypedFunc<(), u32>,
    falsehood: TypedFunc<(), u32>,
}

impl Script {
    /// Finds them in an instance.
    pub(crate) fn find(
        instance: &Instance,
        store: &mut Store<State>,
        memory: Memory,
    ) -> wasmtime::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            memory,
            malloc: function(instance, store, "malloc")?,
            free: function(instance, store, "free")?,
            eval: function(instance, store, "qjs_eval")?,
            call: function(instance, store, "qjs_call")?,
            run_job: function(instance, store, "qjs_execute_pending_job")?,
            exception: function(instance, store, "qjs_get_exception")?,
            is_exception: function(instance, store, "qjs_is_exception")?,
            free_value: function(instance, store, "qjs_free_value")?,
            text_of: function(instance, store, "qjs_get_string_len")?,
            free_text: function(instance, store, "qjs_free_cstring")?,
            number_of: function(instance, store, "qjs_get_float64")?,
            truth_of: function(instance, store, "qjs_get_bool")?,
            new_text: function(instance, store, "qjs_new_string")?,
            new_bytes: function(instance, store, "qjs_new_uint8_array")?,
            new_number: function(instance, store, "qjs_new_number")?,
            truth: function(instance, store, "qjs_get_true")?,
            falsehood: function(instance, store, "qjs_get_false")?,
        }))
    }

    /// Starts QuickJS in a memory that nothing has run in, and our package in it. Gives the address
    /// of the function that steps call.
    pub(crate) fn start(
        &self,
        instance: &Instance,
        store: &mut Store<State>,
    ) -> wasmtime::Result<u32> {
        function::<(), ()>(instance, store, "_initialize")?.call(&mut *store, ())?;
        if function::<(), i32>(instance, store, "qjs_init")?.call(&mut *store, ())? != 0 {
            return Err(wasmtime::Error::msg("the interpreter did not start"));
        }
        let limit = function::<u32, ()>(instance, store, "qjs_set_max_stack_size")?;
        limit.call(&mut *store, STACK)?;
        let tracker = function::<u32, ()>(instance, store, "qjs_set_promise_rejection_handler")?;
        tracker.call(&mut *store, 1)?;

        let new_object = function::<(), u32>(instance, store, "qjs_new_object")?;
        let new_function =
            function::<(u32, u32, u32), u32>(instance, store, "qjs_new_host_function")?;
        let set = function::<(u32, u32, u32), i32>(instance, store, "qjs_set_prop_string")?;
        let host = new_object.call(&mut *store, ())?;
        for name in FUNCTIONS {
            let at = self.put(&mut *store, name.as_bytes())?;
            let length = u32::try_from(name.len())?;
            let value = new_function.call(&mut *store, (at, length, 0))?;
            set.call(&mut *store, (host, at, value))?;
            self.free_value.call(&mut *store, value)?;
            self.free.call(&mut *store, at)?;
        }
        let source = format!("(function (host) {{\"use strict\";\n{}\n}})", PACKAGE.join("\n"));
        let made = self.evaluate(store, &source, "<tidegate>")?;
        self.arguments(&mut *store, &[host])?;
        let entry = self.call.call(&mut *store, (made, made, 1, SCRATCH))?;
        self.arguments(&mut *store, &[0])?;
        self.refuse_exception(store, entry)?;
        self.free_value.call(&mut *store, made)?;
        self.free_value.call(&mut *store, host)?;
        Ok(entry)
    }

    /// Forgets every program, and lets go of what is garbage; for image builds.
    pub(crate) fn restart(
        &self,
        instance: &Instance,
        store: &mut Store<State>,
        entry: u32,
    ) -> wasmtime::Result<()> {
        let member = function::<(u32, u32), u32>(instance, store, "qjs_get_prop_string")?;
        let name = self.put(&mut *store, b"restart")?;
        let restart = member.call(&mut *store, (entry, name))?;
        self.free.call(&mut *store, name)?;
        let done = self.call.call(&mut *store, (restart, entry, 0, 0))?;
        self.refuse_exception(store, done)?;
        self.free_value.call(&mut *store, done)?;
        self.free_value.call(&mut *store, restart)?;
        function::<(), ()>(instance, store, "qjs_run_gc")?.call(store, ())
    }

    /// Runs one step.
    pub(crate) fn step(&self, store: &mut Store<State>, entry: u32) -> wasmtime::Result<()> {
        loop {
            let result = self.call.call(&mut *store, (entry, entry, 0, 0))?;
            let goes_on = self.truth_of.call(&mut *store, result)?;
            if goes_on != 0 && goes_on != 1 {
                self.refuse_exception(store, result)?;
            }
            self.free_value.call(&mut *store, result)?;
            if goes_on == 0 {
                return Ok(());
            }
            self.run_jobs(store, entry)?;
        }
    }

    /// Runs the jobs that are ready, and those that they make ready.
    fn run_jobs(&self, store: &mut Store<State>, entry: u32) -> wasmtime::Result<()> {
        loop {
            match self.run_job.call(&mut *store, ())? {
                0 => return Ok(()),
                1.. => {}
                // It threw, and there is no promise to take that.
                _ => {
                    let error = self.exception.call(&mut *store, ())?;
                    let truth = self.truth.call(&mut *store, ())?;
                    self.tell(&mut *store, entry, &[error, truth])?;
                    self.free_value.call(&mut *store, truth)?;
                    self.free_value.call(&mut *store, error)?;
                }
            }
        }
    }

    /// Calls our function with what happened.
    fn tell(
        &self,
        mut store: impl AsContextMut<Data = State>,
        entry: u32,
        given: &[u32],
    ) -> wasmtime::Result<()> {
        self.arguments(&mut store, given)?;
        let count = u32::try_from(given.len())?;
        let result = self.call.call(&mut store, (entry, entry, count, SCRATCH))?;
        self.arguments(&mut store, &[0; 3][..given.len()])?;
        // A program may have changed what this is done with, and harms only itself. One that has no memory left
        // would go on as if nothing had happened.
        let suspect = store.as_context().data().growth.suspect;
        if suspect && self.is_exception.call(&mut store, result)? != 0 {
            return Err(Broken("there was no memory to say what went wrong".into()).into());
        }
        self.free_value.call(&mut store, result)
    }

    /// Compiles and runs source of ours.
    fn evaluate(
        &self,
        store: &mut Store<State>,
        source: &str,
        name: &str,
    ) -> wasmtime::Result<u32> {
        let code = self.put(&mut *store, source.as_bytes())?;
        let file = self.put(&mut *store, name.as_bytes())?;
        let length = u32::try_from(source.len())?;
        let made = self.eval.call(&mut *store, (code, length, file, 0))?;
        self.free.call(&mut *store, code)?;
        self.free.call(&mut *store, file)?;
        self.refuse_exception(store, made)?;
        Ok(made)
    }

    /// What an exception is as a truth: neither yes nor no.
    #[cfg(test)]
    pub(crate) fn truth_of_an_exception(&self, store: &mut Store<State>) -> wasmtime::Result<i32> {
        let code = self.put(&mut *store, b"throw 1")?;
        let file = self.put(&mut *store, b"x")?;
        let made = self.eval.call(&mut *store, (code, 7, file, 0))?;
        self.truth_of.call(store, made)
    }

    /// Our own code threw: nothing of this guest can be relied on.
    fn refuse_exception(&self, store: &mut Store<State>, value: u32) -> wasmtime::Result<()> {
        if self.is_exception.call(&mut *store, value)? == 0 {
            return Ok(());
        }
        let error = self.exception.call(&mut *store, ())?;
        let words = self.words(store, error)?;
        Err(Broken(words).into())
    }

    fn words(&self, store: &mut Store<State>, value: u32) -> wasmtime::Result<String> {
        let at = self.text_of.call(&mut *store, (value, SCRATCH))?;
        let length = self.taken(&mut *store)?;
        let range = at as usize..at as usize + length.min(2000) as usize;
        let text = self.memory.data(&*store).get(range).unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// Copies bytes into the guest, with a zero byte after them.
    fn put(
        &self,
        mut store: impl AsContextMut<Data = State>,
        bytes: &[u8],
    ) -> wasmtime::Result<u32> {
        let at = self.malloc.call(&mut store, u32::try_from(bytes.len() + 1)?)?;
        if at == 0 {
            return Err(Broken("there is no memory left for the host's answer".into()).into());
        }
        self.memory.write(&mut store, at as usize, bytes)?;
        self.memory.write(&mut store, at as usize + bytes.len(), &[0])?;
        Ok(at)
    }

    /// The same for at most [`LITTLE`] bytes, where nothing has to be allocated. The caller puts zeros there
    /// afterwards: two guests that did the same must be the same.
    fn put_aside(
        &self,
        mut store: impl AsContextMut<Data = State>,
        bytes: &[u8],
    ) -> wasmtime::Result<u32> {
        self.memory.write(&mut store, ASIDE, bytes)?;
        Ok(u32::try_from(ASIDE)?)
    }

    /// Writes the arguments of the next call.
    fn arguments(
        &self,
        mut store: impl AsContextMut<Data = State>,
        given: &[u32],
    ) -> wasmtime::Result<()> {
        for (index, value) in given.iter().enumerate() {
            let at = SCRATCH as usize + 4 * index;
            self.memory.write(&mut store, at, &value.to_le_bytes())?;
        }
        Ok(())
    }

    /// The word that a function of QuickJS has left.
    fn taken(&self, mut store: impl AsContextMut<Data = State>) -> wasmtime::Result<u32> {
        let mut word = [0; 4];
        self.memory.read(&store, SCRATCH as usize, &mut word)?;
        // At rest nothing may be there: two guests that did the same must be the same.
        self.memory.write(&mut store, SCRATCH as usize, &[0; 4])?;
        Ok(u32::from_le_bytes(word))
    }
}

/// Our own code in the guest failed.
#[derive(Debug, thiserror::Error)]
#[error("its own code failed: {0}")]
pub(crate) struct Broken(String);

fn function<P: WasmParams, R: WasmResults>(
    instance: &Instance,
    store: &mut Store<State>,
    name: &str,
) -> wasmtime::Result<TypedFunc<P, R>> {
    instance.get_typed_func(store, name)
}
