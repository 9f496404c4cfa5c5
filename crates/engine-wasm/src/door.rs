//! The one door: how a guest talks to its host, and how quick calls are answered in place.
//!
//! Leaving a step and coming back costs more than most answers. So before a guest
//! rests, its host is asked: answer at once, or wait here for a moment. Only when
//! neither brings anything does the step end.

use std::time::{Duration, Instant};

use engine::{CallResult, HostCall, LimitKind, Limits};
use wasmtime::{Caller, Linker};

use crate::split;
use crate::state::{Ended, State};
use crate::threads::lock;
use crate::watch::Stop;
use crate::wire::{self, Message, Wait};

/// How long a guest waits at the door before it rests.
const PATIENCE: Duration = Duration::from_millis(20);

/// While a guest cannot rest, how often to see whether it is still wanted.
const HOLD_SLICE: Duration = Duration::from_millis(20);

const OK: i32 = 0;
const HOST_FAULT: i32 = -2;

/// Defines `host.call`, and what happens when a guest looks up.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    linker.func_wrap(
        "wasi_snapshot_preview1",
        split::LOOK_UP,
        |caller: Caller<'_, State>| -> wasmtime::Result<i32> {
            caller.data().look_up()?;
            Ok(OK)
        },
    )?;
    linker.func_wrap(
        "host",
        "call",
        |caller: Caller<'_, State>, at: u32, len: u32, out_at: u32, out_len: u32| {
            call(caller, at, len, out_at, out_len)
        },
    )?;
    Ok(())
}

fn call(
    mut caller: Caller<'_, State>,
    at: u32,
    len: u32,
    out_at: u32,
    out_len: u32,
) -> wasmtime::Result<i32> {
    let (Some(memory), Some(alloc)) = (caller.data().memory, caller.data().alloc.clone()) else {
        return Ok(HOST_FAULT);
    };
    let reply = {
        let (data, state) = memory.data_and_store_mut(&mut caller);
        let range = at as usize..at as usize + len as usize;
        let Some(message) = data.get(range) else { return Ok(HOST_FAULT) };
        match read(state, message)? {
            Message::Immortal { count, addresses } => {
                make_immortal(state, data, count, &addresses)?
            }
            message => handle(state, message)?,
        }
    };
    let length = u32::try_from(reply.len())
        .map_err(|_| Stop::Protocol("a question with an endless answer"))?;
    let address = if length == 0 { 0 } else { alloc.call(&mut caller, length)? };
    if length > 0 && address == 0 {
        // What the program asked for, or was given, does not fit: nothing of it can be handed over.
        let allowed = format!("{} bytes", caller.data().limits.memory_bytes);
        return Err(Stop::limit(LimitKind::Memory, allowed).into());
    }
    memory.write(&mut caller, address as usize, &reply)?;
    memory.write(&mut caller, out_at as usize, &address.to_le_bytes())?;
    memory.write(&mut caller, out_len as usize, &length.to_le_bytes())?;
    Ok(OK)
}

/// What the host says to a message of a guest that has another way to pass it.
pub(crate) fn reply(state: &mut State, message: &[u8]) -> Result<Vec<u8>, Stop> {
    let message = read(state, message)?;
    handle(state, message)
}

fn read(state: &State, message: &[u8]) -> Result<Message, Stop> {
    if message.len() as u64 > wire::allowed(message.first().copied().unwrap_or(0), &state.limits) {
        return Err(too_long(message, &state.limits));
    }
    wire::decode(message, &state.limits)
}

fn handle(state: &mut State, message: Message) -> Result<Vec<u8>, Stop> {
    match message {
        Message::Next => {
            state.input.take().ok_or(Stop::Protocol("a request for input out of turn"))
        }
        Message::Call(call) => answer_one(state, call),
        Message::Wait(wait) => answer_all(state, wait, false),
        Message::Hold(wait) => answer_all(state, wait, true),
        Message::Done(done) => {
            state.ended = Some(Ended::Done(done));
            Ok(Vec::new())
        }
        Message::Immortal { .. } => Err(OUT_OF_TURN),
    }
}

const OUT_OF_TURN: Stop = Stop::Protocol("something only an image build may say");

/// Gives objects a reference count that CPython neither raises nor lowers, so that
/// programs do not write to pages of the image by merely looking at what is there.
fn make_immortal(
    state: &State,
    memory: &mut [u8],
    count: u32,
    addresses: &[u8],
) -> Result<Vec<u8>, Stop> {
    if !state.building {
        return Err(OUT_OF_TURN);
    }
    for address in addresses.as_chunks::<4>().0 {
        // The count is the first word of every object.
        let at = u32::from_le_bytes(*address) as usize;
        let word = memory.get_mut(at..at + 4).ok_or(OUT_OF_TURN)?;
        let now = word.try_into().map_or(0, u32::from_le_bytes);
        // Those that are immortal already may be so in another way.
        if now < count - (count >> 2) {
            word.copy_from_slice(&count.to_le_bytes());
        }
    }
    Ok(Vec::new())
}

fn too_long(message: &[u8], limits: &Limits) -> Stop {
    match message.first() {
        Some(b'c' | b'w' | b'h') => {
            Stop::limit(LimitKind::CallArguments, format!("{} bytes", limits.call_arguments_bytes))
        }
        Some(b'd') => Stop::limit(LimitKind::Value, format!("{} bytes", limits.value_bytes)),
        _ => Stop::Protocol("a message that is too long"),
    }
}

/// The hot path: one call, and nothing else for the guest to do.
fn answer_one(state: &mut State, call: HostCall) -> Result<Vec<u8>, Stop> {
    admit(state, &call)?;
    let asked = Instant::now();
    let answer = state.host.answer_alone(&call);
    lock(&state.watch).add_wait(asked.elapsed());
    let Some(result) = answer else {
        state.unreported.push(call);
        return Ok(Vec::new());
    };
    state.run.pending.remove(&call.id);
    check_result(&result, &state.limits)?;
    Ok(wire::answer(&result))
}

/// Counts a call and refuses one too many.
fn admit(state: &mut State, call: &HostCall) -> Result<(), Stop> {
    let limits = &state.limits;
    state.run.calls += 1;
    lock(&state.shared.usage).calls = state.run.calls;
    if state.run.calls > limits.calls {
        return Err(Stop::limit(LimitKind::Calls, limits.calls));
    }
    if state.run.pending.len() as u64 >= limits.calls_in_flight {
        return Err(Stop::limit(LimitKind::CallsInFlight, limits.calls_in_flight));
    }
    if !state.run.pending.insert(call.id) {
        return Err(Stop::Protocol("two calls with one id"));
    }
    Ok(())
}

pub(crate) fn check_result(result: &CallResult, limits: &Limits) -> Result<(), Stop> {
    let bytes = result.result.as_ref().map_or(0, |value| value.get().len() as u64);
    if bytes > limits.call_result_bytes {
        return Err(Stop::limit(
            LimitKind::CallResult,
            format!("{} bytes", limits.call_result_bytes),
        ));
    }
    Ok(())
}

fn answer_all(state: &mut State, wait: Wait, hold: bool) -> Result<Vec<u8>, Stop> {
    for id in &wait.dropped {
        if state.run.pending.remove(id) {
            state.unreported.retain(|call| call.id != *id);
            state.withdrawn.push(*id);
        }
    }
    let mut results = Vec::new();
    for call in wait.calls {
        admit(state, &call)?;
        match state.host.answer(&call) {
            Some(result) => results.push(result),
            None => state.unreported.push(call),
        }
    }
    let begun = Instant::now();
    let wake = wait.wake.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let wake_at = wake.and_then(|wake| begun.checked_add(wake));
    loop {
        if !results.is_empty() {
            return deliver(state, &results);
        }
        lock(&state.watch).check()?;
        if wake_at.is_some_and(|at| at <= Instant::now()) {
            return Ok(b"[]".to_vec());
        }
        let patience = if hold { Instant::now() + HOLD_SLICE } else { begun + PATIENCE };
        let deadline = patience.min(wake_at.unwrap_or(patience)).min(lock(&state.watch).deadline());
        let asked = Instant::now();
        if !state.run.pending.is_empty() {
            results = state.host.wait(deadline);
            lock(&state.watch).add_wait(asked.elapsed());
        }
        if results.is_empty() && wake_at.is_some_and(|at| hold || at <= begun + PATIENCE) {
            let rest = deadline.saturating_duration_since(Instant::now());
            lock(&state.watch).sleep(rest)?;
            continue;
        }
        if results.is_empty() && (!hold || asked.elapsed() < HOLD_SLICE / 2) {
            state.ended = (!hold).then_some(Ended::Resting { wake });
            return Ok(Vec::new());
        }
    }
}

fn deliver(state: &mut State, results: &[CallResult]) -> Result<Vec<u8>, Stop> {
    for result in results {
        state.run.pending.remove(&result.id);
        state.unreported.retain(|call| call.id != result.id);
        check_result(result, &state.limits)?;
    }
    Ok(wire::answers(results))
}
