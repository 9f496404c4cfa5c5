//! What tools exist: names, schemas, fingerprints, and search over them.
//!
//! Everything here is pure: definitions go in as the servers sent them, and what the rest of
//! the product needs to know about them comes out. Nothing reads a file or a socket.
#![forbid(unsafe_code)]

mod arguments;
mod catalog;
#[cfg(any(test, feature = "corpus"))]
pub mod corpus;
pub mod digits;
mod fingerprint;
pub mod learned;
pub mod names;
mod nearest;
mod resolve;
pub mod schema;
pub mod search;
mod seen;
mod tool;
mod withheld;

pub use arguments::{Mistake, Problem, shape_in_words};
pub use catalog::{Catalog, CatalogServer, CatalogTool, LearnedTools};
pub use fingerprint::Fingerprint;
pub use learned::Learned;
pub use resolve::{ResolveError, server_parts};
pub use seen::{Change, ChangeKind, Part, Seen, Shown, Sight};
pub use tool::{Annotations, Listing, ServerName, Tool, ToolName};
pub use withheld::{Why, Withheld};

#[cfg(test)]
mod tests;
