//! How the host calls into an instance: the functions that guests of its language have.

use std::sync::Arc;

use wasmtime::{Instance, Memory, Store, TypedFunc};

use crate::language::Language;
use crate::script::Script;
use crate::split;
use crate::state::State;

/// What a guest can be called with.
#[derive(Clone)]
pub(super) enum Voice {
    /// CPython: it calls an object, and runs source.
    Python {
        alloc: TypedFunc<u32, u32>,
        turn: TypedFunc<(u32, u32), i32>,
        call: TypedFunc<u32, u32>,
    },
    /// QuickJS.
    Script(Arc<Script>),
}

impl Voice {
    pub(super) fn find(
        language: Language,
        instance: &Instance,
        store: &mut Store<State>,
        memory: Memory,
    ) -> wasmtime::Result<Self> {
        Ok(match language {
            Language::Python => Self::Python {
                alloc: instance.get_typed_func(&mut *store, "host_alloc")?,
                turn: instance.get_typed_func(&mut *store, "turn")?,
                call: instance.get_typed_func(&mut *store, split::CALL)?,
            },
            Language::TypeScript => Self::Script(Script::find(instance, store, memory)?),
        })
    }

    /// Calls the guest's step function.
    pub(super) fn step(&self, store: &mut Store<State>, entry: u32) -> wasmtime::Result<()> {
        match self {
            Self::Python { call, .. } => match call.call(store, entry)? {
                0 => Err(wasmtime::Error::msg("its own code raised an exception")),
                _none => Ok(()),
            },
            Self::Script(script) => script.step(store, entry),
        }
    }

    /// Runs source in the guest's own namespace; 0 if that went well.
    pub(super) fn turn(
        &self,
        store: &mut Store<State>,
        memory: Memory,
        source: &str,
    ) -> wasmtime::Result<i32> {
        let Self::Python { alloc, turn, .. } = self else {
            return Err(wasmtime::Error::msg("only CPython has a namespace of its own"));
        };
        let length = u32::try_from(source.len())?;
        let address = alloc.call(&mut *store, length)?;
        memory.write(&mut *store, address as usize, source.as_bytes())?;
        turn.call(store, (address, length))
    }
}
