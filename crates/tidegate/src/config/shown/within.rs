//! Secrets somewhere within an argument: in JSON, in the text that leads to a database, in a line for a shell.

use super::address::addresses;
use super::{has_secret_word, is_plain, looks_secret};

/// What stands around names and values.
const QUOTES: [char; 4] = ['"', '\'', '\\', '`'];
/// What ends a value, besides blanks and quotes.
const ENDS: [char; 6] = [';', '&', ',', '|', '}', ']'];
const BEARER: &str = "Bearer ";

/// The first secret in a text that is called one: its name, and where it begins.
pub(super) fn first(text: &str) -> Option<(&str, usize)> {
    all(text).next()
}

/// What stands at such a place.
pub(super) fn value(text: &str, begins: usize) -> &str {
    let quote = text[..begins].chars().next_back().filter(|last| ['"', '\''].contains(last));
    match quote.and_then(|quote| text[begins..].split_once(quote)) {
        // In JSON within a text, quotes have a backslash before them.
        Some((value, _)) => value.trim_end_matches('\\'),
        None => text[begins..].split(ends).next().unwrap_or_default(),
    }
}

/// Every secret in a text that is called one.
pub(super) fn all(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let places = addresses(text);
    let signs = text.char_indices().filter(|(_, sign)| matches!(sign, '=' | ':' | ' '));
    signs.filter_map(move |(at, sign)| {
        // What belongs to an address is looked at with it.
        let is_of_address = places.iter().any(|range| {
            range.contains(&at) && (sign == ':' || text[range.start..at].contains(['?', '#']))
        });
        let (name, begins) = pair(text, at, sign).filter(|_| !is_of_address)?;
        is_secret(name, value(text, begins)).then_some((name, begins))
    })
}

/// What is called so by the sign at this place, and where its value begins.
fn pair(text: &str, at: usize, sign: char) -> Option<(&str, usize)> {
    let (before, after) = (&text[..at], &text[at + sign.len_utf8()..]);
    let said = before.trim_end().trim_end_matches(QUOTES);
    // `image:tag` and `/keys:/keys` are no pairs; `"key":"value"` and `key: value` are.
    if sign == ':' && said.len() == before.len() && !after.starts_with(' ') {
        return None;
    }
    let of_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = &said[said.trim_end_matches(of_name).len()..];
    // `--secret abc` in a line for a shell.
    let is_flag = || {
        said.len() == before.len()
            && name.starts_with('-')
            && has_secret_word(name)
            && !after.starts_with('-')
    };
    if sign == ' ' && !is_flag() {
        return None;
    }
    let value = after.trim_start().trim_start_matches(QUOTES);
    let value = value.strip_prefix(BEARER).unwrap_or(value);
    Some((name.trim_start_matches('-'), text.len() - value.len()))
}

fn ends(c: char) -> bool {
    c.is_whitespace() || QUOTES.contains(&c) || ENDS.contains(&c)
}

fn is_secret(name: &str, value: &str) -> bool {
    // A number is how many tokens there may be; `$NAME` is what a shell puts there.
    let is_something = !value.starts_with(['{', '[', '$', '='])
        && value != "null"
        && value.parse::<u32>().is_err();
    !name.is_empty() && is_something && is_plain(value) && looks_secret(name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_by_their_names() {
        for (text, name, before) in [
            (r#"{"a":1,"githubToken":"s3cr3t"}"#, "githubToken", r#"{"a":1,"githubToken":""#),
            (r#"{\"apiKey\": \"s3cr3t\"}"#, "apiKey", r#"{\"apiKey\": \""#),
            ("Server=h;User Id=sa;Password=s3c;", "Password", "Server=h;User Id=sa;Password="),
            ("N=a;AccountKey=czNj==;E=b", "AccountKey", "N=a;AccountKey="),
            ("FOO=1 API_TOKEN=s3cr3t exec x", "API_TOKEN", "FOO=1 API_TOKEN="),
            ("exec x --password='s3cr3t'", "password", "exec x --password='"),
            ("exec x --secret abc -y", "secret", "exec x --secret "),
            ("exec x --secret 'a b' -y", "secret", "exec x --secret '"),
            ("x -H 'Authorization: Bearer abc'", "Authorization", "x -H 'Authorization: Bearer "),
            ("jdbc:sqlserver://h:1;password=s3c", "password", "jdbc:sqlserver://h:1;password="),
        ] {
            assert_eq!(first(text), Some((name, before.len())), "{text}");
        }
    }

    #[test]
    fn a_quoted_value_ends_with_its_quote() {
        for (text, found) in [
            ("x --secret 'a b' -y", "a b"),
            ("x --password=\"a;b c\" -y", "a;b c"),
            (r#"{\"apiKey\": \"s3cr3t\"}"#, "s3cr3t"),
            ("Password=s3c;E=b", "s3c"),
        ] {
            let (_, begins) = first(text).unwrap();
            assert_eq!(value(text, begins), found, "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_is_not_found() {
        for text in [
            r#"{"maxTokens":4096,"auth":{"user":"a"},"key":null,"token":""}"#,
            r#"{"token":"${env:TOKEN}"}"#,
            "TOKEN=$TOKEN exec x",
            "exec x --token $TOKEN",
            "exec x --token --verbose",
            "the token is here",
            "x -H 'Authorization: Bearer ${env:T}'",
            "ghcr.io/a/token-server:latest",
            "/srv/keys:/keys",
            "https://h.example/?a=1&token=abc",
            "https://token:pw@h.example/",
            "C:\\tokens",
            "é:=é",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }
}
