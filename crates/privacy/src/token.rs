//! Tokens: what stands in for personal data.
//!
//! A token is the kind in capitals, an underscore and twelve letters or digits, such as
//! `EMAIL_k3v9q2xw7m45`. They come from an HMAC over the kind and the normalised value, so the same
//! value always has the same token, and nobody without the key can try values out. A value that
//! is written differently (`+49 30 1234567` for `+49301234567`) has the same twelve and four more,
//! so that both can be told to be one and each is put back as it was written.
//!
//! The last of the twelve, and of the four, is a digit. Words before a number are read back to
//! the last digit, so a token ends what can be read exactly as a number does.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Kind;

/// The letters of tokens, without those that are misread.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many there are: sixty bits less two, so that among a million values none collide.
const LENGTH: usize = 12;
/// How many more for each further way to write the same.
const MORE: usize = 4;
/// How often more may be added before a token is given up.
const MOST_MORE: usize = 4;
/// How many letters a secret's mark has.
const MARK: usize = 24;
/// The longest prefix.
const LONGEST_PREFIX: usize = 24;

/// What a token looks like behind its prefix, for masking.
pub(crate) const MASK: &str = "_000000000000";

/// The secret that tokens are made with. Who has it can test guesses; keep it with the vault.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// A key of 32 bytes from a good source of chance.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Self {
        // The block that HMAC pads keys to; a key of 32 bytes with zeros behind it is the same key.
        let mut block = [0; 64];
        block[..32].copy_from_slice(bytes);
        Self(Hmac::new(&block.into()))
    }

    /// A key of its own for one purpose or one owner; nothing can be told from one about another.
    #[must_use]
    pub fn derived(&self, purpose: &str) -> Self {
        let mut mac = self.0.clone();
        mac.update(b"key\0");
        mac.update(purpose.as_bytes());
        Self::new(&mac.finalize().into_bytes().into())
    }

    /// Letters that stand for a secret: the same for the same name and value, and nobody without the
    /// key can try values out.
    #[must_use]
    pub fn mark(&self, name: &str, value: &str) -> String {
        let mut mark = String::new();
        let length = (name.len() as u64).to_be_bytes();
        self.append(&mut mark, MARK, &[b"mark\0", &length, name.as_bytes(), value.as_bytes()]);
        mark
    }

    /// The token of a value as it was written: the `attempt`th, when others collide.
    pub(crate) fn token(
        &self,
        kind: &Kind,
        written: &str,
        is_number: bool,
        attempt: usize,
    ) -> String {
        let normal = normalised(kind, written);
        let mut token = kind.prefix();
        token.push('_');
        self.append(&mut token, LENGTH, &[kind.name().as_bytes(), b"\0", normal.as_bytes()]);
        let rounds = attempt + usize::from(is_number || normal != written);
        let form: &[u8] = if is_number { b"\x02" } else { b"\x01" };
        for round in 0..rounds.min(MOST_MORE) {
            let round = u8::try_from(round).unwrap_or(u8::MAX);
            self.append(
                &mut token,
                MORE,
                &[kind.name().as_bytes(), form, &[round], written.as_bytes()],
            );
        }
        token
    }

    fn append(&self, token: &mut String, length: usize, parts: &[&[u8]]) {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
        }
        let bytes = mac.finalize().into_bytes();
        token.extend(
            bytes.iter().take(length - 1).map(|byte| char::from(ALPHABET[usize::from(byte % 32)])),
        );
        token.push(char::from(ALPHABET[usize::from(bytes[length] % 10)]));
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Key(***)")
    }
}

/// A value without the differences that say nothing: spaces in a card number, capitals in a mail.
fn normalised(kind: &Kind, written: &str) -> String {
    match kind {
        Kind::Email => written.to_lowercase(),
        Kind::Card => written.chars().filter(char::is_ascii_digit).collect(),
        Kind::Iban | Kind::NationalNumber => written
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|one| one.to_ascii_uppercase())
            .collect(),
        Kind::Ip => {
            written.parse::<IpAddr>().map_or_else(|_| written.to_owned(), |ip| ip.to_string())
        }
        Kind::Phone => {
            let dialled = written.replace("(0)", "");
            let digits: String = dialled.chars().filter(char::is_ascii_digit).collect();
            let abroad = digits.strip_prefix("00").filter(|_| !dialled.starts_with('+'));
            match abroad {
                Some(rest) => format!("+{rest}"),
                None if dialled.starts_with('+') => format!("+{digits}"),
                None => digits,
            }
        }
        Kind::Name | Kind::Address | Kind::Own(_) => written.to_owned(),
    }
}

/// Where everything in a text that looks like a token with one of these prefixes starts and ends.
pub(crate) fn spans(text: &str, prefixes: &[String]) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    for at in memchr::memchr_iter(b'_', bytes) {
        if body_length(bytes, at + 1) < LENGTH {
            continue;
        }
        let known = prefixes.iter().filter(|prefix| bytes[..at].ends_with(prefix.as_bytes()));
        if let Some(longest) = known.map(String::len).max() {
            spans.push((at - longest, at + 1 + body_length(bytes, at + 1)));
        }
    }
    spans
}

/// Every text in `text` that may be a token with one of these prefixes.
pub(crate) fn possible<'t>(text: &'t str, prefixes: &[String]) -> BTreeSet<&'t str> {
    let bytes = text.as_bytes();
    let mut possible = BTreeSet::new();
    for at in memchr::memchr_iter(b'_', bytes) {
        let body = body_length(bytes, at + 1);
        if body < LENGTH {
            continue;
        }
        for prefix in prefixes.iter().filter(|prefix| bytes[..at].ends_with(prefix.as_bytes())) {
            let lengths = (0..=MOST_MORE).map(|more| LENGTH + more * MORE);
            let fitting = lengths.filter(|length| *length <= body);
            possible.extend(fitting.map(|length| &text[at - prefix.len()..at + 1 + length]));
        }
    }
    possible
}

/// Every token that may end a prefix at the underscore `at`, the longest first.
pub(crate) fn candidates(bytes: &[u8], at: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let body = body_length(bytes, at + 1);
    let prefix = bytes[..at]
        .iter()
        .rev()
        .take(LONGEST_PREFIX)
        .take_while(|one| one.is_ascii_uppercase() || one.is_ascii_digit())
        .count();
    let lengths = (0..=MOST_MORE)
        .rev()
        .map(|more| LENGTH + more * MORE)
        .filter(move |length| *length <= body);
    lengths.flat_map(move |length| {
        (1..=prefix).rev().map(move |prefix| (at - prefix, at + 1 + length))
    })
}

/// How many characters from `from` on can belong to a token, as far as tokens go.
fn body_length(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .take(LENGTH + MOST_MORE * MORE)
        .take_while(|one| one.is_ascii_digit() || one.is_ascii_lowercase())
        .count()
}
