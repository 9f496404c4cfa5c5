//! Replacements in a text, made all at once and without moving a line.

/// Replacements that do not overlap, in any order.
#[derive(Debug, Default)]
pub(crate) struct Edits(Vec<Edit>);

#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl Edits {
    /// Puts `text` in the place of what is between `start` and `end`.
    pub(crate) fn replace(&mut self, start: u32, end: u32, text: impl Into<String>) {
        self.0.push(Edit { start: start as usize, end: end as usize, text: text.into() });
    }

    /// Puts `text` before what is at `at`.
    pub(crate) fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(at, at, text);
    }

    /// The text with everything replaced. Newlines that a replacement takes away come after it
    /// again, so that every line keeps its number.
    pub(crate) fn apply(mut self, original: &str) -> String {
        // Stable: what is inserted at one place stays in the order it was asked for.
        self.0.sort_by_key(|edit| (edit.start, edit.end));
        let mut out = String::with_capacity(original.len() + 64 * self.0.len());
        let mut copied = 0;
        for edit in self.0 {
            let (Some(kept), Some(gone)) =
                (original.get(copied..edit.start), original.get(edit.start..edit.end))
            else {
                // Only one inside another could be out of order; the outer one says it all.
                continue;
            };
            out.push_str(kept);
            out.push_str(&edit.text);
            let lost = newlines(gone).saturating_sub(newlines(&edit.text));
            out.extend(std::iter::repeat_n('\n', lost));
            copied = edit.end;
        }
        out.push_str(original.get(copied..).unwrap_or_default());
        out
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::Edits;

    #[test]
    fn lines_keep_their_numbers() {
        let mut edits = Edits::default();
        edits.replace(4, 7, "X");
        edits.insert(0, "> ");
        assert_eq!(edits.apply("one\ntwo\nthree"), "> one\nX\nthree");
    }

    #[test]
    fn what_a_replacement_takes_away_in_lines_comes_after_it() {
        let mut edits = Edits::default();
        edits.replace(0, 7, "X");
        assert_eq!(edits.apply("one\ntwo\nthree"), "X\n\nthree");
    }
}
