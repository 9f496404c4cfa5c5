//! What models read of runs, tools and variables.

use std::fmt::Write as _;

use engine::{Context, Language};
use gateway::service::Record;
use gateway::{Found, FoundTool};
use serde_json::Value;

/// What a model reads of a run that is over.
pub(crate) fn of_run(record: &Record) -> String {
    let Some(ended) = &record.ended else { return "the program did not end".to_owned() };
    let shown = record.answer.as_ref().map(|answer| &answer.shown);
    let (value, stdout, stderr) = match shown {
        Some(shown) => (shown.value.get(), shown.stdout.as_str(), shown.stderr.as_str()),
        None => (ended.return_value.get(), ended.stdout.as_str(), ended.stderr.as_str()),
    };
    let error = record.answer.as_ref().and_then(|answer| answer.error.as_ref());
    let mut text = String::new();
    // Writing to a string does not fail.
    if let Some(error) = error.or(ended.error.as_ref()) {
        let _ = write!(text, "The program failed with {}: {}", error.kind, error.message);
        if let (Some(line), Some(source)) = (error.line, &error.source_line) {
            let _ = write!(text, "\nline {line}: {source}");
        }
        if let Some(hint) = &error.hint {
            let _ = write!(text, "\n{hint}");
        }
    } else {
        let _ = write!(text, "It returned: {value}");
    }
    for (name, printed) in [("It printed", stdout), ("On standard error", stderr)] {
        if !printed.is_empty() {
            let _ = write!(text, "\n{name}:\n{printed}");
        }
    }
    if let Some(note) = &ended.note {
        let _ = write!(text, "\nNote: {note}");
    }
    text
}

/// What a model reads of tools that were found.
pub(crate) fn of_tools(found: &Found, language: Language) -> String {
    if found.tools.is_empty() {
        return format!(
            "No function was found; compute with {} alone, or say that it cannot be done.",
            language.title()
        );
    }
    found.tools.iter().map(|tool| of_tool(tool, language)).collect::<Vec<_>>().join("\n\n")
}

fn of_tool(tool: &FoundTool, language: Language) -> String {
    let mut text = tool.import(language);
    if let Some(signature) = &tool.signature {
        let _ = write!(text, "\n{}", signature.trim_end());
    }
    let about = tool.description.as_deref().map(str::trim).filter(|about| !about.is_empty());
    if let Some(about) = about {
        let _ = write!(text, "\n    {}", about.replace('\n', "\n    "));
    }
    text
}

/// What a model is told of variables: their names and kinds, never their values.
pub(crate) fn of_variables(context: &Context, language: Language) -> String {
    let [null, boolean, string, array, object] = match language {
        Language::Python => ["None", "bool", "str", "list", "dict"],
        Language::TypeScript => ["null", "boolean", "string", "array", "object"],
    };
    let kind = |text: &str| match serde_json::from_str::<Value>(text) {
        Ok(Value::Null) => null,
        Ok(Value::Bool(_)) => boolean,
        Ok(Value::Number(_)) => "number",
        Ok(Value::String(_)) => string,
        Ok(Value::Array(_)) => array,
        Ok(Value::Object(map)) if map.contains_key("$secret") => "a secret, as secrets[name]",
        Ok(Value::Object(_)) | Err(_) => object,
    };
    let each = context.iter().map(|(name, value)| format!("{name} ({})", kind(value.get())));
    each.collect::<Vec<_>>().join(", ")
}
