//! Python: a package for each server, a module for each tool.
//!
//! A module holds types and one function that has a signature and a docstring but no body:
//! the decorator `servers.tool` gives it behaviour. So a file can be read to learn how a tool
//! is called, and importing it costs little more than its classes.

mod docstring;
mod literal;
mod module;
mod package;
mod stub;
mod types;

pub(crate) use module::{module, signature, typed_signature};
pub(crate) use package::package;
pub(crate) use stub::{LEARNED, stubs};
