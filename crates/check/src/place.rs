//! Bytes of the text that was parsed, as lines and columns of the one that was sent.

use ruff_text_size::TextSize;

use crate::finding::{Finding, Mistake, Severity};
use crate::text::Text;

/// The longest line that is shown, in characters.
const LONGEST_LINE: usize = 200;

/// Where the lines of a text begin.
pub(crate) struct Lines<'t> {
    text: &'t Text,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t Text) -> Self {
        let newlines =
            text.code.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(newlines).collect() }
    }

    /// How many lines there are.
    pub(crate) fn count(&self) -> u64 {
        let ends_with_one = self.text.code.ends_with('\n');
        (self.starts.len() - usize::from(ends_with_one)) as u64
    }

    /// A line as it was sent, from 1.
    pub(crate) fn line(&self, line: u32) -> &str {
        self.text.lines.get(line as usize - 1).map(String::as_str).unwrap_or_default()
    }

    /// Line and column, both from 1.
    pub(crate) fn place(&self, at: TextSize) -> (u32, u32) {
        let at = usize::from(at).min(self.text.code.len());
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let before = self.text.code.get(self.starts[line]..at).unwrap_or_default();
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        (number(line + 1), number(before.chars().count() + 1) + self.text.margin)
    }

    pub(crate) fn finding(&self, severity: Severity, mistake: Mistake) -> Finding {
        let (line, column) = self.place(mistake.range.start());
        let (end_line, end_column) = self.place(mistake.range.end());
        let source = self.line(line);
        let Mistake { code, message, valid, nearest, usage, .. } = mistake;
        Finding {
            severity,
            code,
            line,
            column,
            end_line,
            end_column,
            source: source.chars().take(LONGEST_LINE).collect(),
            message,
            valid,
            nearest,
            usage,
        }
    }
}
