//! Which users' questions are answered with programs: a share of them, and always the same ones.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// Parts that users are divided into.
const PARTS: u64 = 10_000;

/// Which part of a roll-out somebody is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Questions are answered with programs.
    Code,
    /// Questions are answered with tools.
    Direct,
}

impl Arm {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Direct => "direct",
        }
    }

    /// The arm of a user, where `percent` of all are answered with programs. Raising the share moves
    /// nobody back.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "small whole numbers")]
    pub fn of(owner: &str, user: Option<&str>, percent: f64) -> Self {
        let mut digest = Sha256::new();
        // Lengths first, so that no two pairs are the same bytes.
        for part in [owner, user.unwrap_or_default()] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        let mut first = [0; 8];
        first.copy_from_slice(&digest.finalize()[..8]);
        let place = (u64::from_be_bytes(first) % PARTS) as f64;
        if place < percent * PARTS as f64 / 100.0 { Self::Code } else { Self::Direct }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_code(percent: f64) -> Vec<usize> {
        let of = |number: &usize| Arm::of("acme", Some(&format!("user{number}")), percent);
        (0..2000).filter(|number| of(number) == Arm::Code).collect()
    }

    #[test]
    fn a_quarter_is_about_a_quarter_and_stays_when_it_grows() {
        let quarter = in_code(25.0);
        assert!((400..600).contains(&quarter.len()), "{}", quarter.len());
        assert_eq!(quarter, in_code(25.0));
        let half = in_code(50.0);
        assert!(quarter.iter().all(|user| half.contains(user)));
    }

    #[test]
    fn nobody_and_everybody_are_exact() {
        assert_eq!((in_code(0.0).len(), in_code(100.0).len()), (0, 2000));
    }
}
