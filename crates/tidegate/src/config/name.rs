//! What a server may be called.

use catalog::ServerName;

const MOST: usize = 64;

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

/// A name that is allowed and looks like this one; `None` when nothing of it is left.
pub(crate) fn adapted(text: &str) -> Option<ServerName> {
    if let Ok(name) = check(text) {
        return Some(name);
    }
    let replaced: String = text.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect();
    let trimmed = replaced.trim_start_matches(['-', '.']).trim_end_matches('-');
    check(&trimmed[..trimmed.len().min(MOST)]).ok()
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
        let adapted = |text| adapted(text).map(|name| name.0);
        assert_eq!(adapted("kept-"), Some("kept-".into()));
        assert_eq!(adapted("My Server"), Some("My-Server".into()));
        assert_eq!(adapted("@org/files"), Some("org-files".into()));
        assert_eq!(adapted("日本"), None);
    }
}
