//! The error numbers of WASI preview1 that our file system and host functions answer with.

/// Why a call was refused, as the guest's C library knows it.
///
/// Python turns each into an `OSError` with this number; the comment names the
/// symbol in Python's `errno` module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{self:?} (WASI error number {})", *self as u16)]
#[repr(u16)]
pub(crate) enum Errno {
    /// `EBADF`
    BadDescriptor = 8,
    /// `EBUSY`
    Busy = 10,
    /// `EDQUOT`
    QuotaExceeded = 19,
    /// `EEXIST`
    Exists = 20,
    /// `EFAULT`
    Fault = 21,
    /// `EFBIG`
    FileTooLarge = 22,
    /// `EILSEQ`
    IllegalBytes = 25,
    /// `EINVAL`
    Invalid = 28,
    /// `EIO`
    Io = 29,
    /// `EISDIR`
    IsFolder = 31,
    /// `EMFILE`
    TooManyOpen = 33,
    /// `ENAMETOOLONG`
    NameTooLong = 37,
    /// `ENOENT`
    NotFound = 44,
    /// `ENOSPC`
    NoSpace = 51,
    /// `ENOTDIR`
    NotFolder = 54,
    /// `ENOTEMPTY`
    NotEmpty = 55,
    /// `ENOTSOCK`
    NotSocket = 57,
    /// `ENOTSUP`
    NotSupported = 58,
    /// `EPERM`
    NotPermitted = 63,
    /// `EROFS`
    ReadOnly = 69,
    /// `ESPIPE`
    NotSeekable = 70,
    /// `ESTALE`
    Stale = 72,
    /// `EXDEV`
    CrossDevice = 75,
    /// `ENOTCAPABLE`
    NotCapable = 76,
}
