//! Words that somebody may have meant who wrote one that no tool has.

use std::sync::Arc;

/// How many words stand in for one that was mistyped.
const OFFERED: usize = 3;
/// Words shorter than this are not corrected: too many others are one slip away. They are without
/// their endings here, so that this is `file` and `time`.
const SHORTEST: usize = 3;
/// Known words shorter than this are not compared with an ending, nor are asked ones with fewer letters
/// than it has with one.
const SHORTEST_WITH_ENDING: usize = 4;
/// Endings that words lose before they are compared.
const ENDINGS: &[&str] = &["ed", "ing", "ings"];
/// What becomes of these by a slip, so that the word does not lose them.
const BROKEN: &[&str] = &["ig", "ign", "iing", "in", "ingg", "inng", "ng", "nig"];

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

/// A word that may have been meant.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Near<'k> {
    edits: usize,
    word: &'k str,
    /// What it was compared as.
    form: String,
}

impl Known {
    /// Words in letters other than a to z are left out.
    pub(super) fn new<'a>(words: impl Iterator<Item = &'a Arc<str>>) -> Self {
        let words = words.filter(|word| word.len() >= SHORTEST);
        let mut words: Vec<_> =
            words.filter_map(|word| Some((Letters::of(word)?, Arc::clone(word)))).collect();
        words.sort_by(|(_, one), (_, other)| one.cmp(other));
        words.dedup_by(|(_, one), (_, other)| one == other);
        Self { words }
    }

    /// The words nearest to `word`, which was `written` with its ending, and how many edits away they are.
    pub(super) fn near(&self, word: &str, written: &str) -> Vec<(usize, &str)> {
        if word.len() < SHORTEST {
            return Vec::new();
        }
        // So little is left of it that its ending tells more: `boking`.
        let is_cut_short = word.len() < SHORTEST_WITH_ENDING && written.len() > word.len();
        let is_broken = word == written && BROKEN.iter().any(|ending| word.ends_with(ending));
        let mut near =
            if is_cut_short || is_broken { self.with_ending(written) } else { Vec::new() };
        if !is_cut_short || near.is_empty() {
            near.extend(self.without_ending(word));
        }
        near.sort_unstable();
        let least = near.first().map_or(0, |one| one.edits);
        near.retain(|one| one.edits == least);
        // A letter that is doubled, or not, is the likeliest slip.
        let is_double = |one: &Near<'_>| {
            let asked = if one.form == one.word { word } else { written };
            undoubled(&one.form) == undoubled(asked)
        };
        if near.iter().any(is_double) {
            near.retain(is_double);
        }
        near.dedup_by(|one, other| one.word == other.word);
        near.truncate(OFFERED);
        near.into_iter().map(|one| (one.edits, one.word)).collect()
    }

    /// Words that look like `word`, neither with its ending.
    fn without_ending(&self, word: &str) -> Vec<Near<'_>> {
        let Some(letters) = Letters::of(word) else { return Vec::new() };
        let tolerated = if word.len() < 7 { 1 } else { 2 };
        // The shorter the word, the more of it has to be right.
        let begins = usize::from(word.len() < 5);
        let alike = self.words.iter().filter(|(other, _)| letters.within(*other, tolerated));
        alike
            .filter(|(_, other)| other.starts_with(&word[..begins]))
            .map(|(_, other)| Near {
                edits: strsim::osa_distance(word, other),
                word: other,
                form: String::from(&**other),
            })
            .filter(|one| u32::try_from(one.edits).is_ok_and(|edits| edits <= tolerated))
            .collect()
    }

    /// Words that with one of the endings are one slip away from `written`.
    fn with_ending(&self, written: &str) -> Vec<Near<'_>> {
        let Some(letters) = Letters::of(written) else { return Vec::new() };
        let mut near = Vec::new();
        for ending in ENDINGS {
            let Some(more) = Letters::of(ending) else { continue };
            for (other, word) in &self.words {
                let whole =
                    Letters { set: other.set | more.set, length: other.length + more.length };
                let is_alike = word.len() >= SHORTEST_WITH_ENDING
                    && letters.within(whole, 1)
                    && word.as_bytes().first() == written.as_bytes().first();
                if is_alike {
                    let form = format!("{word}{ending}");
                    let edits = strsim::osa_distance(written, &form);
                    near.extend((edits <= 1).then_some(Near { edits, word, form }));
                }
            }
        }
        near
    }
}

/// A word with no letter twice in a row.
fn undoubled(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    letters.into_iter().collect()
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

    #[test]
    fn slips_in_words_with_an_ending_are_mended() {
        insta::assert_snapshot!(near("boking"), @"book");
        insta::assert_snapshot!(near("bookin"), @"book");
        insta::assert_snapshot!(near("bokking"), @"book");
        insta::assert_snapshot!(near("postin"), @"post");
        insta::assert_snapshot!(near("login"), @"");
    }

    fn near(word: &str) -> String {
        let words = ["repository", "issue", "calendar", "read", "post", "fil", "book", "bot"]
            .map(Arc::<str>::from);
        let near: Vec<String> = Known::new(words.iter())
            .near(&crate::search::stem::stem(word), word)
            .iter()
            .map(|(_, word)| (*word).to_owned())
            .collect();
        near.join(" ")
    }
}
