//! TypeScript: a folder for each server, a file for each tool.
//!
//! A file holds interfaces and one function that passes its input on to `callMCPTool`, which
//! `client.ts` beside the folders provides.

mod folder;
mod literal;
mod module;
mod types;

pub(crate) use folder::{CLIENT, folder};
pub(crate) use module::{module, typed_signature};
