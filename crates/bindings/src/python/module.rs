//! The module of one tool.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use catalog::names;
use catalog::schema::Shape;

use super::types::Types;
use super::{docstring, literal};
use crate::parameters::{Parameters, mentions_null, parameters};
use crate::target::Target;
use crate::text;
use crate::type_names::{TypeNames, in_order};
use crate::words;

/// Names that a type must not have: what modules import, and what Python itself calls so.
const TAKEN: &str = "Any Literal NotRequired TypedDict UNSET False None True Ellipsis NotImplemented \
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup \
    BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError \
    ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError \
    DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup \
    FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError \
    ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError \
    KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError \
    NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning \
    PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError \
    ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError \
    SyntaxWarning SystemError SystemExit TabError TimeoutError ToolError TypeError \
    UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError \
    UnicodeWarning UserWarning ValueError Warning ZeroDivisionError";

/// What a module says with Python's own words or imports, so that they must keep their meaning.
/// No function is called so: the catalog sees to that.
const NEEDED: &[&str] = &["bool", "dict", "float", "int", "list", "str", "tool", "tuple"];

/// The whole module.
pub(crate) fn module(target: &Target<'_>) -> String {
    let parts = Parts::of(target);
    let mut out = header(target, &parts);
    out.push_str(&parts.classes);
    let original = literal::string(&target.tool.name.0);
    let _ = write!(out, "@tool({}, {original}", literal::string(target.server));
    let renamed: Vec<String> = renamed(&parts).collect();
    if !renamed.is_empty() {
        let _ = write!(out, ", {{{}}}", renamed.join(", "));
    }
    out.push_str(")\n");
    // The guest reads a module of this form without compiling it.
    let line = if parts.written.is_empty() { parts.line(target) } else { parts.lines(target) };
    let said = docstring::text(target, &parts.parameters, &parts.names);
    let said = literal::docstring(&said, "    ");
    let _ = write!(out, "{line}:\n    {said}\n    ...\n");
    if let Some(alias) = alias(target, &parts) {
        let _ = write!(out, "\n\n{alias} = {}\n", target.python);
    }
    out
}

/// The function's signature on one line.
pub(crate) fn signature(target: &Target<'_>) -> String {
    Parts::of(target).line(target)
}

/// The signature below the types it speaks of, and a word on where a learned one comes from.
pub(crate) fn typed_signature(target: &Target<'_>) -> String {
    let parts = Parts::of(target);
    let returns = words::returns(target).filter(|_| target.learned.is_some());
    let returns = returns.map_or_else(String::new, |said| format!("  # returns: {said}"));
    format!("{}{}{returns}", parts.classes, parts.line(target))
}

/// What a module is put together from.
struct Parts<'a> {
    parameters: Parameters<'a>,
    /// What each parameter is called in Python.
    names: Vec<String>,
    /// Each parameter as it stands in the signature, and the stars between them.
    written: Vec<String>,
    result: String,
    classes: String,
    type_names: TypeNames,
    typing: BTreeSet<&'static str>,
    unset: bool,
}

impl<'a> Parts<'a> {
    fn of(target: &Target<'a>) -> Self {
        let function = target.python;
        let mut taken: Vec<&str> = TAKEN.split(' ').collect();
        taken.extend([function, target.tool.name.0.as_str()]);
        let type_names = TypeNames::choose(target.typescript, target.input, target.output, &taken);

        let parameters = parameters(target.input);
        let roots = parameters.fields.iter().map(|field| &field.shape).chain(parameters.extra);
        let mut input = Types::new(&type_names.input);
        let order = in_order(&target.input.definitions, roots);
        let mut classes = input.classes(target.input, &order);
        let names = names::parameters(&parameters.fields);
        let (written, unset) = written(&mut input, &parameters, &names);
        let mut typing = input.typing;

        let mut output = Types::new(&type_names.output);
        let root = target.output.map_or(&Shape::Any, |output| &output.root);
        if let Some(schema) = target.output {
            let order = in_order(&schema.definitions, [root]);
            classes.push_str(&output.classes(schema, &order));
        }
        let result = output.annotation(root);
        typing.append(&mut output.typing);
        Self { parameters, names, written, result, classes, type_names, typing, unset }
    }

    fn line(&self, target: &Target<'_>) -> String {
        format!("async def {}({}) -> {}", target.python, self.written.join(", "), self.result)
    }

    fn lines(&self, target: &Target<'_>) -> String {
        let parameters = self.written.join(",\n    ");
        format!("async def {}(\n    {parameters},\n) -> {}", target.python, self.result)
    }
}

/// The parameters of the signature, and whether one of them has `UNSET` as its default.
fn written(
    types: &mut Types<'_>,
    parameters: &Parameters<'_>,
    names: &[String],
) -> (Vec<String>, bool) {
    let mut written = Vec::new();
    let mut unset = false;
    let mut starred = false;
    for (field, name) in parameters.fields.iter().zip(names) {
        let annotation = types.annotation(&field.shape);
        if field.required {
            written.push(format!("{name}: {annotation}"));
            continue;
        }
        if !std::mem::replace(&mut starred, true) {
            written.push("*".to_owned());
        }
        // `None` means that nothing is sent, except where null is something to send.
        let default = if mentions_null(&field.shape) {
            unset = true;
            format!("{annotation} = UNSET")
        } else if field.shape == Shape::Any {
            format!("{annotation} = None")
        } else {
            format!("{annotation} | None = None")
        };
        written.push(format!("{name}: {default}"));
    }
    if let Some(extra) = parameters.extra {
        let mut name = if names.is_empty() { "arguments" } else { "extra" }.to_owned();
        while names.contains(&name) {
            name.push('_');
        }
        written.push(format!("**{name}: {}", types.annotation(extra)));
    }
    (written, unset)
}

/// The parameters whose key is not their name.
fn renamed(parts: &Parts<'_>) -> impl Iterator<Item = String> {
    let pairs = parts.parameters.fields.iter().zip(&parts.names);
    pairs
        .filter(|(field, name)| field.name != **name)
        .map(|(field, name)| format!("{}: {}", literal::string(name), literal::string(&field.name)))
}

/// The tool's full name, for whoever searches, and the imports.
fn header(target: &Target<'_>, parts: &Parts<'_>) -> String {
    let name = format!("{}.{}", target.server, target.tool.name);
    let mut out = literal::docstring(&text::one_line(&name, 300), "");
    out.push('\n');
    if !parts.typing.is_empty() {
        let names: Vec<&str> = parts.typing.iter().copied().collect();
        let _ = writeln!(out, "from typing import {}", names.join(", "));
    }
    let unset = if parts.unset { "UNSET, " } else { "" };
    let _ = write!(out, "\nfrom servers import {unset}tool\n\n\n");
    out
}

/// The tool's own name, where Python could say it and it means nothing else here.
fn alias<'a>(target: &Target<'a>, parts: &Parts<'_>) -> Option<&'a str> {
    let name = target.tool.name.0.as_str();
    let types = &parts.type_names;
    let taken = name == target.python
        || NEEDED.contains(&name)
        || TAKEN.split(' ').any(|taken| taken == name)
        || types.input.iter().chain(&types.output).any(|taken| taken == name);
    (literal::is_field_name(name) && !taken).then_some(name)
}
