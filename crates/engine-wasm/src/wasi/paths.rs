//! System calls on paths: `path_*`.
//!
//! There are no links of any kind, so whether to follow them does not matter.

use super::memory::GuestMemory;
use super::{Answer, Wasi, wire};
use crate::files::Errno;

type Memory<'call, 'memory> = &'call mut GuestMemory<'memory>;

#[expect(clippy::too_many_arguments, reason = "the system call has them")]
pub(super) fn path_open(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    _follow: u32,
    path: u32,
    length: u32,
    open_flags: u32,
    rights: u64,
    _inheriting: u64,
    flags: u32,
    out: u32,
) -> Answer {
    // Before anything is opened, so that no descriptor is lost to a wrong address.
    memory.bytes(out, 4)?;
    let how = wire::how(open_flags, rights, flags)?;
    let now = wasi.clock.wall();
    let opened = wasi.files.open(fd, memory.text(path, length)?, how, now)?;
    Ok(memory.put_u32(out, opened)?)
}

pub(super) fn path_filestat_get(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    _follow: u32,
    path: u32,
    length: u32,
    out: u32,
) -> Answer {
    let stat = wasi.files.stat_at(fd, memory.text(path, length)?)?;
    Ok(memory.put(out, &wire::filestat(&stat))?)
}

#[expect(clippy::too_many_arguments, reason = "the system call has them")]
pub(super) fn path_filestat_set_times(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    _follow: u32,
    path: u32,
    length: u32,
    accessed: u64,
    modified: u64,
    flags: u32,
) -> Answer {
    let now = wasi.clock.wall();
    let times = wire::new_times(accessed, modified, flags, now)?;
    Ok(wasi.files.set_times_at(fd, memory.text(path, length)?, times, now)?)
}

pub(super) fn path_create_directory(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    path: u32,
    length: u32,
) -> Answer {
    let now = wasi.clock.wall();
    Ok(wasi.files.create_folder(fd, memory.text(path, length)?, now)?)
}

pub(super) fn path_remove_directory(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    path: u32,
    length: u32,
) -> Answer {
    let now = wasi.clock.wall();
    Ok(wasi.files.remove_folder(fd, memory.text(path, length)?, now)?)
}

pub(super) fn path_unlink_file(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    path: u32,
    length: u32,
) -> Answer {
    let now = wasi.clock.wall();
    Ok(wasi.files.remove_file(fd, memory.text(path, length)?, now)?)
}

#[expect(clippy::too_many_arguments, reason = "the system call has them")]
pub(super) fn path_rename(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    path: u32,
    length: u32,
    new_fd: u32,
    new_path: u32,
    new_length: u32,
) -> Answer {
    let now = wasi.clock.wall();
    let (from, to) = (memory.text(path, length)?, memory.text(new_path, new_length)?);
    Ok(wasi.files.rename((fd, from), (new_fd, to), now)?)
}

/// Nothing here needs links, and what does not exist cannot lead out.
#[expect(clippy::too_many_arguments, reason = "the system call has them")]
pub(super) fn path_link(
    _: &mut Wasi,
    _: Memory<'_, '_>,
    _fd: u32,
    _follow: u32,
    _path: u32,
    _length: u32,
    _new_fd: u32,
    _new_path: u32,
    _new_length: u32,
) -> Answer {
    Err(Errno::NotPermitted.into())
}

/// Refused for the same reason as [`path_link`].
pub(super) fn path_symlink(
    _: &mut Wasi,
    _: Memory<'_, '_>,
    _old_path: u32,
    _old_length: u32,
    _fd: u32,
    _new_path: u32,
    _new_length: u32,
) -> Answer {
    Err(Errno::NotPermitted.into())
}

/// Nothing is a link: `EINVAL` if there is something at the path.
#[expect(clippy::too_many_arguments, reason = "the system call has them")]
pub(super) fn path_readlink(
    wasi: &mut Wasi,
    memory: Memory<'_, '_>,
    fd: u32,
    path: u32,
    length: u32,
    _buffer: u32,
    _room: u32,
    _out: u32,
) -> Answer {
    wasi.files.stat_at(fd, memory.text(path, length)?)?;
    Err(Errno::Invalid.into())
}
