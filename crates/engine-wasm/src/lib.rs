//! Runs guest programs in wasmtime: a full CPython, or QuickJS, that starts as a mapped file.
//!
//! ```text
//! install ──► cache ──► kit (code, library) ──► machine (one instance) ──► guest ──► engine
//!    └──► build (images) ───────────────────────────┘
//! ```
//!
//! * [`install`] and [`cache`]: the runtime on disk, checked before it is used.
//! * `build`: warm-up programs in, images out.
//! * `machine`: stepping, freezing and thawing one guest; `door`, `wire` and `state` serve it.
//! * `script`: what the TypeScript guest needs besides: its functions, its door, its programs.
//! * `files` and `wasi`: the only file system and clock a guest sees.
//! * `guest` and `engine`: the contract of the `engine` crate.
//!
//! `unsafe` is in two modules, `memory` and `code`. No wasmtime type leaves this crate.

mod build;
pub mod cache;
mod code;
mod door;
mod engine;
mod files;
mod frozen;
#[doc(hidden)]
pub mod fuzzing;
mod guest;
pub mod install;
mod kit;
mod language;
mod machine;
mod memory;
mod packages;
mod script;
pub mod split;
mod state;
#[cfg(test)]
mod testing;
mod threads;
mod wasi;
mod watch;
mod wire;

pub use crate::build::{Builder, guest_digest, plan, plan_of};
pub use crate::engine::{Options, WasmEngine};
pub use crate::language::Language;
pub use crate::packages::{PackageError, pack};
