//! Outcomes for people: the value, the error, and what else a run has to say.

mod artifacts;
mod frame;
mod json;

use std::io;

use anyhow::Context as _;
use comfy_table::{Cell, Table, presets};
use engine::{Outcome, ProgramError};

pub(crate) use self::artifacts::write as write_artifacts;
use crate::exit::Ending;
use crate::out::{self, BAD, DIM, HINT};

/// Columns a value may take before it is broken into lines.
const WIDTH: usize = 88;

/// How a text that is a value is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// As it is, for whoever reads on in a pipe.
    Plain,
    /// In quotes, so that `1` and `"1"` look different.
    Quoted,
}

/// An empty table in the style of all tables here.
pub(crate) fn table<T: ToString>(header: impl IntoIterator<Item = T>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.into_iter().map(Cell::new));
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    table
}

/// Prints the value of a run to standard output; nothing if it is null.
pub(crate) fn value(outcome: &Outcome, texts: Texts) -> io::Result<()> {
    match outcome.return_value.get() {
        "null" => Ok(()),
        raw => out::foreign_line(&value_text(raw, texts)),
    }
}

/// Prints the rows that an analysis gave, as many as were asked for, or another result of it.
pub(crate) fn rows(outcome: &Outcome, most: Option<u64>) -> io::Result<()> {
    let most = most.map_or(frame::ROWS, |most| usize::try_from(most).unwrap_or(usize::MAX));
    match outcome.return_value.get() {
        "null" => Ok(()),
        raw => out::foreign_line(&value_with_rows(raw, Texts::Plain, most)),
    }
}

/// A JSON value as people read it.
pub(crate) fn value_text(raw: &str, texts: Texts) -> String {
    value_with_rows(raw, texts, frame::ROWS)
}

fn value_with_rows(raw: &str, texts: Texts, most: usize) -> String {
    let node = json::Node::parse(raw);
    if let Some(table) = frame::table(&node, most) {
        return table;
    }
    match node.text().filter(|_| texts == Texts::Plain) {
        Some(text) => text,
        None => node.pretty(WIDTH),
    }
}

/// Says on standard error how a run failed and what to try.
pub(crate) fn error(error: &ProgramError, with_traceback: bool) {
    let ProgramError { kind, message, .. } = error;
    if with_traceback && let Some(traceback) = &error.traceback {
        out::tell(format_args!("{DIM}{}{DIM:#}", out::clean(traceback.trim_end())));
    }
    let (kind, message) = (out::clean(kind), out::clean(message));
    let colon = if message.is_empty() { "" } else { ": " };
    out::tell(format_args!("{BAD}{kind}{BAD:#}{colon}{message}"));
    // The check shows the line of each finding itself.
    let shown = error.source_line.as_ref().filter(|_| error.kind != "CheckError");
    if let (Some(line), Some(source)) = (error.line, shown) {
        out::tell(place(line, error.column, &out::clean(source)));
    }
    if let Some(hint) = &error.hint {
        out::tell(format_args!("{HINT}hint:{HINT:#} {}", out::clean(hint)));
    }
}

/// The line that failed, with a caret under the column.
fn place(line: u32, column: Option<u32>, source: &str) -> String {
    let label = format!("  line {line} | ");
    let shown = source.trim_start();
    let removed = source.chars().count() - shown.chars().count();
    let column = column.and_then(|column| usize::try_from(column).ok());
    let caret = column.and_then(|column| column.checked_sub(removed + 1));
    match caret.filter(|at| *at <= shown.chars().count()) {
        Some(at) => format!("{label}{shown}\n{:>1$} {2:>3$}", "|", label.len() - 1, "^", at + 1),
        None => format!("{label}{shown}"),
    }
}

/// Prints what `--json` promises: one object on one line.
pub(crate) fn outcome_json(outcome: &Outcome) -> anyhow::Result<()> {
    let text = serde_json::to_string(outcome).context("could not write the outcome as JSON")?;
    out::line(text).context(LOST)
}

/// Prints an object of the same form for a run that could not even begin, and tells people.
pub(crate) fn failure_json(error: &anyhow::Error) -> anyhow::Result<()> {
    let kind = match Ending::of_error(error) {
        Ending::Misused => "UsageError",
        _ => "RuntimeUnavailable",
    };
    out::problem(error);
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let error = ProgramError {
        kind: kind.to_owned(),
        message: causes.join(": "),
        ..ProgramError::default()
    };
    outcome_json(&Outcome::failed(error))
}

/// What to say when standard output cannot be written to.
pub(crate) const LOST: &str = "could not write to standard output; part of the result is lost, check where it is redirected to";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_column_though_indentation_is_removed() {
        assert_eq!(place(3, Some(9), "    x = nope"), "  line 3 | x = nope\n         |     ^");
        assert_eq!(place(3, None, "x"), "  line 3 | x");
        assert_eq!(place(3, Some(2), "     x"), "  line 3 | x");
    }

    #[test]
    fn a_text_is_printed_as_it_is_and_quoted_at_the_prompt() {
        assert_eq!(value_text(r#""a\nb""#, Texts::Plain), "a\nb");
        assert_eq!(value_text(r#""a""#, Texts::Quoted), r#""a""#);
    }
}
