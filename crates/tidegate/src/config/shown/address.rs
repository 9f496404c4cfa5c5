//! Addresses without what may be secret in them, wherever in a text they stand.
//!
//! They are taken apart as they are written. Whatever reads addresses properly refuses those with
//! references in them, or writes them in another way, and neither may show a password.

use std::ops::Range;

use super::common::{is_commonplace, is_no_secret, is_sure};
use super::{HIDDEN, bare, begins_like_secret, looks_secret};

/// What ends an address in a text.
pub(super) const ENDS: [char; 6] = ['"', '\'', '`', '<', '>', '|'];
/// A name of a user that is as long as this is a token.
const LONG: usize = 20;
const SCHEME_ENDS: &str = "://";
const BEARER: &str = "Bearer ";

/// A text whose addresses have `***` in the place of passwords and of the values of parameters.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut shown = String::new();
    let mut done = 0;
    for range in addresses(text) {
        shown.push_str(&text[done..range.start]);
        shown.push_str(&Written::of(&text[range.clone()]).shown());
        done = range.end;
    }
    shown.push_str(&text[done..]);
    for range in bare::passwords(&shown).into_iter().rev() {
        shown.replace_range(range, HIDDEN);
    }
    without_bearers(&shown)
}

/// The names of what is secret in the addresses of a text.
pub(super) fn secrets(text: &str) -> Vec<String> {
    let of_addresses = addresses(text).into_iter();
    let of_addresses = of_addresses.flat_map(|range| Written::of(&text[range]).secrets());
    of_addresses.chain(bare::passwords(text).iter().map(|_| "password".to_owned())).collect()
}

/// What in an address proves who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config) struct Proof<'a> {
    /// It, as it is written.
    pub(in crate::config) text: &'a str,
    /// Whether it is none of the words that are said anyway.
    pub(in crate::config) is_sure: bool,
}

/// What proves who asks in a text that is an address, as it is written; nothing where it is none. `is_called`
/// says which parameters hold a secret.
pub(in crate::config) fn proofs(
    text: &str,
    is_called: impl Fn(&str) -> bool,
) -> Option<Vec<Proof<'_>>> {
    let range = addresses(text).into_iter().next().filter(|range| range.start == 0)?;
    let address = Written::of(&text[range]);
    let sure = |text| Proof { text, is_sure: true };
    let mut found = Vec::new();
    if let Some((name, password)) = address.user {
        found.extend(is_token(address.scheme, name, password).then_some(name).map(sure));
        let password = password.filter(|password| !is_no_secret(name, password));
        found.extend(password.map(|text| Proof { text, is_sure: is_sure(text) }));
    }
    for (name, value) in [address.query, address.fragment].into_iter().flatten().flat_map(pairs) {
        found.extend(value.filter(|value| is_called(name) && !is_commonplace(value)).map(sure));
    }
    Some(found)
}

/// Where the addresses of a text are.
pub(super) fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(SCHEME_ENDS) {
        let (at, after) = (from + at, from + at + SCHEME_ENDS.len());
        let scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let scheme = text[from..at].trim_end_matches(scheme).len() + from;
        let dashes = text[scheme..at].find(|c: char| c.is_ascii_alphabetic());
        let end = text[after..].find(|c: char| c.is_whitespace() || ENDS.contains(&c));
        let end = end.map_or(text.len(), |end| after + end);
        if let Some(dashes) = dashes {
            found.push(scheme + dashes..end);
        }
        from = end;
    }
    found
}

/// What follows `Bearer` is a token, also within a longer text.
fn without_bearers(text: &str) -> String {
    let mut parts = text.split(BEARER);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_whitespace() || ENDS.contains(&c));
        let (token, rest) = part.split_at(end.unwrap_or(part.len()));
        shown.extend([BEARER, hidden(token), rest]);
    }
    shown
}

/// An address in its parts.
struct Written<'a> {
    scheme: &'a str,
    user: Option<(&'a str, Option<&'a str>)>,
    /// Host and path.
    place: &'a str,
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

impl<'a> Written<'a> {
    fn of(text: &'a str) -> Self {
        let begins = text.find(SCHEME_ENDS).map_or(0, |at| at + SCHEME_ENDS.len());
        let (scheme, rest) = text.split_at(begins);
        let (rest, fragment) = split(rest, '#');
        let (rest, query) = split(rest, '?');
        let authority = &rest[..rest.find(['/', '\\']).unwrap_or(rest.len())];
        // A password may have a slash in it, as it should not: what stands before the slash is no port then.
        let is_cut = authority.split_once(':').is_some_and(|(_, port)| {
            !authority.contains(['@', '[']) && !port.is_empty() && !is_port(port)
        });
        let authority = if is_cut { rest } else { authority };
        let Some((user, _)) = authority.rsplit_once('@') else {
            return Self { scheme, user: None, place: rest, query, fragment };
        };
        Self { scheme, user: Some(named(user)), place: &rest[user.len() + 1..], query, fragment }
    }

    fn shown(&self) -> String {
        let mut shown = self.scheme.to_owned();
        if let Some((name, password)) = self.user {
            shown.push_str(if is_token(self.scheme, name, password) { HIDDEN } else { name });
            if let Some(password) = password {
                shown.extend([":", hidden(password)]);
            }
            shown.push('@');
        }
        shown.push_str(self.place);
        if let Some(query) = self.query {
            let one = |(name, value): (&str, Option<&str>)| match value {
                Some(value) => format!("{name}={}", hidden(value)),
                None if begins_like_secret(name) => HIDDEN.to_owned(),
                None => name.to_owned(),
            };
            shown.push('?');
            shown.push_str(&pairs(query).map(one).collect::<Vec<_>>().join("&"));
        }
        if let Some(fragment) = self.fragment {
            let one = |(name, value): (&str, Option<&str>)| match value {
                Some(value) if looks_secret(name, value) => format!("{name}={}", hidden(value)),
                Some(value) => format!("{name}={value}"),
                None => name.to_owned(),
            };
            shown.push('#');
            shown.push_str(&pairs(fragment).map(one).collect::<Vec<_>>().join("&"));
        }
        shown
    }

    fn secrets(&self) -> Vec<String> {
        let mut names = Vec::new();
        if let Some((name, password)) = self.user {
            if is_token(self.scheme, name, password) {
                names.push("user".to_owned());
            }
            if password.is_some_and(is_hidden) {
                names.push("password".to_owned());
            }
        }
        for (name, value) in [self.query, self.fragment].into_iter().flatten().flat_map(pairs) {
            let value = value.filter(|value| is_hidden(value));
            if value.is_some_and(|value| looks_secret(name, value)) {
                names.push(name.to_owned());
            }
        }
        names
    }
}

/// A name and a password. The colon of a reference is none between them.
fn named(user: &str) -> (&str, Option<&str>) {
    let after = if user.starts_with("${") { user.find('}') } else { None };
    let (name, rest) = user.split_at(after.map_or(0, |end| end + 1));
    match rest.split_once(':') {
        Some((more, password)) => (&user[..name.len() + more.len()], Some(password)),
        None => (user, None),
    }
}

/// What follows a host's colon. Of several hosts it has the others, too.
fn is_port(text: &str) -> bool {
    let text = text.split(',').next().unwrap_or_default();
    text.contains("${") || text.chars().all(|c| c.is_ascii_digit())
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    text.split('&').map(|pair| split(pair, '='))
}

/// What is shown of a value: a reference is no secret, and nothing is none.
fn hidden(value: &str) -> &str {
    if value.is_empty() || value.contains("${") { value } else { HIDDEN }
}

pub(super) fn is_hidden(value: &str) -> bool {
    hidden(value) == HIDDEN
}

/// Whether the name of a user is more than a name. Over HTTP, a name without a password mostly is, unless it
/// reads like one.
pub(super) fn is_token(scheme: &str, user: &str, password: Option<&str>) -> bool {
    let is_alone = matches!(password, None | Some("" | "x-oauth-basic"));
    let scheme = scheme.trim_end_matches(SCHEME_ENDS).to_ascii_lowercase();
    let is_web = ["http", "https", "ws", "wss"].iter().any(|web| scheme.ends_with(web));
    let looks_so = begins_like_secret(user) || user.len() >= LONG;
    !user.contains("${") && (looks_so || (is_alone && is_web && !reads_like_a_name(user)))
}

/// `anna`, `Anna.Smith`, `anna_s2`, `anna%40example.com`: words, and a number after them.
fn reads_like_a_name(user: &str) -> bool {
    let user = user.replace("%40", "@");
    let words = user.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().is_none_or(char::is_alphabetic);
        first && letters.all(|c| c.is_alphabetic() && !c.is_uppercase())
    };
    user.len() - words.len() <= 4 && words.split(['.', '_', '-', '@', '+']).all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_wherever_they_stand() {
        for (text, shown) in [
            ("https://u:p@h.example/mcp?key=1", "https://u:***@h.example/mcp?key=***"),
            (
                "--url=https://h.example/?token=abc&page=2",
                "--url=https://h.example/?token=***&page=***",
            ),
            ("-uhttps://h.example/?token=abc", "-uhttps://h.example/?token=***"),
            ("DB=postgres://anna:pw@db/x", "DB=postgres://anna:***@db/x"),
            ("jdbc:postgresql://db/x?password=pw", "jdbc:postgresql://db/x?password=***"),
            (
                "exec mcp-remote 'https://h.example/?k=a' --header 'Authorization: Bearer abc' https://u:p@i/",
                "exec mcp-remote 'https://h.example/?k=***' --header 'Authorization: Bearer ***' https://u:***@i/",
            ),
            ("{\"url\":\"https://h/?t=1\"}", "{\"url\":\"https://h/?t=***\"}"),
            ("https://ghp_0123456789abcdef@h/r.git", "https://***@h/r.git"),
            ("https://s3cr3tTok@h/r.git", "https://***@h/r.git"),
            ("https://a1b2c3:x-oauth-basic@h/", "https://***:***@h/"),
            ("git+https://aBcDeF@h/", "git+https://***@h/"),
            ("--dsn=u:pw@host/db", "--dsn=u:***@host/db"),
            ("postgres://anna:p/ss@h/db", "postgres://anna:***@h/db"),
            ("mongodb://u:pw@a:1,b:2/x", "mongodb://u:***@a:1,b:2/x"),
            ("https://h/#access_token=abc", "https://h/#access_token=***"),
            ("https://h:${env:PORT}/?token=abc", "https://h:${env:PORT}/?token=***"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn what_holds_no_secret_is_shown_as_it_is_written() {
        for text in [
            "https://example.com/mcp",
            "https://example.com/{id}#top",
            "https://anna@example.com/?key=${env:K}",
            "https://u:${keyring:a/b}@example.com/",
            "https://Anna.Smith@h/ https://anna_s2@h/ https://anna%40example.com@h/",
            "ssh://s3rv1ce@h/ git@h:a/b anna@example.com",
            "https://${env:T}@h/ https://${env:U}:${env:P}@h/",
            "--dir=/data://x",
            "http://h:80/x@y mongodb://a:1,b:2/x@y",
            "://",
            "a=b",
            "Bearer ${env:T}",
            "é://é",
        ] {
            assert_eq!(without_secrets(text), text);
            assert!(secrets(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_secret_is_named() {
        let named = secrets("--url=https://u:pw@h/?token=abc&page=2#api_key=x");
        assert_eq!(named, ["password", "token", "api_key"]);
    }
}
