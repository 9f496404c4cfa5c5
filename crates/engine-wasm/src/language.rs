//! What differs between the languages that guests speak.
//!
//! Everything else (memory, images, files, limits, stepping) knows only that there is a
//! guest. A language is a property of the compiled code, so it is decided once, when a
//! [`Kit`](crate::kit::Kit) is opened, and never asked of a program.

pub use engine::Language;

use crate::cache::ImageName;

/// What a guest of a language is made of, and what it is tried with.
pub(crate) trait Spoken {
    /// The memory as the module's data leaves it, before anything ran.
    fn first(self) -> ImageName;

    /// The image that sessions start from unless told otherwise.
    fn base(self) -> ImageName;

    /// Bytes of memory the language's module declares as its minimum.
    fn minimum(self) -> usize;

    /// The least a program does; also what the hot pages of an image are found with.
    fn rehearsal(self) -> &'static str;

    /// A program that needs a little room, as any does.
    fn probe(self) -> &'static str;

    /// A statement that ends a program without a value.
    fn without_value(self) -> &'static str;
}

impl Spoken for Language {
    fn first(self) -> ImageName {
        match self {
            Self::Python => ImageName::first(),
            Self::TypeScript => ImageName::typescript_first(),
        }
    }

    fn base(self) -> ImageName {
        match self {
            Self::Python => ImageName::base(),
            Self::TypeScript => ImageName::typescript(),
        }
    }

    fn minimum(self) -> usize {
        match self {
            Self::Python => 640 << 16,
            Self::TypeScript => 18 << 16,
        }
    }

    fn rehearsal(self) -> &'static str {
        match self {
            Self::Python => "sum(range(100))",
            Self::TypeScript => "[...Array(100).keys()].reduce((a, b) => a + b)",
        }
    }

    fn probe(self) -> &'static str {
        match self {
            Self::Python => "len(bytes(64 << 10))",
            Self::TypeScript => "new Uint8Array(64 << 10).length",
        }
    }

    fn without_value(self) -> &'static str {
        match self {
            Self::Python => "return None",
            Self::TypeScript => "return undefined;",
        }
    }
}
