//! Words that somebody may have meant who wrote one that no tool has.

use std::sync::Arc;

/// How many words stand in for one that was mistyped.
const OFFERED: usize = 3;
/// Words shorter than this are not corrected: too many others are one slip away. They are without
/// their endings here, so that this is `file` and `time`.
const SHORTEST: usize = 3;

/// All words there are, ready to be compared.
#[derive(Debug, Default)]
pub(super) struct Known {
    words: Vec<(Letters, Arc<str>)>,
}

/// Which letters a word has, and how many. Two words that are few edits apart have nearly the
/// same, which rules out nearly all others without looking at them.
#[derive(Debug, Clone, Copy)]
struct Letters {
    set: u32,
    length: u32,
}

impl Letters {
    fn of(word: &str) -> Option<Self> {
        let mut set = 0;
        for byte in word.bytes() {
            if !byte.is_ascii_lowercase() {
                return None;
            }
            set |= 1 << (byte - b'a');
        }
        Some(Self { set, length: u32::try_from(word.len()).ok()? })
    }

    /// Whether the two may be `edits` apart. An edit changes at most two letters of the set.
    fn within(self, other: Self, edits: u32) -> bool {
        self.length.abs_diff(other.length) <= edits
            && (self.set ^ other.set).count_ones() <= 2 * edits
    }
}

impl Known {
    /// Words in letters other than a to z are left out.
    pub(super) fn new<'a>(words: impl Iterator<Item = &'a Arc<str>>) -> Self {
        let words = words.filter(|word| word.len() >= SHORTEST);
        let mut words: Vec<_> =
            words.filter_map(|word| Some((Letters::of(word)?, Arc::clone(word)))).collect();
        words.sort_by(|(_, one), (_, other)| one.cmp(other));
        Self { words }
    }

    /// The words nearest to `word`, and how many edits away they are.
    pub(super) fn near(&self, word: &str) -> Vec<(usize, &str)> {
        if word.len() < SHORTEST {
            return Vec::new();
        }
        let Some(letters) = Letters::of(word) else { return Vec::new() };
        let tolerated = if word.len() < 7 { 1 } else { 2 };
        // The shorter the word, the more of it has to be right.
        let begins = usize::from(word.len() < 5);
        let mut near: Vec<(usize, &str)> = self
            .words
            .iter()
            .filter(|(other, _)| letters.within(*other, tolerated))
            .filter(|(_, other)| other.starts_with(&word[..begins]))
            .map(|(_, other)| (strsim::osa_distance(word, other), &**other))
            .filter(|(edits, _)| u32::try_from(*edits).is_ok_and(|edits| edits <= tolerated))
            .collect();
        near.sort_unstable();
        let least = near.first().map_or(0, |(edits, _)| *edits);
        near.retain(|(edits, _)| *edits == least);
        near.truncate(OFFERED);
        near
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Known;

    #[test]
    fn slips_of_the_finger_are_mended() {
        insta::assert_snapshot!(near("reposotory"), @"repository");
        insta::assert_snapshot!(near("isseu"), @"issue");
        insta::assert_snapshot!(near("calender"), @"calendar");
        insta::assert_snapshot!(near("fli"), @"fil");
        insta::assert_snapshot!(near("isu"), @"");
    }

    #[test]
    fn short_words_and_far_ones_are_left_alone() {
        insta::assert_snapshot!(near("po"), @"");
        insta::assert_snapshot!(near("kubernetes"), @"");
        insta::assert_snapshot!(near("issué"), @"");
    }

    fn near(word: &str) -> String {
        let words =
            ["repository", "issue", "calendar", "read", "post", "fil"].map(Arc::<str>::from);
        let near: Vec<String> = Known::new(words.iter())
            .near(word)
            .iter()
            .map(|(_, word)| (*word).to_owned())
            .collect();
        near.join(" ")
    }
}
