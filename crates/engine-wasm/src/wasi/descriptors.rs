//! System calls on descriptors: `fd_*`.
//!
//! 0 is a standard input that has ended, 1 and 2 go to the [`super::Surroundings`],
//! everything from 3 on is a file or folder.

use engine::Stream;

use super::memory::GuestMemory;
use super::{Answer, Failure, Wasi, wire};
use crate::files::{Errno, Mount};

type Memory<'call, 'memory> = &'call mut GuestMemory<'memory>;

/// The first descriptor that is not a standard stream.
const FIRST_FILE: u32 = 3;

pub(super) fn fd_read(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    pieces: u32,
    count: u32,
    out: u32,
) -> Answer {
    let total = match fd {
        0 => 0,
        1 | 2 => return Err(Errno::BadDescriptor.into()),
        _ => read_pieces(memory, pieces, count, |buffer, _| wasi.files.read(fd, buffer))?,
    };
    Ok(memory.put_u32(out, total)?)
}

pub(super) fn fd_pread(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    pieces: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Answer {
    refuse_stream(fd)?;
    let total = read_pieces(memory, pieces, count, |buffer, done| {
        let offset = offset.checked_add(u64::from(done)).ok_or(Errno::Invalid)?;
        wasi.files.read_at(fd, offset, buffer)
    })?;
    Ok(memory.put_u32(out, total)?)
}

pub(super) fn fd_write(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    pieces: u32,
    count: u32,
    out: u32,
) -> Answer {
    let total = match fd {
        0 => return Err(Errno::BadDescriptor.into()),
        1 => print_pieces(wasi, memory, pieces, count, Stream::Stdout)?,
        2 => print_pieces(wasi, memory, pieces, count, Stream::Stderr)?,
        _ => {
            let now = wasi.clock.wall();
            write_pieces(memory, pieces, count, |bytes, _| wasi.files.write(fd, bytes, now))?
        }
    };
    Ok(memory.put_u32(out, total)?)
}

pub(super) fn fd_pwrite(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    pieces: u32,
    count: u32,
    offset: u64,
    out: u32,
) -> Answer {
    refuse_stream(fd)?;
    let now = wasi.clock.wall();
    let total = write_pieces(memory, pieces, count, |bytes, done| {
        let offset = offset.checked_add(u64::from(done)).ok_or(Errno::FileTooLarge)?;
        wasi.files.write_at(fd, offset, bytes, now)
    })?;
    Ok(memory.put_u32(out, total)?)
}

pub(super) fn fd_seek(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    delta: i64,
    whence: u32,
    out: u32,
) -> Answer {
    refuse_stream(fd)?;
    let offset = wasi.files.seek(fd, delta, wire::whence(whence)?)?;
    Ok(memory.put_u64(out, offset)?)
}

pub(super) fn fd_tell(wasi: &mut Wasi, memory: Memory<'_, '_>, fd: u32, out: u32) -> Answer {
    refuse_stream(fd)?;
    Ok(memory.put_u64(out, wasi.files.tell(fd)?)?)
}

/// Standard streams stay open, as do the folders every guest has: a program that
/// closed them would break the next one.
pub(super) fn fd_close(wasi: &mut Wasi, _: Memory<'_, '_>, fd: u32) -> Answer {
    if fd < FIRST_FILE {
        return Err(Errno::NotSupported.into());
    }
    Ok(wasi.files.close(fd)?)
}

/// Advice changes nothing about a file in memory.
pub(super) fn fd_advise(
    wasi: &mut Wasi,
    _: Memory<'_, '_>,
    fd: u32,
    _offset: u64,
    _length: u64,
    _advice: u32,
) -> Answer {
    refuse_stream(fd)?;
    wasi.files.access(fd)?;
    Ok(())
}

/// A file in memory is as durable as it gets: it is saved when the guest is frozen.
pub(super) fn fd_sync(wasi: &mut Wasi, _: Memory<'_, '_>, fd: u32) -> Answer {
    if fd >= FIRST_FILE {
        wasi.files.access(fd)?;
    }
    Ok(())
}

pub(super) fn fd_datasync(wasi: &mut Wasi, memory: Memory<'_, '_>, fd: u32) -> Answer {
    fd_sync(wasi, memory, fd)
}

pub(super) fn fd_fdstat_get(wasi: &mut Wasi, memory: Memory<'_, '_>, fd: u32, out: u32) -> Answer {
    let record = if fd < FIRST_FILE {
        wire::stream_fdstat()
    } else {
        let (kind, access) = wasi.files.access(fd)?;
        wire::fdstat(kind, access)
    };
    Ok(memory.put(out, &record)?)
}

pub(super) fn fd_fdstat_set_flags(
    wasi: &mut Wasi,
    _: Memory<'_, '_>,
    fd: u32,
    flags: u32,
) -> Answer {
    let flags = wire::descriptor_flags(flags)?;
    if fd < FIRST_FILE || Mount::of(fd).is_some() {
        return Err(Errno::NotSupported.into());
    }
    Ok(wasi.files.set_flags(fd, flags)?)
}

pub(super) fn fd_filestat_get(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    out: u32,
) -> Answer {
    let record = if fd < FIRST_FILE {
        wire::stream_filestat()
    } else {
        wire::filestat(&wasi.files.stat(fd)?)
    };
    Ok(memory.put(out, &record)?)
}

pub(super) fn fd_filestat_set_size(
    wasi: &mut Wasi,
    _: Memory<'_, '_>,
    fd: u32,
    size: u64,
) -> Answer {
    refuse_stream(fd)?;
    let now = wasi.clock.wall();
    Ok(wasi.files.set_len(fd, size, now)?)
}

pub(super) fn fd_filestat_set_times(
    wasi: &mut Wasi,
    _: Memory<'_, '_>,
    fd: u32,
    accessed: u64,
    modified: u64,
    flags: u32,
) -> Answer {
    refuse_stream(fd)?;
    let now = wasi.clock.wall();
    Ok(wasi.files.set_times(fd, wire::new_times(accessed, modified, flags, now)?, now)?)
}

pub(super) fn fd_prestat_get(_: &mut Wasi, memory: Memory<'_, '_>, fd: u32, out: u32) -> Answer {
    let path = Mount::of(fd).ok_or(Errno::BadDescriptor)?.path();
    Ok(memory.put(out, &wire::prestat(u32::try_from(path.len()).unwrap_or(0)))?)
}

pub(super) fn fd_prestat_dir_name(
    _: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    address: u32,
    length: u32,
) -> Answer {
    let path = Mount::of(fd).ok_or(Errno::BadDescriptor)?.path();
    if (length as usize) < path.len() {
        return Err(Errno::NameTooLong.into());
    }
    Ok(memory.put(address, path.as_bytes())?)
}

/// Fills the buffer with entries. One that does not fit is cut off; a full buffer
/// tells the guest to ask again.
pub(super) fn fd_readdir(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    address: u32,
    length: u32,
    cookie: u64,
    out: u32,
) -> Answer {
    refuse_stream(fd)?;
    let buffer = memory.bytes_mut(address, length)?;
    let mut used = 0;
    wasi.files.list(fd, cookie, |listed| {
        let record = wire::dirent(listed);
        let whole = record.len() + listed.name.len() <= buffer.len() - used;
        for part in [&record[..], listed.name.as_bytes()] {
            let fits = part.len().min(buffer.len() - used);
            buffer[used..used + fits].copy_from_slice(&part[..fits]);
            used += fits;
        }
        whole
    })?;
    Ok(memory.put_u32(out, u32::try_from(used).map_err(|_| Errno::Fault)?)?)
}

fn refuse_stream(fd: u32) -> Result<(), Errno> {
    if fd < FIRST_FILE { Err(Errno::NotSeekable) } else { Ok(()) }
}

/// Reads straight into the guest, piece by piece, until one is not filled. `read`
/// is also told how much was read before.
fn read_pieces(
    memory: &mut GuestMemory<'_>,
    pieces: u32,
    count: u32,
    mut read: impl FnMut(&mut [u8], u32) -> Result<usize, Errno>,
) -> Result<u32, Errno> {
    let mut pieces = memory.pieces(pieces, count)?;
    if pieces.are_empty() {
        // A descriptor that cannot be read is an error even when nothing is asked for.
        read(&mut [], 0)?;
    }
    let mut done = 0;
    while let Some((address, length)) = pieces.step(memory)? {
        let part = match read(memory.bytes_mut(address, length)?, done) {
            Ok(part) => u32::try_from(part).map_err(|_| Errno::Fault)?,
            Err(error) if done == 0 => return Err(error),
            Err(_) => break,
        };
        done += part;
        if part < length {
            break;
        }
    }
    Ok(done)
}

/// Writes straight from the guest. What was written before an error counts; the
/// guest meets the error when it goes on.
fn write_pieces(
    memory: &GuestMemory<'_>,
    pieces: u32,
    count: u32,
    mut write: impl FnMut(&[u8], u32) -> Result<usize, Errno>,
) -> Result<u32, Errno> {
    let mut pieces = memory.pieces(pieces, count)?;
    if pieces.are_empty() {
        write(&[], 0)?;
    }
    let mut done = 0;
    while let Some((address, length)) = pieces.step(memory)? {
        match write(memory.bytes(address, length)?, done) {
            Ok(_) => done += length,
            Err(error) if done == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(done)
}

fn print_pieces(
    wasi: &mut Wasi,
    memory: &GuestMemory<'_>,
    pieces: u32,
    count: u32,
    stream: Stream,
) -> Result<u32, Failure> {
    let mut pieces = memory.pieces(pieces, count)?;
    let mut done = 0;
    while let Some((address, length)) = pieces.step(memory)? {
        wasi.surroundings.write(stream, memory.bytes(address, length)?)?;
        done += length;
    }
    Ok(done)
}
