//! What a session may be called.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

const MOST: usize = 64;

/// The name of a session, safe as a file name and on a command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(crate) struct SessionName(String);

impl FromStr for SessionName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let fits = (1..=MOST).contains(&text.len()) && text.chars().all(allowed);
        if fits && !text.starts_with(['.', '-']) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "{text:?} cannot name a session: use 1 to {MOST} letters, digits, dots, underscores and \
             hyphens, and neither a dot nor a hyphen first"
        ))
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leads_out_of_the_folder() {
        for good in ["a", "My_session-2.b", &"x".repeat(64)] {
            assert_eq!(good.parse::<SessionName>().unwrap().to_string(), good);
        }
        for bad in ["", ".", "..", ".a", "-a", "a/b", "a b", "ä", "a\0", &"x".repeat(65)] {
            assert!(bad.parse::<SessionName>().is_err(), "{bad:?} was accepted");
        }
    }
}
