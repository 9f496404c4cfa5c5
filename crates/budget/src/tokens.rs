//! Counting tokens as the o200k vocabulary has them.

mod pieces;

use std::cell::RefCell;

use self::pieces::{Pieces, is_cut};

/// Pieces whose counts are remembered; a power of two.
const REMEMBERED: usize = 1 << 13;
/// The longest piece that is, so that it fits into a number with its length.
const SHORT: usize = 15;
/// Where in that number the length is, and where how many tokens it is: at most as many as letters.
const LENGTH_AT: usize = 120;
const TOKENS_AT: usize = 124;

thread_local! {
    /// Short pieces with how many tokens they are, each at the place its letters say. Keys of JSON and
    /// common words come again and again.
    static KNOWN: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
}

/// How many tokens a text is.
#[must_use]
pub fn count(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut tokens = 0;
    let mut from = 0;
    while from < bytes.len() {
        let Some(strange) = bytes[from..].iter().position(|byte| !byte.is_ascii()) else {
            tokens += count_ascii(&bytes[from..]);
            break;
        };
        let strange = from + strange;
        // What is not ASCII is left to the library, with the words around it.
        let begin = (from + 1..strange).rev().find(|at| is_cut(bytes, *at)).unwrap_or(from);
        let end = (strange + 1..bytes.len()).find(|at| is_cut(bytes, *at)).unwrap_or(bytes.len());
        tokens += count_ascii(&bytes[from..begin]);
        // Both stand between ASCII characters, or at an end.
        tokens += bpe_openai::o200k_base().count(text.get(begin..end).unwrap_or_default());
        from = end;
    }
    tokens
}

fn count_ascii(text: &[u8]) -> usize {
    let vocabulary = &bpe_openai::o200k_base().bpe;
    KNOWN.with_borrow_mut(|known| {
        known.resize(REMEMBERED, 0);
        let mut pieces = Pieces::of(text);
        let mut tokens = 0;
        loop {
            let rest = pieces.rest();
            let Some(piece) = pieces.next() else { return tokens };
            if piece.len() > SHORT {
                tokens += vocabulary.count(piece);
                continue;
            }
            let number = number(rest, piece.len());
            let known = &mut known[place(number)];
            if *known & !(u128::MAX << TOKENS_AT) != number {
                *known = number | (vocabulary.count(piece) as u128) << TOKENS_AT;
            }
            tokens += usize::try_from(*known >> TOKENS_AT).unwrap_or_default();
        }
    })
}

/// The first letters of a text as a number. Their length makes it another one than that of any other
/// piece, and than none at all.
fn number(text: &[u8], length: usize) -> u128 {
    let letters = if let Some(letters) = text.first_chunk::<16>() {
        u128::from_le_bytes(*letters) & !(u128::MAX << (8 * length))
    } else {
        let mut letters = [0; 16];
        letters[..length].copy_from_slice(&text[..length]);
        u128::from_le_bytes(letters)
    };
    letters | (length as u128) << LENGTH_AT
}

#[expect(clippy::cast_possible_truncation, reason = "which bits are left does not matter")]
fn place(number: u128) -> usize {
    let mixed = (number as u64 ^ (number >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize % REMEMBERED
}

/// Whether a text is at most so many tokens. Texts that are far too long are not counted.
pub(crate) fn fits(text: &str, most: usize) -> bool {
    // No token of ordinary text is longer than this on average.
    text.len() <= most || text.len() / 12 <= most && count(text) <= most
}

/// How many tokens a text is where it is sent: as a text of JSON, and beside it as itself. What is more
/// counts; the quotes around it do not.
#[must_use]
pub fn count_text(text: &str) -> usize {
    match escaped(text) {
        None => count(text),
        Some(written) => count(&written).max(count(text)),
    }
}

/// Whether a text is at most so many tokens, counted as [`count_text`] does.
pub(crate) fn text_fits(text: &str, most: usize) -> bool {
    fits(text, most) && escaped(text).is_none_or(|written| fits(&written, most))
}

/// A text as JSON writes it between quotes; nothing where that is the text itself.
fn escaped(text: &str) -> Option<String> {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        return None;
    }
    let mut written = serde_json::to_string(text).ok()?;
    written.pop();
    written.remove(0);
    Some(written)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_as_the_vocabulary_does() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count(r#"{"id":1,"name":"a"}"#), 9);
    }

    /// Each of them took time that grew with the square of its length, or might.
    #[test]
    fn long_runs_of_one_kind_are_counted_as_quickly_as_other_text() {
        let begun = std::time::Instant::now();
        for one in ["7", "a", "Z", " ", "\n", "-", "_", "\"", "a'", "\u{fc}", "7\u{fc}"] {
            let text = one.repeat(2_000_000);
            assert!(count(&text) > 0);
        }
        // As it was, the digits alone took minutes.
        assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    }

    #[test]
    fn a_text_of_few_bytes_fits() {
        assert!(fits("abc", 3));
        assert!(!fits(&"word ".repeat(100), 50));
        assert!(fits(&"word ".repeat(100), 102));
    }

    #[test]
    fn printed_text_is_counted_as_it_is_sent() {
        assert_eq!(count_text("a plain line"), count("a plain line"));
        for text in ["C:\\new\\table\n\tx\u{1b}[0m\n", "{\"a\": \"b\"}\n"] {
            let sent = serde_json::to_string(text).unwrap();
            let sent = &sent[1..sent.len() - 1];
            assert!(count(sent) > count(text), "{text}");
            assert_eq!(count_text(text), count(sent));
            assert!(text_fits(text, count(sent)) && !text_fits(text, count(sent) - 1));
        }
    }

    fn same(text: &str) -> Result<(), TestCaseError> {
        prop_assert_eq!(count(text), bpe_openai::o200k_base().count(text), "{:?}", text);
        if text.is_ascii() {
            let ours: Vec<&[u8]> = Pieces::of(text.as_bytes()).collect();
            let theirs: Vec<&[u8]> =
                bpe_openai::o200k_base().split(text).map(str::as_bytes).collect();
            prop_assert_eq!(ours, theirs, "{:?}", text);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

        #[test]
        fn ascii_is_cut_as_the_expression_cuts_it(text in "[ -~\t\r\n\x0b\x0c\x1c\x00]{0,60}") {
            same(&text)?;
        }

        #[test]
        fn words_and_what_belongs_to_them(text in "([A-Z]{0,2}[a-z]{0,3}('[sStTmMdDrRvVlLeEx]{1,3})?[ /\n0-9\"]{0,3}){0,12}") {
            same(&text)?;
        }

        #[test]
        fn white_space_of_all_kinds(text in "([ \t\r\n]{0,4}[a-z0-9/.]{0,2}){0,12}") {
            same(&text)?;
        }

        #[test]
        fn text_that_is_not_all_ascii(text in "([a-zA-Z0-9 \"',:/\n]{0,8}(\\PC|[äöüßéñ漢字\u{301}ǅ٣ſ]){0,3}){0,8}") {
            same(&text)?;
        }

        #[test]
        fn json(rows in prop::collection::vec((".{0,12}", any::<i64>(), any::<f64>()), 0..8)) {
            let rows: Vec<_> = rows.iter().map(|(name, id, score)| {
                serde_json::json!({"name": name, "id": id, "score": score, "ok": true, "none": null})
            }).collect();
            same(&serde_json::Value::from(rows.clone()).to_string())?;
            same(&serde_json::to_string_pretty(&rows).unwrap_or_default())?;
        }
    }
}
