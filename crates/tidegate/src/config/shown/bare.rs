//! Names and passwords before a host where no scheme says that this is an address: `u:pw@host/db`.

use std::ops::Range;

use super::address::{ENDS, addresses, is_hidden};

/// What stands before a colon and is no name of a user: what follows is an address of another kind, a package or
/// a phone.
const KINDS: [&str; 10] =
    ["mailto", "acct", "sip", "sips", "xmpp", "npm", "jsr", "workspace", "pkg", "pip"];
/// What may be a name of a user. Where no port and no path follow the host, it says whose e-mail address this is.
const LABELS: [&str; 17] = [
    "mail",
    "email",
    "e-mail",
    "from",
    "to",
    "cc",
    "bcc",
    "reply-to",
    "sender",
    "recipient",
    "author",
    "owner",
    "contact",
    "user",
    "login",
    "account",
    "github",
];
/// What stands before the name of a repository, `github:owner/name@branch`.
const REPOSITORIES: [&str; 5] = ["github", "gitlab", "bitbucket", "gist", "git"];
/// What stands after `@` and is no host: which version.
const VERSIONS: [&str; 4] = ["latest", "next", "main", "master"];
/// The same, before a digest.
const DIGESTS: [&str; 2] = ["sha256:", "sha512:"];

/// Where the passwords of such places are in a text.
pub(super) fn passwords(text: &str) -> Vec<Range<usize>> {
    let places = addresses(text);
    let is_end = |c: char| c.is_whitespace() || ENDS.contains(&c);
    let mut found = Vec::new();
    let mut begins = 0;
    for word in text.split_inclusive(is_end) {
        let ends = begins + word.len();
        let of_address = places.iter().any(|place| place.start < ends && begins < place.end);
        if !of_address && let Some(range) = password(word.trim_end_matches(is_end)) {
            found.push(begins + range.start..begins + range.end);
        }
        begins += word.len();
    }
    found
}

/// Whose password it is that begins there.
pub(super) fn user(text: &str, begins: usize) -> &str {
    let before = text[..begins].strip_suffix(':').unwrap_or_default();
    before.rsplit(|c: char| !of_name(c)).next().unwrap_or_default()
}

/// The password in one word.
fn password(word: &str) -> Option<Range<usize>> {
    let authority = &word[..word.find(['/', '\\']).unwrap_or(word.len())];
    let (before, _) = authority.rsplit_once('@').or_else(|| with_slash(word))?;
    let host = &word[before.len() + 1..];
    let colons = before.match_indices(':').map(|(at, _)| at);
    let (name, begins) = colons
        .map(|at| (name(&before[..at]), at + 1))
        .find(|(name, _)| name.is_some_and(|name| name.chars().all(of_name)))?;
    let is_one_of = |all: &[&str]| {
        all.iter().any(|one| name.is_some_and(|name| name.eq_ignore_ascii_case(one)))
    };
    let is_label = is_one_of(&LABELS) || name.is_some_and(is_number);
    let is_of_path =
        before[begins..].contains('/') && (is_one_of(&REPOSITORIES) || is_path(&before[begins..]));
    let is_repository = is_of_path || name.is_some_and(|name| name.starts_with("git+"));
    let is_password = is_hidden(&before[begins..])
        && is_host(host)
        && !is_one_of(&KINDS)
        && !is_repository
        && (!is_label || has_place(host));
    is_password.then_some(begins..before.len())
}

/// What stands before the host where the password has a slash in it: `anna:p/ss@host/db`.
fn with_slash(word: &str) -> Option<(&str, &str)> {
    let (before, host) = word.rsplit_once('@')?;
    let (_, password) = before.split_once(':')?;
    let (start, _) = password.split_once('/')?;
    // `host:80/x@y`, `-v a:/b@c` and `C:\b@c` have none.
    let is_password = !start.is_empty()
        && !is_number(start)
        && !start.starts_with(['.', '~', '@', '\\'])
        && has_place(host);
    is_password.then_some((before, host))
}

/// Whether a text with slashes is made of names, `owner/name`.
fn is_path(text: &str) -> bool {
    let of_path = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    text.split('/').all(|name| {
        name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(of_path)
    })
}

/// Whether a port or a path follows a host.
fn has_place(host: &str) -> bool {
    let (host, path) = host.split_once('/').map_or((host, None), |(host, path)| (host, Some(path)));
    let port = host.rsplit_once(':').map(|(_, port)| port);
    path.is_some() || port.is_some_and(is_number)
}

/// What is called something before a colon: all of it, or what follows the last sign that ends something else.
fn name(before: &str) -> Option<&str> {
    before.rsplit(['=', ',', ';', '(', '[', '{']).next()
}

fn of_name(c: char) -> bool {
    c.is_alphanumeric() || "._%+-!".contains(c)
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_digit())
}

fn is_host(host: &str) -> bool {
    let is_version = VERSIONS.contains(&host) || DIGESTS.iter().any(|kind| host.starts_with(kind));
    // `1.2.3` is a version, and `10.0.0.1` is a host.
    let numbers = host.strip_prefix('v').unwrap_or(host).split('.');
    let is_numbered = numbers.clone().all(is_number) && numbers.count() != 4;
    // `/` is a database or a socket of this machine.
    !is_version
        && !is_numbered
        && host.starts_with(|c: char| c.is_alphanumeric() || "[/".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        passwords(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn passwords_are_found_without_a_scheme() {
        for (text, password) in [
            ("u:pw@host/db", "pw"),
            ("--dsn=root:s3c=r,et@tcp(db:3306)/shop", "s3c=r,et"),
            ("DB=anna:p@ss@10.0.0.1:5432/x", "p@ss"),
            (":pw@cache:6379/0", "pw"),
            ("u:pw@main-db/x", "pw"),
            (r#"{"db":"u:pw@host"}"#, "pw"),
            ("connect é:pw@[::1]/x now", "pw"),
            ("user:S3cret@db.example.com:5432/app", "S3cret"),
            ("login:pw@db/app", "pw"),
            ("github:pw@db:5432", "pw"),
            ("4711:pw@db:5432/app", "pw"),
            ("anna:p/ss@h/db", "p/ss"),
            ("anna:pw@/var/run/sock", "pw"),
            ("tenant!anna:pw@h", "pw"),
        ] {
            assert_eq!(found(text), [password], "{text}");
        }
        assert_eq!(found("a:bc@d/ e:fg@h/"), ["bc", "fg"]);
        assert_eq!(user("DB=anna:pw@h/", "DB=anna:".len()), "anna");
    }

    #[test]
    fn mail_ssh_and_versions_have_none() {
        for text in [
            "anna@example.com",
            "mailto:anna@example.com",
            "From:anna@example.com",
            "name: anna@example.com",
            "git@github.com:a/b.git",
            "anna@host:/srv/x@y",
            "redis:7@sha256:0123",
            "npm:left-pad@1.2.3",
            "tool:name@v2",
            "tool:name@latest",
            "12:30@office",
            "user:anna@example.com",
            "owner:anna@example.com",
            "sip:anna@example.com:5060",
            "host:5000/image@sha256:0123",
            "host:80/x@y/z",
            "C:/Users/anna@example.com/x",
            "/a:/b@c/d",
            "npm:@scope/name@1.2.3",
            "@scope/name@1.0.0",
            "github:acme-corp/mcp-server@release/v2",
            "github:Acme/Server@release/v2",
            "gitlab:acme/server@release/v2",
            "git+ssh:git@host/acme/server",
            "acme:owner/name@release/v2",
            "https://u:pw@host/db",
            "x=https://u:pw@host/db",
            "u:${env:PW}@host/db",
            "a:@b",
            ":@",
            "é:",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
