//! Sentences as vectors, computed in this process.
//!
//! A small model (`MiniLM`, six layers, 384 numbers) turns a sentence into a direction; sentences
//! that mean the same point the same way, whatever their words. It is fetched once, like the guest
//! runtime: by the machine's own `pip`, pinned by version and SHA-256, or from a file.
//!
//! ```text
//! install ──► folder of two files ──► Model::load ──► embed ──► Store, a file of vectors
//! ```
//!
//! No type of the libraries underneath leaves this crate, and nothing here knows what a tool is.
#![forbid(unsafe_code)]

mod bert;
mod install;
mod model;
mod pins;
mod store;

pub use install::{InstallError, Installed, Stage, find, install};
pub use model::{LoadError, Model, ModelError};
pub use pins::Pins;
pub use store::{Store, StoreError};

/// How many numbers a vector has.
pub const DIMENSIONS: usize = 384;
