//! What the TypeScript guest asks of its host: the one door, and what CPython gets through WASI.
//!
//! QuickJS has one import for all of it, which is given the name of a function and the addresses of
//! its arguments. Texts come as UTF-8, save that halves of letters may be left in them; bytes come as
//! texts of letters below 256, because that is the quickest way out of the language.

use std::sync::Arc;

use sha2::{Digest as _, Sha256, Sha384, Sha512};
use wasmtime::{Caller, Linker, Memory};

use super::files::{self, Found};
use super::{LITTLE, SCRATCH, Script, source};
use crate::files::Errno;
use crate::state::State;
use crate::watch::Stop;
use crate::{door, split};

/// The most random bytes at once, as browsers have it.
const MOST_RANDOM: f64 = 65_536.0;

/// The most letters of a function's name, and the most arguments of a call.
const LONGEST_NAME: usize = 32;
const MOST_GIVEN: usize = 3;

/// Tells QuickJS that an exception is under way.
const THROWN: u32 = 0;

/// Defines what `quickjs.wasm` imports besides WASI.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.func_wrap(
        "env",
        split::INTERRUPT,
        |caller: Caller<'_, State>| -> wasmtime::Result<i32> {
            caller.data().look_up()?;
            Ok(0)
        },
    )?;
    linker.func_wrap("env", "host_get_timezone_offset", |_: u32, _: u32| 0_i32)?;
    // The guest's own way to load modules is never switched on.
    linker.func_wrap("env", "host_module_normalize", |_: u32, _: u32| 0_u32)?;
    linker.func_wrap("env", "host_module_load", |_: u32, _: u32| 0_u32)?;
    linker.func_wrap("env", "host_promise_rejection", rejected)?;
    linker.func_wrap("env", "host_call", call)?;
    Ok(())
}

/// A promise failed and nobody listens, or somebody does after all.
fn rejected(
    mut caller: Caller<'_, State>,
    promise: u32,
    reason: u32,
    is_handled: u32,
) -> wasmtime::Result<()> {
    let Some((script, entry)) = caller.data().script.clone() else { return Ok(()) };
    let flag = if is_handled == 0 { &script.falsehood } else { &script.truth };
    let flag = flag.call(&mut caller, ())?;
    if entry != 0 {
        script.tell(&mut caller, entry, &[promise, reason, flag])?;
    }
    for value in [promise, reason, flag] {
        script.free_value.call(&mut caller, value)?;
    }
    Ok(())
}

fn call(
    caller: Caller<'_, State>,
    name: u32,
    name_length: u32,
    _this: u32,
    count: u32,
    arguments: u32,
) -> wasmtime::Result<u32> {
    let (Some(memory), Some((script, _))) = (caller.data().memory, caller.data().script.clone())
    else {
        return Ok(THROWN);
    };
    let mut own = [0; LONGEST_NAME];
    let length = (name_length as usize).min(LONGEST_NAME);
    memory.read(&caller, name as usize, &mut own[..length])?;
    let mut words = [0; 4 * MOST_GIVEN];
    let count = (count as usize).min(MOST_GIVEN);
    memory.read(&caller, arguments as usize, &mut words[..4 * count])?;
    let words = words.as_chunks::<4>().0;
    let given = std::array::from_fn(|at| words.get(at).map_or(0, |word| u32::from_le_bytes(*word)));
    Desk { caller, memory, script, given, count }.serve(&own[..length])
}

/// One call of the guest, with what is needed to answer it.
struct Desk<'a> {
    caller: Caller<'a, State>,
    memory: Memory,
    script: Arc<Script>,
    given: [u32; MOST_GIVEN],
    count: usize,
}

/// A text in the guest, until it is given back.
#[derive(Clone, Copy)]
struct Text {
    at: u32,
    length: u32,
}

impl Desk<'_> {
    fn serve(&mut self, name: &[u8]) -> wasmtime::Result<u32> {
        match name {
            b"door" => self.through_the_door(),
            b"print" => self.print(),
            b"compile" => self.compile(),
            b"module" => self.module(),
            b"random" => self.random(),
            b"digest" => self.digest(),
            b"utf8" => self.with_text(0, |desk, text| {
                let bytes = bytes_of(&desk.copied(text));
                let text = String::from_utf8_lossy(&bytes).into_owned();
                desk.text(text.as_bytes())
            }),
            b"stat" => self.about_a_file(files::stat),
            b"list" => self.about_a_file(files::list),
            b"read" => self.about_a_file(|wasi, path| files::read(wasi, path).map(Found::Bytes)),
            b"readText" => self.about_a_file(|wasi, path| {
                let bytes = files::read(wasi, path)?;
                Ok(Found::Text(String::from_utf8_lossy(&bytes).into_owned()))
            }),
            b"remove" => self.about_a_file(files::remove),
            b"makeFolder" => self.about_a_file(files::make_folder),
            b"write" => self.write(),
            _ => Err(Stop::Protocol("a call of a function that does not exist").into()),
        }
    }

    /// The messages that every guest sends.
    fn through_the_door(&mut self) -> wasmtime::Result<u32> {
        self.with_text(0, |desk, text| {
            let range = text.at as usize..text.at as usize + text.length as usize;
            let (data, state) = desk.memory.data_and_store_mut(&mut desk.caller);
            let message = data.get(range).unwrap_or_default();
            let reply = door::reply(state, message)?;
            desk.text(&reply)
        })
    }

    fn print(&mut self) -> wasmtime::Result<u32> {
        let stream = match self.number(0)? {
            1.0 => engine::Stream::Stdout,
            _ => engine::Stream::Stderr,
        };
        self.with_text(1, |desk, text| {
            let bytes = desk.copied(text);
            desk.caller.data_mut().wasi.print(stream, &bytes)?;
            desk.answer_number(0.0)
        })
    }

    /// Makes a value of source: what a program is turned into.
    fn compile(&mut self) -> wasmtime::Result<u32> {
        self.with_text(0, |desk, code| {
            desk.with_text(1, |desk, name| {
                let script = Arc::clone(&desk.script);
                let given = (code.at, code.length, name.at, 0);
                let made = script.eval.call(&mut desk.caller, given)?;
                if script.is_exception.call(&mut desk.caller, made)? == 0 {
                    return Ok(made);
                }
                script.free_value.call(&mut desk.caller, made)?;
                Ok(THROWN)
            })
        })
    }

    fn module(&mut self) -> wasmtime::Result<u32> {
        self.about_a_file(|wasi, path| {
            let bytes = files::read(wasi, path)?;
            let text = String::from_utf8_lossy(&bytes);
            let prepared = source::module(&text).map_err(|_| Errno::Io)?;
            Ok(Found::Text(prepared.as_ref().to_owned()))
        })
    }

    fn random(&mut self) -> wasmtime::Result<u32> {
        let count = self.number(0)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is not between the two becomes one of them, and a cast saturates"
        )]
        let mut bytes = vec![0; count.clamp(0.0, MOST_RANDOM) as usize];
        self.caller.data_mut().wasi.entropy().fill(&mut bytes)?;
        self.bytes(&bytes)
    }

    fn digest(&mut self) -> wasmtime::Result<u32> {
        let bits = self.number(0)?;
        self.with_text(1, |desk, text| {
            let bytes = bytes_of(&desk.copied(text));
            let digest = match bits {
                512.0 => Sha512::digest(&bytes).to_vec(),
                384.0 => Sha384::digest(&bytes).to_vec(),
                _ => Sha256::digest(&bytes).to_vec(),
            };
            desk.bytes(&digest)
        })
    }

    fn write(&mut self) -> wasmtime::Result<u32> {
        let path = self.with_owned(0)?;
        let content = self.with_owned(1)?;
        let how = self.with_owned(2)?;
        let (Some(path), Some(content), Some(how)) = (path, content, how) else {
            return Ok(THROWN);
        };
        let content = if how.contains(&b'b') { bytes_of(&content) } else { content };
        let path = String::from_utf8_lossy(&path).into_owned();
        let wasi = &mut self.caller.data_mut().wasi;
        let written = files::write(wasi, &path, &content, how.contains(&b'a'));
        self.answer_number(written.map_or_else(|errno| f64::from(errno as u16), |()| 0.0))
    }

    /// Answers with what is found out about a path, or with the number of the error.
    fn about_a_file(
        &mut self,
        task: impl FnOnce(&mut crate::wasi::Wasi, &str) -> Result<Found, Errno>,
    ) -> wasmtime::Result<u32> {
        let Some(path) = self.with_owned(0)? else { return Ok(THROWN) };
        let path = String::from_utf8_lossy(&path).into_owned();
        match task(&mut self.caller.data_mut().wasi, &path) {
            Ok(Found::Text(text)) => self.text(text.as_bytes()),
            Ok(Found::Bytes(bytes)) => self.bytes(&bytes),
            Ok(Found::Nothing) => self.answer_number(0.0),
            Err(errno) => self.answer_number(f64::from(errno as u16)),
        }
    }

    // --- arguments and answers --------------------------------------------------------

    fn argument(&self, index: usize) -> Result<u32, Stop> {
        self.given[..self.count]
            .get(index)
            .copied()
            .ok_or(Stop::Protocol("a call without its arguments"))
    }

    fn number(&mut self, index: usize) -> wasmtime::Result<f64> {
        let value = self.argument(index)?;
        self.script.number_of.clone().call(&mut self.caller, value)
    }

    /// Lends the argument as text. It may be that there is no memory for it: then an exception is
    /// under way.
    fn with_text(
        &mut self,
        index: usize,
        task: impl FnOnce(&mut Self, Text) -> wasmtime::Result<u32>,
    ) -> wasmtime::Result<u32> {
        let value = self.argument(index)?;
        let script = Arc::clone(&self.script);
        let at = script.text_of.call(&mut self.caller, (value, SCRATCH))?;
        if at == 0 {
            return Ok(THROWN);
        }
        let length = script.taken(&mut self.caller)?;
        let answer = task(self, Text { at, length })?;
        script.free_text.call(&mut self.caller, at)?;
        Ok(answer)
    }

    /// A copy of the argument.
    fn with_owned(&mut self, index: usize) -> wasmtime::Result<Option<Vec<u8>>> {
        let mut owned = None;
        self.with_text(index, |desk, text| {
            owned = Some(desk.copied(text));
            Ok(THROWN)
        })?;
        Ok(owned)
    }

    fn copied(&self, text: Text) -> Vec<u8> {
        let range = text.at as usize..text.at as usize + text.length as usize;
        self.memory.data(&self.caller).get(range).unwrap_or_default().to_vec()
    }

    fn text(&mut self, text: &[u8]) -> wasmtime::Result<u32> {
        let make = self.script.new_text.clone();
        self.made(text, &make)
    }

    fn bytes(&mut self, bytes: &[u8]) -> wasmtime::Result<u32> {
        let make = self.script.new_bytes.clone();
        self.made(bytes, &make)
    }

    fn made(
        &mut self,
        bytes: &[u8],
        make: &wasmtime::TypedFunc<(u32, u32), u32>,
    ) -> wasmtime::Result<u32> {
        let script = Arc::clone(&self.script);
        let length = u32::try_from(bytes.len())?;
        let value = if bytes.len() <= LITTLE {
            let at = script.put_aside(&mut self.caller, bytes)?;
            let value = make.call(&mut self.caller, (at, length))?;
            script.put_aside(&mut self.caller, &[0; LITTLE][..bytes.len()])?;
            value
        } else {
            let at = script.put(&mut self.caller, bytes)?;
            let value = make.call(&mut self.caller, (at, length))?;
            script.free.call(&mut self.caller, at)?;
            value
        };
        if value != 0 && script.is_exception.call(&mut self.caller, value)? != 0 {
            script.free_value.call(&mut self.caller, value)?;
            return Ok(THROWN);
        }
        Ok(value)
    }

    fn answer_number(&mut self, number: f64) -> wasmtime::Result<u32> {
        self.script.new_number.clone().call(&mut self.caller, number)
    }
}

/// Bytes that came as a text of letters below 256.
fn bytes_of(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')).collect()
}
