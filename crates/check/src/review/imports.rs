//! Imports against the list of the level, and modules that are a finding by themselves.

use ruff_python_ast::{Alias, AnyNodeRef};
use ruff_text_size::{Ranged as _, TextRange};

use super::{Found, Rule};
use crate::names::Names;
use crate::tree::Tree;

/// Modules that are a finding wherever they are imported, and what they are for.
const MODULES: &[(&str, Rule, &str)] = &[
    ("ctypes", Rule::NativeCode, "reaches for machine code"),
    ("_ctypes", Rule::NativeCode, "reaches for machine code"),
    ("cffi", Rule::NativeCode, "reaches for machine code"),
    ("_cffi_backend", Rule::NativeCode, "reaches for machine code"),
    ("runpy", Rule::DynamicExecution, "runs files as programs"),
    ("code", Rule::DynamicExecution, "runs text as code"),
    ("codeop", Rule::DynamicExecution, "makes code of text"),
    ("_testcapi", Rule::NativeCode, "reaches into the interpreter"),
    ("_testinternalcapi", Rule::NativeCode, "reaches into the interpreter"),
    ("_xxsubinterpreters", Rule::InterpreterChange, "starts other interpreters"),
    ("_imp", Rule::DynamicImport, "loads modules by itself"),
    ("_frozen_importlib", Rule::DynamicImport, "loads modules by itself"),
    ("_frozen_importlib_external", Rule::DynamicImport, "loads modules by itself"),
    ("zipimport", Rule::DynamicImport, "loads modules by itself"),
    ("subprocess", Rule::ProcessOrNetwork, "starts processes, of which the sandbox has none"),
    ("_posixsubprocess", Rule::ProcessOrNetwork, "starts processes, of which the sandbox has none"),
    ("multiprocessing", Rule::ProcessOrNetwork, "starts processes, of which the sandbox has none"),
    ("pty", Rule::ProcessOrNetwork, "starts processes, of which the sandbox has none"),
    ("socket", Rule::ProcessOrNetwork, "opens sockets, of which the sandbox has none"),
    ("_socket", Rule::ProcessOrNetwork, "opens sockets, of which the sandbox has none"),
    ("ssl", Rule::ProcessOrNetwork, "opens sockets, of which the sandbox has none"),
    ("ftplib", Rule::ProcessOrNetwork, "opens sockets, of which the sandbox has none"),
    ("smtplib", Rule::ProcessOrNetwork, "opens sockets, of which the sandbox has none"),
    ("telnetlib", Rule::ProcessOrNetwork, "opens sockets, of which the sandbox has none"),
];

/// Finds imports that are not allowed, or worth knowing.
pub(super) fn find(
    tree: &Tree<'_>,
    names: &Names<'_, '_>,
    allowed: Option<&[String]>,
    found: &mut Vec<Found>,
) {
    for (_, node) in tree.all() {
        match node {
            AnyNodeRef::StmtImport(import) => {
                for Alias { name, .. } in &import.names {
                    one(name.as_str(), name.range(), names, allowed, found);
                }
            }
            AnyNodeRef::StmtImportFrom(import) if import.level == 0 => {
                if let Some(name) = &import.module {
                    one(name.as_str(), name.range(), names, allowed, found);
                }
            }
            _ => {}
        }
    }
}

/// Judges one module that is imported.
pub(super) fn one(
    module: &str,
    range: TextRange,
    names: &Names<'_, '_>,
    allowed: Option<&[String]>,
    found: &mut Vec<Found>,
) {
    let root = module.split('.').next().unwrap_or_default();
    // The rule of the guest: what is allowed, servers, also by their own name, and skills.
    let is_allowed = |allowed: &[String]| {
        let is_listed = allowed.iter().any(|name| name == root);
        is_listed || ["servers", "skills"].contains(&root) || names.servers.is_free(root)
    };
    if allowed.is_some_and(|allowed| !is_allowed(allowed)) {
        let message = format!("imports `{root}`, which this level does not list");
        found.push(Found { rule: Rule::ImportNotAllowed, range, message });
    }
    if let Some((_, rule, does)) = MODULES.iter().find(|(name, ..)| *name == root) {
        let message = format!("imports `{root}`, which {does}");
        found.push(Found { rule: *rule, range, message });
    }
}
