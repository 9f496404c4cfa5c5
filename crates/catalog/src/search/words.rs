//! Text, cut into the words that are compared.
//!
//! The same rules hold for what servers say and for what is asked, since a word that is cut
//! differently on the two sides is never found. A name such as `GitHub` or `mp3` gives its pieces
//! and itself; scripts that write no spaces give every two neighbouring characters.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::stem::stem;

/// No word is longer than this, in bytes; what is longer is data, and nobody searches for it.
const LONGEST: usize = 48;

/// Whether a text has something that is too long to be a word.
pub(super) fn is_data(text: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric()).any(|run| run.len() > LONGEST)
}

/// Words that say nothing about what a tool does.
const IGNORED: &[&str] = &[
    "a",
    "about",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "based",
    "be",
    "been",
    "between",
    "both",
    "but",
    "by",
    "can",
    "could",
    "d",
    "did",
    "do",
    "does",
    "during",
    "each",
    "etc",
    "for",
    "from",
    "given",
    "had",
    "has",
    "have",
    "he",
    "help",
    "her",
    "his",
    "how",
    "i",
    "if",
    "im",
    "in",
    "include",
    "included",
    "including",
    "into",
    "is",
    "it",
    "its",
    "just",
    "let",
    "lets",
    "like",
    "ll",
    "m",
    "may",
    "me",
    "might",
    "more",
    "most",
    "must",
    "my",
    "need",
    "no",
    "not",
    "of",
    "on",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "per",
    "please",
    "provide",
    "provided",
    "provides",
    "re",
    "s",
    "she",
    "should",
    "so",
    "some",
    "specific",
    "specified",
    "such",
    "t",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "they",
    "this",
    "through",
    "to",
    "up",
    "us",
    "use",
    "used",
    "using",
    "ve",
    "via",
    "want",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word itself, in lower case and without its ending.
    pub(super) whole: String,
    /// The same with its ending.
    pub(super) written: String,
    /// The words inside it, when it has several.
    pub(super) pieces: Vec<String>,
}

/// The first `most` words of `text`.
pub(super) fn words(text: &str, most: usize) -> Vec<Word> {
    let folded: String;
    let text = if text.is_ascii() {
        text
    } else {
        // Without accents, and with full-width letters as ordinary ones. Composed again, because
        // Hangul syllables come apart too.
        folded = text.nfkd().filter(|character| !is_combining_mark(*character)).nfc().collect();
        &folded
    };
    let mut found = Vec::new();
    for run in text.split(|character: char| !character.is_alphanumeric()) {
        if found.len() >= most {
            break;
        }
        if !run.is_empty() {
            cut(run, &mut found);
        }
    }
    found.truncate(most);
    found
}

/// Cuts letters and digits without anything between them.
fn cut(run: &str, found: &mut Vec<Word>) {
    if run.is_ascii() {
        found.extend(word(run));
        return;
    }
    let characters: Vec<char> = run.chars().collect();
    for part in characters.chunk_by(|one, next| is_unspaced(*one) == is_unspaced(*next)) {
        match part {
            [one] if is_unspaced(*one) => found.push(plain(one.to_string())),
            [one, ..] if is_unspaced(*one) => {
                found.extend(part.windows(2).map(|pair| plain(pair.iter().collect())));
            }
            _ => found.extend(word(&part.iter().collect::<String>())),
        }
    }
}

fn plain(whole: String) -> Word {
    Word { written: whole.clone(), whole, pieces: Vec::new() }
}

/// Whether words of its script follow each other without spaces.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

/// A run of letters and digits as a word; `None` when it says nothing.
fn word(run: &str) -> Option<Word> {
    let lower = run.to_lowercase();
    if lower.len() > LONGEST || is_ignored(&lower) {
        return None;
    }
    let mut pieces = Vec::new();
    if run.len() > 2 {
        let characters: Vec<char> = run.chars().collect();
        let mut start = 0;
        for at in 1..=characters.len() {
            if at == characters.len() || begins_piece(&characters, at) {
                let piece: String = characters[start..at].iter().collect::<String>().to_lowercase();
                pieces.push(piece);
                start = at;
            }
        }
        if pieces.len() < 2 {
            pieces.clear();
        }
        pieces.retain(|piece| {
            piece.chars().count() > 1
                && !piece.starts_with(|first: char| first.is_ascii_digit())
                && !is_ignored(piece)
        });
    }
    let pieces = pieces.iter().map(|piece| stem(piece)).collect();
    Some(Word { whole: stem(&lower), written: lower, pieces })
}

/// Whether a new word begins here: `createIssue`, `HTTPServer`, `issue2`.
fn begins_piece(characters: &[char], at: usize) -> bool {
    let (before, here) = (characters[at - 1], characters[at]);
    if here.is_numeric() != before.is_numeric() {
        return true;
    }
    let next_is_lower = characters.get(at + 1).is_some_and(|next| next.is_lowercase());
    here.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_lower))
}

fn is_ignored(word: &str) -> bool {
    IGNORED.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{IGNORED, words};

    #[test]
    fn ignored_words_are_sorted_so_that_they_are_found() {
        assert!(IGNORED.is_sorted());
    }

    #[test]
    fn names_give_their_pieces_and_themselves() {
        insta::assert_snapshot!(shown("createIssue HTTPServer issue2 mp3 GitHub snake_case-dash"), @"createissu(creat issu) httpserver(http server) issue2(issu) mp3(mp) github(git hub) snak cas dash");
    }

    #[test]
    fn text_without_spaces_gives_neighbouring_characters() {
        insta::assert_snapshot!(shown("使用必应搜索 PDF文件 数"), @"使用 用必 必应 应搜 搜索 pdf 文件 数");
    }

    #[test]
    fn accents_width_and_case_do_not_matter() {
        insta::assert_snapshot!(shown("Café ＣＡＦＥ cafe"), @"caf caf caf");
    }

    #[test]
    fn what_is_too_long_to_be_a_word_is_left_out() {
        assert_eq!(shown(&"x".repeat(49)), "");
        assert_eq!(words(&"word ".repeat(50), 7).len(), 7);
    }

    fn shown(text: &str) -> String {
        let words = words(text, 100);
        let shown: Vec<String> = words
            .iter()
            .map(|word| match word.pieces.join(" ") {
                pieces if pieces.is_empty() => word.whole.clone(),
                pieces => format!("{}({pieces})", word.whole),
            })
            .collect();
        shown.join(" ")
    }
}
