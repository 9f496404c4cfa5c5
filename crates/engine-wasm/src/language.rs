//! What differs between the languages that guests speak.
//!
//! Everything else (memory, images, files, limits, stepping) knows only that there is a
//! guest. A language is a property of the compiled code, so it is decided once, when a
//! [`Kit`](crate::kit::Kit) is opened, and never asked of a program.

/// The language of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// CPython.
    Python,
}

impl Language {
    /// Bytes of memory the language's module declares as its minimum.
    pub(crate) fn minimum(self) -> usize {
        match self {
            Self::Python => 640 << 16,
        }
    }

    /// The least a program does; also what the hot pages of an image are found with.
    pub(crate) fn rehearsal(self) -> &'static str {
        match self {
            Self::Python => "sum(range(100))",
        }
    }

    /// A program that needs a little room, as any does.
    pub(crate) fn probe(self) -> &'static str {
        match self {
            Self::Python => "len(bytes(64 << 10))",
        }
    }
}
