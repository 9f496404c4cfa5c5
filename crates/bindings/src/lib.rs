//! Typed functions for tools: a catalog in, Python and TypeScript source out.
//!
//! Same input, same bytes. Everything here is pure: who writes the files, or shows them to a
//! program without writing them, is somebody else's business.
//!
//! Every name, sentence and schema comes from a server, so from an attacker. Names are the
//! catalog's identifiers; everything else goes through a function that escapes for exactly the
//! place where it stands, or is left out. Lengths and depths are bounded.
//!
//! Reading order: `target` (what is written about), `parameters` and `type_names` (what both
//! languages need to know), `words` and `suggestion` (what is said about it), then `python`,
//! `typescript` and `layout` (which files there are).

#![forbid(unsafe_code)]

mod layout;
mod parameters;
mod python;
mod readme;
mod signature;
mod suggestion;
mod target;
mod text;
mod type_names;
mod typescript;
mod words;

#[cfg(test)]
mod fixture;

use std::sync::Arc;

pub use signature::{Parameter, Signature};

use catalog::{Catalog, CatalogServer, CatalogTool};

/// One generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it belongs, below the folder of all servers: `github/create_issue.py`.
    pub path: String,
    /// What is in it. Files that are the same under two names share their text.
    pub text: Arc<str>,
}

/// The Python package of one server.
#[must_use]
pub fn python_server(server: &CatalogServer) -> Vec<SourceFile> {
    python::package(&server.into())
}

/// Whether a class in the stubs describes what was only learned, and is promised by nobody.
#[must_use]
pub fn is_learned(class: &str) -> bool {
    class.starts_with(python::LEARNED)
}

/// What a type checker reads of one server: what each tool gives, not what it takes.
///
/// A function here takes anything, because programs may call a tool in more ways than a
/// signature can say; [`python_parameters`] has what is needed to judge that.
#[must_use]
pub fn python_stubs(server: &CatalogServer) -> Vec<SourceFile> {
    python::stubs(&server.into())
}

/// What a tool's Python function takes.
#[must_use]
pub fn python_parameters(tool: &CatalogTool) -> Signature {
    signature::signature(tool.input())
}

/// The TypeScript folder of one server. Its files import [`typescript_client`].
#[must_use]
pub fn typescript_server(server: &CatalogServer) -> Vec<SourceFile> {
    typescript::folder(&server.into())
}

/// The files of one server under more of its tools' own names than can be written to every disk:
/// `GetDocument.ts`, `documents/get.py`. `files` are those that there are.
#[must_use]
pub fn unwritten_names(server: &CatalogServer, files: &[SourceFile]) -> Vec<SourceFile> {
    layout::unwritten(&server.into(), files)
}

/// `client.ts`, which stands once beside all folders of servers.
#[must_use]
pub fn typescript_client() -> SourceFile {
    SourceFile { path: "client.ts".to_owned(), text: typescript::CLIENT.into() }
}

/// `README.md`: how tools are called and which servers there are, for a model to read.
#[must_use]
pub fn readme(catalog: &Catalog) -> SourceFile {
    SourceFile { path: "README.md".to_owned(), text: readme::readme(catalog).into() }
}

/// The Python module of one tool.
#[must_use]
pub fn python_tool(tool: &CatalogTool) -> String {
    python::module(&tool.into())
}

/// The TypeScript file of one tool.
#[must_use]
pub fn typescript_tool(tool: &CatalogTool) -> String {
    typescript::module(&tool.into())
}

/// How a tool is called from Python, below the types of what it takes and returns.
#[must_use]
pub fn typed_signature(tool: &CatalogTool) -> String {
    python::typed_signature(&tool.into())
}

/// How a tool is called from TypeScript, below the types of what it takes and returns.
#[must_use]
pub fn typescript_signature(tool: &CatalogTool) -> String {
    typescript::typed_signature(&tool.into())
}

/// How a tool is called from Python, on one line: `async def search(query: str) -> Any`.
#[must_use]
pub fn signature(tool: &CatalogTool) -> String {
    python::signature(&tool.into())
}
