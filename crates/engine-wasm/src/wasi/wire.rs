//! The records of preview1 as bytes. Offsets and numbers are those of its
//! specification, `wasi_snapshot_preview1.witx`.

use crate::files::{Access, Errno, How, Kind, Listed, NewTimes, Stat, Whence};

/// Rights a descriptor can have; all that the specification knows.
const ALL_RIGHTS: u64 = (1 << 30) - 1;
const RIGHT_TO_READ: u64 = 1 << 1;
const RIGHT_TO_WRITE: u64 = 1 << 6;

const CHARACTER_DEVICE: u8 = 2;

/// The flags a descriptor can have: append, dsync, nonblock, rsync, sync.
const DESCRIPTOR_FLAGS: u16 = 0b1_1111;

fn kind_number(kind: Kind) -> u8 {
    match kind {
        Kind::Folder => 3,
        Kind::File => 4,
    }
}

/// `filestat`
pub(super) fn filestat(stat: &Stat) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..8].copy_from_slice(&stat.device.to_le_bytes());
    bytes[8..16].copy_from_slice(&stat.inode.to_le_bytes());
    bytes[16] = kind_number(stat.kind);
    bytes[24..32].copy_from_slice(&stat.links.to_le_bytes());
    bytes[32..40].copy_from_slice(&stat.size.to_le_bytes());
    bytes[40..48].copy_from_slice(&stat.times.accessed.to_le_bytes());
    bytes[48..56].copy_from_slice(&stat.times.modified.to_le_bytes());
    bytes[56..].copy_from_slice(&stat.times.changed.to_le_bytes());
    bytes
}

/// `filestat` of a standard stream.
pub(super) fn stream_filestat() -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[16] = CHARACTER_DEVICE;
    bytes[24] = 1;
    bytes
}

/// `fdstat` of a file or folder. The C library reads from the rights how the file
/// was opened, and grants new descriptors no more than the inheriting ones.
pub(super) fn fdstat(kind: Kind, access: Access) -> [u8; 24] {
    let mut rights = ALL_RIGHTS & !RIGHT_TO_READ & !RIGHT_TO_WRITE;
    if access.read {
        rights |= RIGHT_TO_READ;
    }
    if access.write {
        rights |= RIGHT_TO_WRITE;
    }
    fdstat_record(kind_number(kind), access.flags, rights)
}

/// `fdstat` of a standard stream. It has the right to seek, although it cannot:
/// the C library takes a character device without that right for a terminal, and
/// Python would then write line by line.
pub(super) fn stream_fdstat() -> [u8; 24] {
    fdstat_record(CHARACTER_DEVICE, 0, ALL_RIGHTS)
}

fn fdstat_record(kind: u8, flags: u16, rights: u64) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[0] = kind;
    bytes[2..4].copy_from_slice(&flags.to_le_bytes());
    bytes[8..16].copy_from_slice(&rights.to_le_bytes());
    bytes[16..].copy_from_slice(&ALL_RIGHTS.to_le_bytes());
    bytes
}

/// `dirent`, which the name follows.
pub(super) fn dirent(listed: &Listed<'_>) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&listed.next.to_le_bytes());
    bytes[8..16].copy_from_slice(&listed.inode.to_le_bytes());
    let length = u32::try_from(listed.name.len()).unwrap_or(u32::MAX);
    bytes[16..20].copy_from_slice(&length.to_le_bytes());
    bytes[20] = kind_number(listed.kind);
    bytes
}

/// `prestat` of a folder whose path has `length` bytes.
pub(super) fn prestat(length: u32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[4..].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// `oflags`, rights and `fdflags` of `path_open`.
pub(super) fn how(open_flags: u32, rights: u64, flags: u32) -> Result<How, Errno> {
    let flag = |bit: u32| open_flags & bit != 0;
    Ok(How {
        read: rights & RIGHT_TO_READ != 0,
        write: rights & RIGHT_TO_WRITE != 0,
        create: flag(1),
        folder: flag(2),
        exclusive: flag(4),
        truncate: flag(8),
        flags: descriptor_flags(flags)?,
    })
}

/// `fdflags`
pub(super) fn descriptor_flags(flags: u32) -> Result<u16, Errno> {
    u16::try_from(flags).ok().filter(|flags| flags & !DESCRIPTOR_FLAGS == 0).ok_or(Errno::Invalid)
}

/// `whence`
pub(super) fn whence(number: u32) -> Result<Whence, Errno> {
    match number {
        0 => Ok(Whence::Start),
        1 => Ok(Whence::Current),
        2 => Ok(Whence::End),
        _ => Err(Errno::Invalid),
    }
}

/// `fstflags` with the two times they speak of.
pub(super) fn new_times(
    accessed: u64,
    modified: u64,
    flags: u32,
    now: u64,
) -> Result<NewTimes, Errno> {
    let choose = |given: u64, bits: u32| match bits & 0b11 {
        0 => Ok(None),
        1 => Ok(Some(given)),
        2 => Ok(Some(now)),
        _ => Err(Errno::Invalid),
    };
    Ok(NewTimes { accessed: choose(accessed, flags)?, modified: choose(modified, flags >> 2)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Times;

    #[test]
    fn filestat_has_its_fields_where_the_specification_says() {
        let times = Times { accessed: 5, modified: 6, changed: 7 };
        let stat = Stat { device: 1, inode: 2, kind: Kind::File, links: 3, size: 4, times };
        let words = filestat(&stat)
            .as_chunks::<8>()
            .0
            .iter()
            .map(|word| u64::from_le_bytes(*word))
            .collect::<Vec<_>>();
        assert_eq!(words, [1, 2, 4, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn fdstat_tells_how_a_file_was_opened() {
        let bytes = fdstat(Kind::File, Access { read: true, write: false, flags: 1 });
        assert_eq!(bytes[..4], [4, 0, 1, 0]);
        let rights = u64::from_le_bytes(bytes[8..16].try_into().unwrap());
        assert_eq!(rights & (RIGHT_TO_READ | RIGHT_TO_WRITE), RIGHT_TO_READ);
    }

    #[test]
    fn dirent_counts_the_bytes_of_the_name() {
        let bytes = dirent(&Listed { next: 9, inode: 8, kind: Kind::Folder, name: "é" });
        assert_eq!(
            bytes[..],
            [9, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]
        );
    }

    #[test]
    fn a_time_cannot_be_both_given_and_now() {
        assert_eq!(
            new_times(1, 2, 0b0110, 9),
            Ok(NewTimes { accessed: Some(9), modified: Some(2) })
        );
        assert_eq!(new_times(1, 2, 0b0011, 9), Err(Errno::Invalid));
    }

    #[test]
    fn unknown_flags_are_refused() {
        assert_eq!(descriptor_flags(0b10_0000), Err(Errno::Invalid));
        assert!(
            how(1 | 8, RIGHT_TO_WRITE, 1)
                .is_ok_and(|how| how.create && how.truncate && how.write && !how.read)
        );
    }
}
