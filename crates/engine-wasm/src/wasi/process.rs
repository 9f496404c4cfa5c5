//! What is neither a file nor a wait: arguments, environment, clocks, chance, the end.

use super::clock::{ClockId, TICK};
use super::memory::GuestMemory;
use super::{Answer, Wasi};
use crate::files::Errno;

const ARGUMENTS: &[&str] = &["/usr/local/bin/python.wasm"];

const ENVIRONMENT: &[&str] = &[
    "TMPDIR=/workspace",
    "HOME=/workspace",
    "PYTHONTZPATH=",
    "MPLCONFIGDIR=/workspace/.matplotlib",
    "MPLBACKEND=agg",
];

/// The guest ended itself with this code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the guest ended itself with code {0}")]
pub(crate) struct Exit(pub(crate) i32);

pub(super) fn args_sizes_get(
    _: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    count: u32,
    size: u32,
) -> Answer {
    put_sizes(memory, ARGUMENTS, count, size)
}

pub(super) fn args_get(
    _: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    pointers: u32,
    text: u32,
) -> Answer {
    put_strings(memory, ARGUMENTS, pointers, text)
}

pub(super) fn environ_sizes_get(
    _: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    count: u32,
    size: u32,
) -> Answer {
    put_sizes(memory, ENVIRONMENT, count, size)
}

pub(super) fn environ_get(
    _: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    pointers: u32,
    text: u32,
) -> Answer {
    put_strings(memory, ENVIRONMENT, pointers, text)
}

pub(super) fn clock_res_get(
    _: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    id: u32,
    out: u32,
) -> Answer {
    ClockId::of(id)?;
    Ok(memory.put_u64(out, TICK)?)
}

pub(super) fn clock_time_get(
    wasi: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    id: u32,
    _precision: u64,
    out: u32,
) -> Answer {
    let now = wasi.clock.look(ClockId::of(id)?);
    Ok(memory.put_u64(out, now)?)
}

pub(super) fn random_get(
    wasi: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    address: u32,
    length: u32,
) -> Answer {
    Ok(wasi.entropy.fill(memory.bytes_mut(address, length)?)?)
}

/// Nothing else could run: a guest has one thread.
#[expect(clippy::unnecessary_wraps, reason = "every system call answers alike")]
pub(super) fn sched_yield(_: &mut Wasi, _: &mut GuestMemory<'_>) -> Answer {
    Ok(())
}

pub(super) fn sock_accept(_: &mut Wasi, _: &mut GuestMemory<'_>, _: u32, _: u32, _: u32) -> Answer {
    Err(Errno::NotSocket.into())
}

#[expect(clippy::too_many_arguments, reason = "the system call has them")]
pub(super) fn sock_recv(
    _: &mut Wasi,
    _: &mut GuestMemory<'_>,
    _fd: u32,
    _pieces: u32,
    _count: u32,
    _flags: u32,
    _out_length: u32,
    _out_flags: u32,
) -> Answer {
    Err(Errno::NotSocket.into())
}

pub(super) fn sock_send(
    _: &mut Wasi,
    _: &mut GuestMemory<'_>,
    _fd: u32,
    _pieces: u32,
    _count: u32,
    _flags: u32,
    _out: u32,
) -> Answer {
    Err(Errno::NotSocket.into())
}

pub(super) fn sock_shutdown(_: &mut Wasi, _: &mut GuestMemory<'_>, _fd: u32, _how: u32) -> Answer {
    Err(Errno::NotSocket.into())
}

fn put_sizes(memory: &mut GuestMemory<'_>, strings: &[&str], count: u32, size: u32) -> Answer {
    let bytes: usize = strings.iter().map(|string| string.len() + 1).sum();
    memory.put_u32(count, u32::try_from(strings.len()).unwrap_or(0))?;
    Ok(memory.put_u32(size, u32::try_from(bytes).unwrap_or(0))?)
}

/// The strings one after another, each ended by a zero, and a pointer to each.
fn put_strings(
    memory: &mut GuestMemory<'_>,
    strings: &[&str],
    mut pointers: u32,
    mut text: u32,
) -> Answer {
    for string in strings {
        memory.put_u32(pointers, text)?;
        memory.put(text, string.as_bytes())?;
        let length = u32::try_from(string.len()).map_err(|_| Errno::Fault)?;
        let end = text.checked_add(length).ok_or(Errno::Fault)?;
        memory.put(end, &[0])?;
        // Neither wraps: the bytes just written end where these begin.
        text = end.wrapping_add(1);
        pointers = pointers.wrapping_add(4);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_laid_out_as_c_expects() {
        let mut bytes = [255; 16];
        put_strings(&mut GuestMemory(&mut bytes), &["ab", "c"], 0, 8).unwrap();
        assert_eq!(bytes, *b"\x08\0\0\0\x0b\0\0\0ab\0c\0\xff\xff\xff");
    }
}
