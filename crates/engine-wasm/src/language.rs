//! What differs between the languages that guests speak.
//!
//! Everything else (memory, images, files, limits, stepping) knows only that there is a
//! guest. A language is a property of the compiled code, so it is decided once, when a
//! [`Kit`](crate::kit::Kit) is opened, and never asked of a program.

use crate::cache::ImageName;

/// The language of a guest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// CPython.
    #[default]
    Python,
    /// QuickJS, with types stripped before it reads a program.
    TypeScript,
}

impl Language {
    /// The memory as the module's data leaves it, before anything ran.
    #[must_use]
    pub fn first(self) -> ImageName {
        match self {
            Self::Python => ImageName::first(),
            Self::TypeScript => ImageName::typescript_first(),
        }
    }

    /// The image that sessions start from unless told otherwise.
    #[must_use]
    pub fn base(self) -> ImageName {
        match self {
            Self::Python => ImageName::base(),
            Self::TypeScript => ImageName::typescript(),
        }
    }

    /// Bytes of memory the language's module declares as its minimum.
    pub(crate) fn minimum(self) -> usize {
        match self {
            Self::Python => 640 << 16,
            Self::TypeScript => 18 << 16,
        }
    }

    /// The least a program does; also what the hot pages of an image are found with.
    pub(crate) fn rehearsal(self) -> &'static str {
        match self {
            Self::Python => "sum(range(100))",
            Self::TypeScript => "[...Array(100).keys()].reduce((a, b) => a + b)",
        }
    }

    /// A program that needs a little room, as any does.
    pub(crate) fn probe(self) -> &'static str {
        match self {
            Self::Python => "len(bytes(64 << 10))",
            Self::TypeScript => "new Uint8Array(64 << 10).length",
        }
    }

    /// A statement that ends a program without a value.
    pub(crate) fn without_value(self) -> &'static str {
        match self {
            Self::Python => "return None",
            Self::TypeScript => "return undefined;",
        }
    }
}
