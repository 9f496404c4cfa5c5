//! Which words of a result may be kept in writing: names of fields, and values of categories.
//!
//! A result is somebody's data, so by default nothing of it is kept. Two kinds of words are not
//! data but the server's own vocabulary, and a type is of little use without them.
//!
//! **Keys.** `title` in `{"title": …}` is a field; `alice` in `{"alice": …}` is data. How a key
//! is spelled rules out most of the second kind (addresses, paths, dates, numbers, ids, anything
//! with a space or a dot: [`is_key`]). What is left is written down once it has come back in a
//! second object, and forgotten for good when keys turn out to change ([`object`](super::object)).
//!
//! **Values.** `open` and `closed` under `state` are worth knowing. A value is considered only
//! where the key itself names a category ([`names_category`]), which `assignee`, `name`, `email`
//! or `token` do not, and only if it is a short plain word ([`is_word`]). One value that is not,
//! or more than a few different ones, and the place is plain text for good
//! ([`text`](super::text)).
//!
//! Before a word has qualified, only a [`mark`] of it is stored. A mark is a pseudonym and no
//! more: who guesses the word can confirm the guess. It has 32 bits, so it cannot hold an id, a
//! token or an address, and words that look like those get none in the first place.

/// Longest key that is written down, in bytes.
const LONGEST_KEY: usize = 48;
/// Longest value that is written down, in bytes.
const LONGEST_WORD: usize = 24;

/// Keys that name a category, by their last word. Nothing that could name a person, a place, a
/// thing or a secret is among them.
const CATEGORIES: &[&str] = &[
    "access",
    "action",
    "arch",
    "architecture",
    "availability",
    "category",
    "class",
    "color",
    "colour",
    "conclusion",
    "condition",
    "currency",
    "direction",
    "encoding",
    "environment",
    "event",
    "format",
    "frequency",
    "health",
    "kind",
    "level",
    "method",
    "mode",
    "operation",
    "outcome",
    "permission",
    "phase",
    "platform",
    "priority",
    "protocol",
    "resolution",
    "role",
    "severity",
    "stage",
    "state",
    "status",
    "tier",
    "type",
    "unit",
    "visibility",
];

/// How well-known kinds of secrets begin.
const SECRETS: &[&str] =
    &["sk-", "sk_", "pk_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat", "glpat", "xox", "akia"];

/// Stands for a word without saying it.
pub(super) fn mark(word: &str) -> u32 {
    // FNV-1a, folded. What a mark may say is bounded by its size, whatever the function; this
    // one costs a nanosecond a byte.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in word.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    u32::try_from((hash >> 32) ^ (hash & 0xffff_ffff)).unwrap_or_default()
}

/// Could be the name of a field.
pub(super) fn is_key(key: &str) -> bool {
    let rest = key.trim_start_matches(['_', '$', '@']);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    key.len() <= LONGEST_KEY
        && rest.starts_with(|first: char| first.is_ascii_alphabetic())
        && rest.bytes().all(plain)
        && !looks_made_up(rest, 4)
}

/// Could be one of a category's values.
pub(super) fn is_word(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    word.len() <= LONGEST_WORD
        && word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(plain)
        && !looks_made_up(word, 2)
}

/// The key says that what it holds is one of a few kinds.
pub(super) fn names_category(key: &str) -> bool {
    let last = key.rsplit(['_', '-']).next().unwrap_or_default();
    let camel = last.char_indices().rev().find(|(_, letter)| letter.is_ascii_uppercase());
    let whole = last.bytes().all(|byte| byte.is_ascii_uppercase());
    let word = match camel {
        Some((at, _)) if !whole => &last[at..],
        _ => last,
    };
    let is = |word: &str| {
        let word = word.bytes().map(|byte| byte.to_ascii_lowercase());
        CATEGORIES.binary_search_by(|known| known.bytes().cmp(word.clone())).is_ok()
    };
    is(word) || word.strip_suffix(['s', 'S']).is_some_and(is)
}

/// Numbers, identifiers and tokens have digits where words have none.
fn looks_made_up(word: &str, most_digits: usize) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let runs = || word.split(|letter: char| !letter.is_ascii_digit()).map(str::len);
    let hexadecimal = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    digits > most_digits
        || runs().filter(|length| *length > 0).count() > 2
        || runs().any(|length| length > 3)
        || (word.len() >= 8 && digits > 0 && word.bytes().all(hexadecimal))
        || SECRETS.iter().any(|start| {
            word.get(..start.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(start))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_are_told_from_data() {
        let names =
            ["id", "created_at", "htmlUrl", "If-Match", "_links", "@type", "$ref", "sha256"];
        assert_eq!(names.map(is_key), [true; 8]);
        let data = [
            "",
            "a@example.com",
            "2024-01-31",
            "12",
            "/etc/passwd",
            "README.md",
            "Ada Lovelace",
            "user_48213",
            "6f9619ff-8b86-d011-b42d-00c04fc964ff",
            "deadbeef01",
            "ghp_abcdefgh",
            "a1b2c3d",
            "größe",
        ];
        assert_eq!(data.map(is_key), [false; 13]);
    }

    #[test]
    fn only_keys_that_name_a_category_have_values_worth_keeping() {
        let categories = ["state", "issue_type", "mergeState", "STATUS", "types", "log-level"];
        assert_eq!(categories.map(names_category), [true; 6]);
        let others = ["name", "assignee", "stateful", "login", "token", "email", "id", ""];
        assert_eq!(others.map(names_category), [false; 8]);
        assert!(CATEGORIES.is_sorted());
    }

    #[test]
    fn values_that_could_identify_somebody_are_no_words() {
        assert_eq!(["open", "IN_PROGRESS", "not-planned", "p1"].map(is_word), [true; 4]);
        let others = ["", "a b", "a@b.c", "x123", "1", "abcdefghijklmnopqrstuvwxyz", "sk-abc", "ü"];
        assert_eq!(others.map(is_word), [false; 8]);
    }
}
