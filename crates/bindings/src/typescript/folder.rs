//! The folder of one server.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use catalog::names::THENABLE;

use super::{literal, module};
use crate::SourceFile;
use crate::layout::{self, Case, Layout};
use crate::target::Server;
use crate::text;

/// `client.ts`, which the files of all servers import.
///
/// Whoever runs the program provides the one function that it calls.
pub(crate) const CLIENT: &str = r#"/** Calls a tool: how it got here and where it goes is not the program's business. */
type Call = (server: string | null, tool: string, input: object) => Promise<unknown>;

declare global {
  var __tidegate_call: Call | undefined;
}

/** Calls `tool` of `server`, both by their own names. */
export async function callMCPTool<Result = any>(server: string, tool: string, input?: object): Promise<Result>;
/** Calls the only tool of that name, `createIssue` or `mcp__github__create_issue`. */
export async function callMCPTool<Result = any>(tool: string, input?: object): Promise<Result>;
export async function callMCPTool<Result>(first: string, second?: string | object, third?: object): Promise<Result> {
  const call = globalThis.__tidegate_call;
  if (call === undefined) {
    throw new Error("tools can only be called from a program that Tidegate runs");
  }
  const result = typeof second === "string"
    ? await call(first, second, third ?? {})
    : await call(null, first, second ?? {});
  return result as Result;
}
"#;

/// All files of a server's folder.
pub(crate) fn folder(server: &Server<'_>) -> Vec<SourceFile> {
    let mut layout = Layout::new(Case::Strict);
    layout.add("index.ts".to_owned(), index(server));
    layout.add(".server.json".to_owned(), layout::server_json(server));
    let modules: Vec<Arc<str>> = server.tools.iter().map(|tool| module(tool).into()).collect();
    for (target, text) in server.tools.iter().zip(&modules) {
        layout.add(format!("{}.ts", target.typescript), Arc::clone(text));
    }
    for (target, text) in server.tools.iter().zip(&modules) {
        layout.add_original(&target.tool.name.0, "ts", text);
    }
    layout.finish(server)
}

/// `index.ts`: every function under its own name, the tool's and Python's.
fn index(server: &Server<'_>) -> String {
    let about = server.listing.description.as_deref().or(server.listing.title.as_deref());
    let about = text::paragraph(about.unwrap_or(server.name), 2_000);
    let mut out = literal::comment(&about, "");
    let mut taken: HashSet<&str> = server.tools.iter().map(|target| target.typescript).collect();
    let free = |name: &str| literal::is_identifier(name) && !["default", THENABLE].contains(&name);
    let originals: Vec<Option<&str>> = server
        .tools
        .iter()
        .map(|target| Some(target.tool.name.0.as_str()))
        .map(|name| name.filter(|name| free(name) && taken.insert(name)))
        .collect();
    for (target, original) in server.tools.iter().zip(originals) {
        let function = target.typescript;
        let python = Some(target.python).filter(|name| free(name) && taken.insert(name));
        let _ = write!(out, "export {{ {function}");
        for alias in [original, python].into_iter().flatten() {
            let _ = write!(out, ", {function} as {alias}");
        }
        let _ = writeln!(out, " }} from \"./{function}.js\";");
    }
    if server.tools.is_empty() {
        out.push_str("export {};\n");
    }
    out
}
