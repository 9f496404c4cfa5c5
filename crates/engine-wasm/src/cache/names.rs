//! What files of the cache are called.
//!
//! Every name carries the digest of what the file holds or of what it was made
//! from, so two versions of this program can share one folder, and a file
//! never has to change under its name.

use engine::Digest;

use crate::Language;

const KINDS: [(&str, &str); 7] = [
    ("code-", ".cwasm"),
    ("image-", ".img"),
    ("library-", ".zip"),
    ("module-", ".wasm.zst"),
    ("notices-", ".txt"),
    ("packages-", ".zip"),
    ("script-", ".cwasm"),
];

/// Compiled code of a language's guest, by what it was compiled from and by what.
#[must_use]
pub fn code(language: Language, key: &Digest) -> String {
    format!("{}{}.cwasm", code_prefix(language), short(key))
}

/// How names of compiled code begin. Each language has its own, so that old code of one can be
/// removed without a look at the other's.
#[must_use]
pub fn code_prefix(language: Language) -> &'static str {
    match language {
        Language::Python => "code-",
        Language::TypeScript => "script-",
    }
}

/// A memory image, by its content.
#[must_use]
pub fn image(content: &Digest) -> String {
    format!("image-{content}.img")
}

/// The standard library, by its content.
#[must_use]
pub fn library(content: &Digest) -> String {
    format!("library-{content}.zip")
}

/// The guest module without its data, by what it was split from.
#[must_use]
pub fn module(key: &Digest) -> String {
    format!("module-{}.wasm.zst", short(key))
}

/// The licences of what the guest contains, by the wheel they came in.
#[must_use]
pub fn notices(wheel: &Digest) -> String {
    format!("notices-{}.txt", short(wheel))
}

/// Packages that an image of the user's own brings, by their content.
#[must_use]
pub fn packages(content: &Digest) -> String {
    format!("packages-{content}.zip")
}

/// Whether a file is one of the above. Nothing else in the folder is ever
/// removed, whatever folder `TIDEGATE_CACHE` names.
pub(super) fn is_ours(name: &str) -> bool {
    KINDS.iter().any(|(prefix, suffix)| {
        name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix)).is_some_and(|key| {
            matches!(key.len(), 16 | 64) && key.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    })
}

/// Whether a name that carries the digest of its content carries this one.
pub(super) fn agrees(name: &str, content: &Digest) -> bool {
    match name.split('-').next() {
        Some("image") => name == image(content),
        Some("packages") => name == packages(content),
        Some("library") => name == library(content),
        _ => true,
    }
}

fn short(digest: &Digest) -> String {
    let mut text = digest.to_string();
    text.truncate(16);
    text
}
