//! What a server may be called.

use catalog::ServerName;

const MOST: usize = 64;
/// Letters of the mark that tells apart names which would otherwise be the same, with its hyphen.
const MARK: usize = 9;
/// What a server is called of whose own name nothing can be kept.
const NAMELESS: &str = "server";

/// Accepts a name that is safe in files, on command lines and in programs.
pub(crate) fn check(text: &str) -> Result<ServerName, String> {
    let fits = (1..=MOST).contains(&text.len()) && text.chars().all(is_allowed);
    if fits && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(ServerName(text.to_owned()));
    }
    Err(format!(
        "{text:?} cannot name a server: use 1 to {MOST} letters, digits, dots, underscores and hyphens, and \
         neither a dot nor a hyphen first"
    ))
}

/// A name that is allowed and looks like this one.
pub(crate) fn adapted(text: &str) -> ServerName {
    check(text).or_else(|_| check(&likeness(text))).unwrap_or_else(|_| marked(text))
}

/// The same with a mark that only this text has, for where another server has that name already.
pub(crate) fn marked(text: &str) -> ServerName {
    let likeness = likeness(text);
    let likeness = likeness.get(..MOST - MARK).unwrap_or(&likeness);
    let likeness = if likeness.is_empty() { NAMELESS } else { likeness };
    ServerName(format!("{likeness}-{:08x}", digest(text)))
}

/// What can be kept of a text, which may be nothing.
fn likeness(text: &str) -> String {
    let replaced: String = text.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect();
    let trimmed = replaced.trim_start_matches(['-', '.']).trim_end_matches('-');
    trimmed[..trimmed.len().min(MOST)].to_owned()
}

/// FNV-1a, because the name must be the same with every version of ours.
fn digest(text: &str) -> u32 {
    text.bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for good in ["github", "a", "_x", "awslabs.core-mcp_2", &"x".repeat(64)] {
            assert_eq!(check(good).unwrap().0, good);
        }
        for bad in ["", "-x", ".x", "a b", "a/b", "ä", "a\n", &"x".repeat(65)] {
            assert!(check(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn a_name_from_elsewhere_is_adapted() {
        let adapted = |text| adapted(text).0;
        assert_eq!(adapted("kept-"), "kept-");
        assert_eq!(adapted("My Server"), "My-Server");
        assert_eq!(adapted("@org/files"), "org-files");
    }

    #[test]
    fn a_name_of_which_nothing_can_be_kept_is_replaced_by_one_that_stays_the_same() {
        let adapted = |text| adapted(text).0;
        assert_eq!(adapted("日本"), "server-9f26ee51");
        assert_eq!(adapted("東京"), "server-68dea76f");
        assert_eq!(adapted(""), "server-811c9dc5");
        assert_eq!(adapted("..."), "server-0ac31c19");
    }

    #[test]
    fn a_mark_tells_apart_what_would_be_one_name() {
        assert_eq!(marked("My Server").0, "My-Server-c077ed6e");
        assert_eq!(marked("My@Server").0, "My-Server-b829e5ce");
        let (one, other) = (marked(&"x".repeat(80)), marked(&"x".repeat(81)));
        assert_ne!(one, other);
        assert!(check(&one.0).is_ok() && one.0.len() == MOST, "{one}");
    }
}
