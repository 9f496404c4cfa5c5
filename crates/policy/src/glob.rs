//! Patterns of names: `github.*`, `*.delete_*`.

use serde::{Deserialize, Serialize};

/// A pattern in which `*` stands for any letters and `?` for one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Glob(String);

impl Glob {
    /// A pattern as it is written.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it stands for `name`. Takes time in proportion to both lengths at worst.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) =
            (self.0.chars().collect(), name.chars().collect());
        let (mut p, mut n) = (0, 0);
        // Where to go back to: the last star, and what it has taken so far.
        let mut star: Option<(usize, usize)> = None;
        while n < name.len() {
            match pattern.get(p) {
                Some('*') => {
                    star = Some((p, n));
                    p += 1;
                }
                Some(&letter) if letter == '?' || letter == name[n] => {
                    p += 1;
                    n += 1;
                }
                _ => match star {
                    Some((at, taken)) => {
                        star = Some((at, taken + 1));
                        p = at + 1;
                        n = taken + 1;
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|letter| *letter == '*')
    }

    /// Whether it stands for everything that `other` stands for. It may say no where that is not clear.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        // A star of the other is a letter that only a star of ours stands for.
        let is_clear = !(other.0.contains('?') || self.0.contains('?') && other.0.contains('*'));
        self.0 == other.0 || (is_clear && self.matches(&other.0.replace('*', "\u{0}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        let is = |pattern: &str, name: &str| Glob::new(pattern).matches(name);
        assert!(is("*", "") && is("*", "a.b") && is("github.*", "github.get_me"));
        assert!(is("*.delete_*", "github.delete_repo") && is("a?c", "abc") && is("a**c", "ac"));
        assert!(!is("github.*", "gitlab.get") && !is("a?c", "ac") && !is("", "a") && is("", ""));
        // Many stars do not make it slow.
        let long = "a".repeat(20_000);
        assert!(!is(&"*a".repeat(50), &format!("{long}b")));
    }

    #[test]
    fn what_covers_what() {
        let covers = |wide: &str, narrow: &str| Glob::new(wide).covers(&Glob::new(narrow));
        assert!(covers("*", "github.*") && covers("github.*", "github.delete_*"));
        assert!(covers("github.*", "github.get") && covers("a*b", "a*b"));
        assert!(!covers("github.delete_*", "github.*") && !covers("a?c", "a*c"));
    }
}
