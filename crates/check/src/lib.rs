//! A program against the catalog, before it runs.
//!
//! ```text
//! text ──► tree ──► names, calls, awaits ──────────┐
//!            │                                     ├──► mistakes ──► findings
//!            └──► results ──► rewrite ──► typed ───┘
//! ```
//!
//! `text` finds the program in what was sent. `names` says which of its names are servers and
//! tools, `calls` judges their arguments as guest and gateway would, `awaits` finds the calls that
//! nobody awaits. `results` follows what tools give through functions and lists of the program's own,
//! and `rewrite` makes the text that `typed`, the only one that knows the type checker,
//! reads; `complaints` keeps what is certain of what that says: `trust` tells whether a type still
//! holds, and `reach` whether a place is reached and its exception caught. Nothing here reads a file or a socket.
//!
//! `earlier` says what programs leave for the next one of their session, and what that takes from them.
//!
//! `script` is all of that for programs in TypeScript, of which less is certain.
//!
//! [`review`] looks at the same tree for what a program could do, not for mistakes.
//!
//! A mistake blocks only if it is in a call of a tool or certainly crashes. Whatever cannot be
//! known does not.

#![forbid(unsafe_code)]

mod awaits;
mod bounds;
mod calls;
mod checker;
mod complaints;
mod earlier;
mod finding;
mod fits;
mod flow;
mod kinds;
mod literal;
mod meant;
mod members;
mod mixed;
mod modules;
mod names;
mod nearest;
mod place;
mod reach;
mod render;
mod results;
pub mod review;
mod rewrite;
mod run;
mod scopes;
mod script;
mod servers;
mod text;
mod tree;
mod trust;
mod typed;
mod unparsed;

pub use checker::{Checker, Given, Program};
pub use earlier::Left;
pub use finding::{Code, Finding, Report, Severity, Unchecked};
pub use modules::is_there as has_module;
pub use review::{Review, Rules};
pub use script::compiled;
