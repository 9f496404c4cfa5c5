//! `tidegate analyze`: questions about the rows of a file, without a program.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use engine::{Context, Level, LimitKind, NoHost, Program, ProgramError, Start};
use gateway::service::analysis::{Analysis, KINDS};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::run::{CANCELLED, read_input};
use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::limits::{LimitOptions, Resolved, UsualLimits};
use crate::opened::{Choice, Opened, Ran};
use crate::out::{self, HINT};
use crate::show;

/// What operators are written as, the longer before those they begin with.
const SIGNS: [&str; 7] = ["==", "!=", "<=", ">=", "<", ">", "="];
/// Operators that are words.
const WORDS: [&str; 10] = [
    "in",
    "not_in",
    "between",
    "contains",
    "starts_with",
    "ends_with",
    "regex",
    "matches",
    "is_null",
    "not_null",
];

/// Those of them that compare text with text; `contains` also looks for any value in the lists of JSON.
const OF_TEXT: [&str; 4] = ["starts_with", "ends_with", "regex", "matches"];

/// Options of `tidegate analyze`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The rows: a CSV, TSV, JSON or JSON-lines file, or `-` for standard input.
    file: PathBuf,
    /// A condition, such as 'amount > 100', 'name contains lamp' or 'city = Ulm'; may
    /// be given several times.
    #[arg(long, value_name = "CONDITION")]
    filter: Vec<String>,
    /// One condition is enough, rather than all.
    #[arg(long)]
    any: bool,
    /// Group the rows by these fields.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    group_by: Vec<String>,
    /// Figures of the groups, such as count, sum:amount or p95:amount.
    #[arg(long, value_name = "FUNCTION:FIELD", value_delimiter = ',')]
    aggregate: Vec<String>,
    /// Describe the columns instead of listing rows.
    #[arg(long, conflicts_with_all = ["group_by", "aggregate", "select"])]
    describe: bool,
    /// The fields to show.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    select: Vec<String>,
    /// The order of the result; `-field` for falling.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', allow_hyphen_values = true)]
    sort: Vec<String>,
    /// How many rows at most.
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u64>,
    /// The list in a JSON object that has the rows, as a dotted path.
    #[arg(long, value_name = "PATH")]
    data_field: Option<String>,
    /// Another kind of analysis, with its --parameters.
    #[arg(long = "type", value_name = "KIND", value_parser = KINDS,
        conflicts_with_all = ["filter", "group_by", "aggregate", "describe", "select", "sort", "limit"])]
    kind: Option<String>,
    /// Parameters of the analysis: a JSON object, or `@file` with one.
    #[arg(long, value_name = "JSON|@FILE", requires = "kind")]
    parameters: Option<String>,
    /// Print the whole answer as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: UsualLimits,
}

/// Runs `tidegate analyze`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let resolved =
        LimitOptions::from(arguments.limits.clone()).resolve(|level| config.limits_of(level))?;
    resolved.warn();
    let program = program(&arguments)?;
    let engine = crate::runtime::engine(config).await?;
    let Resolved { level, limits, .. } = resolved;
    let start = Start { limits, host: Arc::new(NoHost), ..Start::default() };
    let choice = Choice { name: None, start, level, tools: None, checks: None };
    let mut opened = Opened::new(config, engine, choice).await?;
    let ran = opened.run(program).await;
    opened.close().await;
    let Ran::Ended(outcome, _) = ran? else {
        out::tell(CANCELLED);
        return Ok(Ending::Interrupted);
    };
    if let Some(error) = &outcome.error {
        show::error(&with_options(error.clone(), level), false);
        return Ok(Ending::of(&outcome));
    }
    let value: Value = serde_json::from_str(outcome.return_value.get()).unwrap_or_default();
    if let Some(problem) = value.get("problem").and_then(Value::as_str)
        && value.get("$type").is_some()
    {
        return Err(Misuse::error(format!(
            "the result is too large to be written out ({problem}); take fewer rows with --limit, fewer columns with --select, or group them"
        )));
    }
    for note in outcome.stderr.lines() {
        out::tell(format_args!("{HINT}note:{HINT:#} {}", out::clean(note)));
    }
    if arguments.json {
        out::line(outcome.return_value.get()).context(show::LOST)?;
    } else {
        show::rows(&outcome, arguments.limit).context(show::LOST)?;
    }
    Ok(Ending::of(&outcome))
}

/// The same error; for want of memory it names the options that help.
fn with_options(mut error: ProgramError, level: Level) -> ProgramError {
    if !error.kind.ends_with("MemoryError") && error.limit != Some(LimitKind::Memory) {
        return error;
    }
    let more = match level {
        Level::Development => "--memory",
        _ => "--level development",
    };
    // What was not even read is none the smaller for what is made of it.
    error.hint = Some(if error.message.starts_with("the context cannot be read") {
        format!(
            "The rows do not fit into the memory there is: {more} gives more, or take a part of the file. --limit and --select only make the result smaller."
        )
    } else {
        format!(
            "Take fewer rows with --limit or --filter, fewer columns with --select, or group them; {more} gives more memory."
        )
    });
    error
}

/// The program that carries it out.
fn program(arguments: &Arguments) -> anyhow::Result<Program> {
    let text = read_input(&arguments.file, "the rows")?;
    let (analysis_type, parameters) = request(arguments, has_lists(&text))?;
    let raw = |value: &Value| -> anyhow::Result<Box<RawValue>> {
        to_raw_value(value).context("could not write the request as JSON")
    };
    let data = to_raw_value(&text).context("could not write the rows as JSON")?;
    let analysis = Analysis { analysis_type, data, parameters: raw(&parameters)? };
    let (source, context) = analysis.program();
    if arguments.json {
        return Ok(Program { source, context, ..Program::default() });
    }
    // Rows make a table.
    let source = source.replace("return await analyze(request)", AS_TABLE);
    Ok(Program { source, context: Context::from_iter(context), ..Program::default() })
}

const AS_TABLE: &str = "return await analyze(request, True)";

/// Whether a cell may be a list: the rows are JSON.
fn has_lists(rows: &str) -> bool {
    rows.trim_start_matches('\u{feff}').trim_start().starts_with(['[', '{'])
}

/// The kind of analysis and its parameters, for rows whose cells may be lists or are none.
fn request(arguments: &Arguments, has_lists: bool) -> anyhow::Result<(String, Value)> {
    let mut parameters = Map::new();
    if let Some(kind) = &arguments.kind {
        let given = arguments.parameters.as_deref().unwrap_or("{}");
        let text = match given.strip_prefix('@') {
            Some(file) => read_input(std::path::Path::new(file), "the parameters")?,
            None => given.to_owned(),
        };
        parameters = serde_json::from_str(&text).map_err(|error| {
            Misuse::error(format!(
                "--parameters is no JSON object ({error}); quote it for the shell"
            ))
        })?;
        put_field(arguments, &mut parameters);
        return Ok((kind.clone(), Value::Object(parameters)));
    }
    put_field(arguments, &mut parameters);
    if !arguments.filter.is_empty() {
        let conditions: Result<Vec<Value>, anyhow::Error> =
            arguments.filter.iter().map(|text| condition(text, has_lists)).collect();
        parameters.insert("conditions".into(), Value::Array(conditions?));
        parameters.insert("logic".into(), json!(if arguments.any { "OR" } else { "AND" }));
    }
    if arguments.describe {
        return Ok(("describe".to_owned(), Value::Object(parameters)));
    }
    let is_aggregate = !arguments.group_by.is_empty() || !arguments.aggregate.is_empty();
    if !arguments.sort.is_empty() {
        parameters.insert("sort".into(), json!(arguments.sort));
    }
    if let Some(limit) = arguments.limit {
        parameters.insert("limit".into(), json!(limit));
    }
    if !is_aggregate {
        if !arguments.select.is_empty() {
            parameters.insert("select".into(), json!(arguments.select));
        }
        return Ok(("filter".to_owned(), Value::Object(parameters)));
    }
    if !arguments.select.is_empty() {
        return Err(Misuse::error("--select is for rows; groups have what --aggregate asks for"));
    }
    if !arguments.group_by.is_empty() {
        parameters.insert("group_by".into(), json!(arguments.group_by));
    }
    if !arguments.aggregate.is_empty() {
        let figures: Vec<Value> = arguments.aggregate.iter().map(|one| figure(one)).collect();
        parameters.insert("aggregations".into(), Value::Array(figures));
    }
    Ok(("aggregate".to_owned(), Value::Object(parameters)))
}

fn put_field(arguments: &Arguments, parameters: &mut Map<String, Value>) {
    if let Some(field) = &arguments.data_field {
        parameters.insert("data_field".into(), json!(field));
    }
}

/// `sum:amount`, or `count`.
fn figure(text: &str) -> Value {
    match text.split_once(':') {
        Some((function, field)) => json!({"function": function.trim(), "field": field.trim()}),
        None => json!({"function": text.trim()}),
    }
}

/// What is after an operator: JSON, or else text. For an operator of text a number is text, too.
fn value(text: &str, is_of_text: bool) -> Value {
    let text = text.trim();
    let json =
        serde_json::from_str(text).ok().filter(|json: &Value| !is_of_text || json.is_string());
    json.unwrap_or_else(|| Value::String(text.trim_matches('\'').to_owned()))
}

/// `amount > 100`, of rows whose cells may be lists or are none.
fn condition(text: &str, has_lists: bool) -> anyhow::Result<Value> {
    let made = |field: &str, operator: &str, given: &str| {
        let is_of_text = OF_TEXT.contains(&operator) || operator == "contains" && !has_lists;
        let value = value(given, is_of_text);
        let operator = match operator {
            "=" => "==",
            "matches" => "regex",
            other => other,
        };
        if operator.ends_with("null") {
            return json!({"field": field.trim(), "operator": operator});
        }
        json!({"field": field.trim(), "operator": operator, "value": value})
    };
    let mut signs: Vec<(usize, &str)> =
        SIGNS.iter().filter_map(|sign| Some((text.find(sign)?, *sign))).collect();
    // The first that occurs; of two at one place, the longer.
    signs.sort_by_key(|(at, sign)| (*at, std::cmp::Reverse(sign.len())));
    let sign = signs.first().map(|(at, sign)| (*at, *at + sign.len(), *sign));
    let word = WORDS.iter().filter_map(|word| {
        let at = text.find(&format!(" {word}"))?;
        let end = at + 1 + word.len();
        text[end..].chars().next().is_none_or(char::is_whitespace).then_some((at, end, *word))
    });
    let first = word.chain(sign).min_by_key(|(at, ..)| *at);
    match first.filter(|(at, ..)| *at > 0) {
        // `=>` is none, and its second half no part of a value.
        Some((at, end, _))
            if SIGNS.contains(&&text[at..end]) && text[end..].starts_with(['=', '<', '>', '!']) =>
        {
            let written: String =
                text[at..].chars().take_while(|letter| "=<>!".contains(*letter)).collect();
            Err(Misuse::error(format!(
                "--filter {text:?}: there is no operator {written}; there are {} {}",
                SIGNS.join(" "),
                WORDS.join(" ")
            )))
        }
        Some((at, end, operator)) => Ok(made(&text[..at], operator, &text[end..])),
        None => Err(Misuse::error(format!(
            "--filter {text:?} has no operator; write FIELD OPERATOR VALUE with one of {} {}",
            SIGNS.join(" "),
            WORDS.join(" ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn want_of_memory_names_the_options_that_help() {
        let hint = |kind: &str, message: &str, level| {
            let (kind, message) = (kind.to_owned(), message.to_owned());
            let error = ProgramError { kind, message, ..ProgramError::default() };
            with_options(error, level).hint.unwrap_or_default()
        };
        let hinted = hint("MemoryError", "filter of 9 rows needs more", Level::Production);
        for option in ["--limit", "--select", "--level development"] {
            assert!(hinted.contains(option), "{hinted}");
        }
        let unread = "the context cannot be read: there is not enough memory for it";
        let hinted = hint("MemoryError", unread, Level::Production);
        assert!(hinted.contains("--level development gives more"), "{hinted}");
        assert!(hint("_ArrayMemoryError", "", Level::Development).contains("--memory gives"));
        assert_eq!(hint("AnalysisError", "no column", Level::Production), "");
    }

    #[test]
    fn conditions_are_a_field_an_operator_and_json_or_text() {
        let of = |text: &str| condition(text, false).unwrap().to_string();
        assert_eq!(of("amount > 100"), r#"{"field":"amount","operator":">","value":100}"#);
        assert_eq!(of("a>=1"), r#"{"field":"a","operator":">=","value":1}"#);
        assert_eq!(of("city = Ulm"), r#"{"field":"city","operator":"==","value":"Ulm"}"#);
        assert_eq!(
            of("city != 'Bad Ems'"),
            r#"{"field":"city","operator":"!=","value":"Bad Ems"}"#
        );
        assert_eq!(of("city in [\"Ulm\"]"), r#"{"field":"city","operator":"in","value":["Ulm"]}"#);
        assert_eq!(
            of("note contains a > b"),
            r#"{"field":"note","operator":"contains","value":"a > b"}"#
        );
        assert_eq!(of("gone is_null"), r#"{"field":"gone","operator":"is_null"}"#);
        assert_eq!(of("born in inn"), r#"{"field":"born","operator":"in","value":"inn"}"#);
        for wrong in ["a => 1", "a >> 1", "a =< 1"] {
            assert!(
                condition(wrong, false).unwrap_err().to_string().contains("there is no operator")
            );
        }
        assert!(condition("nothing", false).unwrap_err().to_string().contains("no operator"));
        assert!(condition("> 3", false).is_err());
    }

    #[test]
    fn operators_of_text_take_a_number_as_text() {
        let value =
            |text: &str, rows: &str| condition(text, has_lists(rows)).unwrap()["value"].clone();
        let csv = "zip,name\n01234,a1\n";
        assert_eq!(value("name contains 2", csv), "2");
        assert_eq!(value("name contains 1.50", csv), "1.50");
        assert_eq!(value("name starts_with 01", csv), "01");
        assert_eq!(value("name ends_with true", csv), "true");
        assert_eq!(value("name regex [12]", csv), "[12]");
        assert_eq!(value("name matches \"a 1\"", csv), "a 1");
        assert_eq!(value("name contains '2'", csv), "2");
        assert_eq!(value("name = 2", csv), 2);
        assert_eq!(value("name = \"2\"", csv), "2");
        // The lists of JSON may hold numbers.
        for json in ["[{\"tags\": [2]}]", "\u{feff} {\"tags\": [2]}\n"] {
            assert_eq!(value("tags contains 2", json), 2);
            assert_eq!(value("name starts_with 2", json), "2");
        }
    }
}
