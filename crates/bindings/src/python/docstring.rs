//! What a generated function says about itself: the server's words, each parameter, a call.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::literal;
use crate::parameters::Parameters;
use crate::suggestion::Suggestions;
use crate::target::Target;
use crate::{text, words};

/// How much is kept of what one parameter means, in characters.
const LONGEST_MEANING: usize = 800;
/// Where a call is broken into one line for each argument.
const LINE: usize = 88;

/// The text of a function's docstring, not yet escaped.
pub(crate) fn text(target: &Target<'_>, parameters: &Parameters<'_>, names: &[String]) -> String {
    let mut out = words::summary(target);
    arguments(parameters, names, &mut out);
    if let Some(returns) = words::returns(target) {
        let _ = write!(out, "\n\nReturns: {}", text::indent(&returns, "    ").trim_start());
    }
    let mut notes = words::notes(target);
    if parameters.merged {
        notes.insert(
            0,
            "there are several ways to call this; not all parameters go together".into(),
        );
    }
    if !notes.is_empty() {
        let _ = write!(out, "\n\nNote: {}", notes.join("\n    "));
    }
    let _ = write!(out, "\n\nExample:\n{}", text::indent(&call(target, parameters, names), "    "));
    out
}

fn arguments(parameters: &Parameters<'_>, names: &[String], out: &mut String) {
    let mut lines = String::new();
    for (field, name) in parameters.fields.iter().zip(names) {
        let meaning = words::meaning(field, LONGEST_MEANING, literal::value);
        if !meaning.is_empty() {
            let meaning = text::indent(&meaning, "        ");
            let _ = write!(lines, "\n    {name}: {}", meaning.trim_start());
        }
    }
    if !lines.is_empty() {
        let _ = write!(out, "\n\nArgs:{lines}");
    }
}

/// The import and a call with all required parameters.
fn call(target: &Target<'_>, parameters: &Parameters<'_>, names: &[String]) -> String {
    let suggestions = Suggestions::new(target.input);
    let keys = parameters.fields.iter().map(|field| field.name.as_str());
    let names: HashMap<&str, &String> = keys.zip(names).collect();
    let required = parameters.first.iter().filter(|field| field.required);
    let arguments: Vec<String> = required
        .filter_map(|field| {
            let name = names.get(field.name.as_str())?;
            Some(format!("{name}={}", literal::value(&suggestions.of(field))))
        })
        .collect();
    let function = target.python;
    let mut call = format!("result = await {function}({})", arguments.join(", "));
    if call.chars().count() > LINE && !arguments.is_empty() {
        call = format!("result = await {function}(\n    {},\n)", arguments.join(",\n    "));
    }
    format!("from servers.{} import {function}\n{call}", target.package)
}
