//! Entries for other programs: as JSON lines, or as a table.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use crate::calendar::iso;
use crate::entry::Source;
use crate::filter::Filter;
use crate::search::{Hit, SearchError, What, search};
use crate::word::Outcome;

/// How entries are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The lines of the log as they are, hashes included.
    JsonLines,
    /// Comma-separated values with a header, safe to open in a spreadsheet.
    Csv,
}

/// What was exported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    /// Lines that were written.
    pub lines: u64,
    /// Places in the log that could not be read.
    pub unreadable: u64,
}

/// The columns of the table.
const COLUMNS: [&str; 11] = [
    "seq", "time", "kind", "owner", "session", "run", "subject", "outcome", "details", "source",
    "redacted",
];

/// Writes what a search finds.
pub fn export(
    folder: &Path,
    filter: &Filter,
    format: Format,
    out: &mut dyn Write,
) -> io::Result<Exported> {
    let mut exported = Exported::default();
    if format == Format::Csv {
        row(out, COLUMNS.map(Cow::Borrowed))?;
    }
    for hit in search(folder, filter)? {
        match (hit, format) {
            (Ok(hit), Format::JsonLines) => writeln!(out, "{}", hit.line)?,
            (Ok(hit), Format::Csv) => row(out, cells(&hit))?,
            (Err(SearchError::Disk { source, .. }), _) => return Err(source),
            (Err(SearchError::NoLine { .. }), _) => {
                exported.unreadable += 1;
                continue;
            }
        }
        exported.lines += 1;
    }
    out.flush()?;
    Ok(exported)
}

fn cells(hit: &Hit) -> [Cow<'_, str>; 11] {
    let mut cells = [const { Cow::Borrowed("") }; 11];
    cells[0] = hit.seq.to_string().into();
    match &hit.what {
        What::Redacted(mark) => {
            cells[10] = format!("{} by {}: {}", iso(mark.at), mark.by, mark.why).into();
        }
        What::Entry(entry) => {
            cells[1] = iso(entry.time).into();
            cells[2] = entry.kind.name().into();
            cells[3] = entry.owner.as_str().into();
            cells[4] = entry.session.as_str().into();
            cells[5] = entry.run.as_str().into();
            cells[6] = entry.subject.as_str().into();
            cells[7] = entry.outcome.as_ref().map_or("", Outcome::name).into();
            if !entry.details.is_null() {
                cells[8] = entry.details.to_string().into();
            }
            cells[9] = match &entry.source {
                Some(Source::Text(text)) => text.as_str().into(),
                Some(Source::Sha256(hash)) => format!("sha256:{hash}").into(),
                None => "".into(),
            };
        }
    }
    cells
}

fn row(out: &mut dyn Write, cells: [Cow<'_, str>; 11]) -> io::Result<()> {
    let row = cells.map(|cell| format!("\"{}\"", safe(&cell).replace('"', "\"\"")));
    write!(out, "{}\r\n", row.join(","))
}

/// A cell that a spreadsheet shows and does not compute.
///
/// Some compute what begins with one of these signs even in quotes, also behind spaces, and also
/// the wide forms of East Asian scripts. The names in a log come from programs and strangers.
fn safe(cell: &str) -> Cow<'_, str> {
    let starts = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠'];
    let cell = visible(cell);
    let shown = cell.trim_start_matches([' ', '\u{a0}', '\u{feff}', '\u{200b}']);
    if shown.starts_with(starts) { format!("'{cell}").into() } else { cell }
}

/// A cell that a terminal shows and does not carry out, written as Rust would where it would do more than that.
fn visible(cell: &str) -> Cow<'_, str> {
    let is_command = |letter: char| {
        letter.is_control() && !matches!(letter, '\t' | '\r' | '\n')
            || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !cell.contains(|letter| letter == '\r' || is_command(letter)) {
        return cell.into();
    }
    let mut shown = String::with_capacity(cell.len() + 8);
    let mut letters = cell.chars().peekable();
    while let Some(letter) = letters.next() {
        // A line that begins anew is written over; one that ends is not.
        let is_return = letter == '\r' && letters.peek() != Some(&'\n');
        if is_return || is_command(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for cell in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\u{a0}=1", "＝1", "\r\n=1"] {
            assert!(safe(cell).starts_with('\''), "{cell:?}");
        }
        for cell in ["", "a=1", "crm.search", "{\"a\":1}", "7"] {
            assert_eq!(safe(cell), cell);
        }
    }

    #[test]
    fn no_cell_is_a_command_to_a_terminal() {
        let cell = "x = '\u{1b}]0;title\u{7}\u{9b}2J\u{202e}'\n\ty = 'é\u{200d}'";
        let shown = safe(cell);
        assert_eq!(shown, "x = '\\u{1b}]0;title\\u{7}\\u{9b}2J\\u{202e}'\n\ty = 'é\u{200d}'");
        assert_eq!(safe("\0=1"), "\\u{0}=1");
        assert_eq!(safe("a\rb\r\nc"), "a\\u{d}b\r\nc");
    }

    #[test]
    fn quotes_commas_and_line_ends_stay_in_their_cell() {
        let mut out = Vec::new();
        let mut cells = [const { Cow::Borrowed("") }; 11];
        cells[0] = "a \"b\", c\nd".into();
        row(&mut out, cells).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("\"a \"\"b\"\", c\nd\",\"\","), "{text}");
    }
}
