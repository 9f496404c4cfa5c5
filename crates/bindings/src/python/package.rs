//! The package of one server.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::{literal, module};
use crate::SourceFile;
use crate::layout::{self, Case, Layout};
use crate::target::{Server, Target};
use crate::text;

/// How much of a server's description its package repeats, in characters.
const LONGEST_DESCRIPTION: usize = 2_000;

/// All files of a server's package.
pub(crate) fn package(server: &Server<'_>) -> Vec<SourceFile> {
    let mut layout = Layout::new(Case::Free);
    layout.add("__init__.py".to_owned(), init(server));
    layout.add(".server.json".to_owned(), layout::server_json(server));
    let modules: Vec<Arc<str>> = server.tools.iter().map(|tool| module(tool).into()).collect();
    for (target, text) in server.tools.iter().zip(&modules) {
        layout.add(format!("{}.py", target.python), Arc::clone(text));
    }
    for (target, text) in server.tools.iter().zip(&modules) {
        layout.add_original(&target.tool.name.0, "py", text);
    }
    layout.finish(server)
}

/// The package itself: it knows which function is in which module and imports none of them.
fn init(server: &Server<'_>) -> String {
    let mut out = literal::docstring(&about(server), "");
    out.push_str(
        "\nfrom servers import lazy\n\n__getattr__, __dir__, __all__ = lazy(__name__, {\n",
    );
    let identifiers: HashSet<&str> = server.tools.iter().map(|target| target.python).collect();
    let mut taken = identifiers.clone();
    // A tool's own name beats the other language's spelling of another.
    let originals: Vec<Option<&str>> = server
        .tools
        .iter()
        .map(|target| Some(target.tool.name.0.as_str()).filter(|name| taken.insert(name)))
        .collect();
    for (target, original) in server.tools.iter().zip(originals) {
        let other = Some(target.typescript).filter(|name| taken.insert(name));
        out.push_str("   ");
        for name in [Some(target.python), original, other].into_iter().flatten() {
            if name == target.python || literal::is_field_name(name) {
                let _ = write!(out, " \"{name}\": \"{}\",", target.python);
            }
        }
        out.push('\n');
    }
    out.push_str("})\n");
    out
}

fn about(server: &Server<'_>) -> String {
    let listing = server.listing;
    let name = text::one_line(server.name, 100);
    let mut about = match &listing.title {
        Some(title) if *title != server.name => format!("{} ({name})", text::one_line(title, 100)),
        _ => name,
    };
    if let Some(version) = &listing.version {
        let _ = write!(about, ", version {}", text::one_line(version, 40));
    }
    let tools = match server.tools.as_slice() {
        [_] => "1 tool".to_owned(),
        tools => format!("{} tools", tools.len()),
    };
    let _ = write!(about, ": {tools}.");
    let description = listing.description.as_deref().unwrap_or_default();
    let description = text::paragraph(description, LONGEST_DESCRIPTION);
    if !description.is_empty() {
        let _ = write!(about, "\n\n{description}");
    }
    if let Some(Target { python, .. }) = server.tools.first() {
        let _ = write!(about, "\n\n    from servers.{} import {python}", server.package);
    }
    about
}
