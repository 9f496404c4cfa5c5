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
///
/// A line for each tool, the module first. As one string it compiles fifteen times as fast as
/// a dictionary of several hundred entries.
fn init(server: &Server<'_>) -> String {
    let mut out = literal::docstring(&about(server), "");
    out.push_str(
        "\nfrom servers import lazy\n\n\
         __getattr__, __dir__, __all__ = lazy(__name__, {\n    \
         name: names.split()[0] for names in \"\"\"\\\n",
    );
    for names in names(server) {
        let _ = writeln!(out, "{}", names.join(" "));
    }
    out.push_str("\"\"\".splitlines() for name in names.split()\n})\n");
    out
}

/// What each tool can be imported as: its identifier, then its own name and the other
/// language's, where Python could say them and no other tool has them.
pub(super) fn names<'a>(server: &Server<'a>) -> Vec<Vec<&'a str>> {
    let mut taken: HashSet<&str> = server.tools.iter().map(|target| target.python).collect();
    let mut names: Vec<Vec<&str>> = server.tools.iter().map(|target| vec![target.python]).collect();
    let mut add = |of: fn(&Target<'a>) -> &'a str| {
        for (names, target) in names.iter_mut().zip(&server.tools) {
            let name = of(target);
            if literal::is_field_name(name) && taken.insert(name) {
                names.push(name);
            }
        }
    };
    // A tool's own name beats the other language's spelling of another.
    add(|target| &target.tool.name.0);
    add(|target| target.typescript);
    names
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
