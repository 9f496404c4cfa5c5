//! Words that tools may use for what was asked.
//!
//! `search-data/synonyms.txt` is the list. A stand-in counts less than the word itself, and never
//! more than the rarity of the word that was asked for allows.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::stem::stem;

/// Words shorter than this are not known for their stand-ins alone.
const SHORTEST: usize = 5;

static TABLE: LazyLock<HashMap<String, Vec<String>>> =
    LazyLock::new(|| read(include_str!("../../search-data/synonyms.txt")));

/// What may stand for `word`, which is a stem; so are they.
pub(super) fn of(word: &str) -> &'static [String] {
    TABLE.get(word).map_or(&[], Vec::as_slice)
}

/// The words that have stand-ins, so that they are known where no tool has them. Short ones are left out:
/// too many others are one slip away.
pub(super) fn asked() -> &'static [Arc<str>] {
    static ASKED: LazyLock<Vec<Arc<str>>> = LazyLock::new(|| {
        let long = TABLE.keys().filter(|word| word.len() >= SHORTEST);
        long.map(|word| Arc::from(word.as_str())).collect()
    });
    &ASKED
}

fn read(text: &str) -> HashMap<String, Vec<String>> {
    let mut table: HashMap<String, Vec<String>> = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((word, others)) = line.split_once(':') else { continue };
        let word = stem(word.trim());
        for other in others.split_whitespace().map(stem) {
            let known = table.entry(word.clone()).or_default();
            if other != word && !known.contains(&other) {
                known.push(other);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{TABLE, of};

    #[test]
    fn forms_of_a_word_share_their_stand_ins() {
        assert!(of("creat").contains(&"add".to_owned()), "{:?}", of("creat"));
        assert!(of("nonsense").is_empty());
    }

    #[test]
    fn the_list_holds_single_words_in_lower_case() {
        assert!(TABLE.len() > 100);
        for (word, others) in TABLE.iter() {
            for one in others.iter().chain([word]) {
                assert!(
                    one.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
                    "{one}"
                );
            }
        }
    }
}
