//! What only the making of images does with a machine.

use serde::Deserialize;

use super::Machine;
use super::voice::Voice;
use crate::install::BoxError;
use crate::language::Language;
use crate::threads::lock;

/// How much of a guest's memory small programs find in one piece.
const STRETCH: u32 = 512 << 10;

/// What the guest package says of itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Announced {
    pub(crate) imports: Vec<String>,
    pub(crate) entry: u32,
}

impl Machine {
    /// Runs source of ours while no program is there, and takes what it announces.
    pub(crate) fn prepare(&mut self, source: &str) -> Result<Announced, BoxError> {
        let state = self.store.data_mut();
        lock(&state.watch).begin(&state.limits);
        state.building = true;
        let ran = self.turn(source);
        self.store.data_mut().building = false;
        ran?;
        let announced: Announced =
            serde_json::from_str(self.output().0.lines().last().unwrap_or_default())?;
        self.entry = announced.entry;
        Ok(announced)
    }

    /// Starts QuickJS and our package in it, in a memory that nothing has run in.
    pub(crate) fn start_script(&mut self) -> wasmtime::Result<()> {
        let Voice::Script(script) = self.voice.clone() else { return Ok(()) };
        self.unhurried();
        let started = |machine: &mut Self| script.start(&machine.instance, &mut machine.store);
        self.entry = self.running(started)?;
        self.store.data_mut().script = Some((script, self.entry));
        Ok(())
    }

    /// Lets a TypeScript guest forget every program, and says what there is to say of it.
    pub(crate) fn restart_script(&mut self) -> wasmtime::Result<Announced> {
        if let Voice::Script(script) = self.voice.clone() {
            self.unhurried();
            self.running(|machine| {
                script.restart(&machine.instance, &mut machine.store, machine.entry)
            })?;
            self.fill_gaps()?;
        }
        Ok(Announced { imports: Vec::new(), entry: self.entry })
    }

    /// Takes whatever is free between what the interpreter holds, and leaves it one stretch instead.
    ///
    /// What the warm-up let go of lies in hundreds of places. A program that is given them writes a little to each of
    /// many pages, and every one of them becomes private to its session; from one stretch it takes a few whole ones.
    fn fill_gaps(&mut self) -> wasmtime::Result<()> {
        let stretch = self.calloc.call(&mut self.store, (1, STRETCH))?;
        self.store.data_mut().growth.frozen = true;
        let filled = self.take_all();
        self.store.data_mut().growth.frozen = false;
        filled?;
        self.free.call(&mut self.store, stretch)
    }

    fn take_all(&mut self) -> wasmtime::Result<()> {
        for size in (3..=16).rev().map(|power| 1 << power) {
            while self.calloc.call(&mut self.store, (1, size))? != 0 {}
        }
        Ok(())
    }

    /// Runs source of ours in the guest's own namespace, which programs do not see.
    fn turn(&mut self, source: &str) -> wasmtime::Result<()> {
        match self
            .running(|machine| machine.voice.turn(&mut machine.store, machine.memory, source))?
        {
            0 => Ok(()),
            _ => Err(wasmtime::Error::msg(format!(
                "its own code failed and wrote {:?}",
                self.tail()
            ))),
        }
    }

    /// The end of what it wrote to standard error.
    fn tail(&self) -> String {
        let stderr = lock(&self.store.data().shared.output).stderr.clone();
        String::from_utf8_lossy(&stderr[stderr.len().saturating_sub(2000)..]).into_owned()
    }

    pub(crate) fn entry(&self) -> u32 {
        self.entry
    }

    pub(crate) fn language(&self) -> Language {
        self.language
    }

    fn unhurried(&mut self) {
        let state = self.store.data_mut();
        lock(&state.watch).begin(&state.limits);
    }
}
