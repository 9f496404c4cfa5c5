//! Files that only a type checker reads: the types of results, and functions that give them.

use std::fmt::Write as _;

use catalog::schema::Shape;

use super::package;
use super::types::Types;
use crate::SourceFile;
use crate::target::{Server, Target};
use crate::type_names::{TypeNames, in_order};

/// What the names of classes begin with that were learned, in stubs. No class of another kind does.
pub(crate) const LEARNED: &str = "Learned__";

/// The stubs of a server's package: `github/__init__.pyi` and one file for each tool.
pub(crate) fn stubs(server: &Server<'_>) -> Vec<SourceFile> {
    let mut files = vec![SourceFile {
        path: format!("{}/__init__.pyi", server.package),
        text: init(server).into(),
    }];
    files.extend(server.tools.iter().map(|target| SourceFile {
        path: format!("{}/{}.pyi", server.package, target.python),
        text: module(target).into(),
    }));
    files
}

/// Every name of every tool. Other names give anything: who asks for them is told elsewhere.
fn init(server: &Server<'_>) -> String {
    let mut out = String::from("from typing import Any\n");
    for names in package::names(server) {
        let module = names[0];
        let _ =
            writeln!(out, "from servers.{}.{module} import {module} as {module}", server.package);
        // Only a name that stays the same is one that others may import.
        for name in &names[1..] {
            let _ = writeln!(out, "{name} = {module}");
        }
    }
    out.push_str("def __getattr__(name: str) -> Any: ...\n");
    out
}

fn module(target: &Target<'_>) -> String {
    let mut type_names = TypeNames::choose(
        target.typescript,
        target.input,
        target.output,
        &["Any", "Literal", "NotRequired", "ToolCall", "TypedDict", target.python],
    );
    // A learned type says what came so far. The next result may be another, and a program that is
    // right about it must not be held back: all that comes of it is advice.
    let is_learned = target.learned.is_some();
    if is_learned {
        for name in &mut type_names.output {
            name.insert_str(0, LEARNED);
        }
    }
    let of = if is_learned { Types::tentative } else { Types::for_checker };
    let mut types = of(&type_names.output);
    let root = target.output.map_or(&Shape::Any, |output| &output.root);
    let classes = target.output.map_or_else(String::new, |schema| {
        types.classes(schema, &in_order(&schema.definitions, [root]))
    });
    let result = types.annotation(root);
    let function = target.python;
    format!(
        "from typing import Any, Literal, NotRequired, TypedDict\nfrom tidegate import ToolCall\n\n\
         {classes}def {function}(*arguments: Any, **named: Any) -> ToolCall[{result}]: ...\n\
         def __getattr__(name: str) -> Any: ...\n"
    )
}
