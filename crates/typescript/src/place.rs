//! Places in a text, and what is wrong there.

use std::fmt;

/// The longest line that a problem repeats.
const LONGEST_LINE: usize = 500;

/// A place in the user's text, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl Place {
    /// Finds line and column of the code, both from 1, among `positions` of
    /// [`Prepared`](crate::Prepared::positions).
    #[must_use]
    pub fn find(positions: &[[u32; 4]], line: u32, column: u32) -> Option<Self> {
        let after =
            positions.partition_point(|&[at, column_at, ..]| (at, column_at) <= (line, column));
        let &[at, _, line_of, column_of] = positions.get(after.checked_sub(1)?)?;
        // A token of an earlier line says nothing about this one but that it follows.
        let column = if at == line { column_of } else { 1 };
        Some(Self { line: line_of, column })
    }
}

/// Which place of the code comes from which of the text: line and column there, line and column
/// here, all from 1, in the order of the code.
#[derive(Debug, Clone, Default)]
pub(crate) struct Map(Vec<[u32; 4]>);

impl Map {
    /// From tokens that are in order.
    pub(crate) fn new(tokens: Vec<[u32; 4]>) -> Self {
        Self(tokens)
    }

    pub(crate) fn tokens(&self) -> &[[u32; 4]] {
        &self.0
    }

    pub(crate) fn place(&self, line: u32, column: u32) -> Option<Place> {
        Place::find(&self.0, line, column)
    }

    /// The same for code that has `lines` more in front.
    pub(crate) fn lowered(mut self, lines: u32) -> Self {
        for token in &mut self.0 {
            token[0] = token[0].saturating_add(lines);
        }
        self
    }
}

/// Why a text is no program. Line and column are those of the text as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in the words of a compiler.
    pub message: String,
    /// Where, if it is somewhere.
    pub place: Option<Place>,
    /// That line.
    pub source_line: Option<String>,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
}

impl Problem {
    /// Something about the text as a whole.
    pub(crate) fn of_all(message: impl Into<String>, hint: &str) -> Self {
        let hint = Some(hint.to_owned());
        Self { message: message.into(), place: None, source_line: None, hint }
    }

    /// Something at the byte `at` of `text`.
    pub(crate) fn at(text: &str, at: usize, message: impl Into<String>) -> Self {
        let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = number(before.bytes().filter(|&byte| byte == b'\n').count() + 1);
        let column = number(text[start..at].chars().count() + 1);
        let source_line = text[start..].lines().next().unwrap_or_default();
        Self {
            message: message.into(),
            place: Some(Place { line, column }),
            source_line: Some(source_line.chars().take(LONGEST_LINE).collect()),
            hint: None,
        }
    }

    /// With advice.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.place {
            Some(Place { line, column }) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// A count as a number for people; nothing here is long enough for the difference.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_that_of_the_last_token_before_it() {
        let map = Map::new(vec![[1, 1, 4, 2], [1, 8, 4, 9], [3, 1, 7, 1]]);
        assert_eq!(map.place(1, 9), Some(Place { line: 4, column: 9 }));
        assert_eq!(map.place(2, 5), Some(Place { line: 4, column: 1 }));
        assert_eq!(map.lowered(2).place(3, 1), Some(Place { line: 4, column: 2 }));
    }

    #[test]
    fn a_problem_has_its_line() {
        let problem = Problem::at("a\nbä c\nd", 6, "no");
        assert_eq!(problem.place, Some(Place { line: 2, column: 4 }));
        assert_eq!(problem.source_line.as_deref(), Some("bä c"));
        assert_eq!(problem.to_string(), "no (line 2, column 4)");
    }

    #[test]
    fn no_place_lies_outside() {
        assert_eq!(Problem::at("ä", 1, "no").place, Some(Place { line: 1, column: 1 }));
        assert_eq!(Problem::at("", 9, "no").source_line.as_deref(), Some(""));
    }
}
