//! Signatures: minisign, over the manifest of a pack.
//!
//! A signature names its key only by a number that anybody can choose, so the manifest says the whole
//! public key, and it is that key which is trusted or not.

use std::fmt;
use std::io::Cursor;

use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox, SignatureBox};
use serde::{Deserialize, Serialize};

/// Longer than any key or signature.
const MAX_TEXT: usize = 4 << 10;

/// Why a key or a signature is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// It is no public key of minisign's.
    #[error("{text:?} is not a public key of minisign's: 56 letters that start with RW")]
    NotAKey {
        /// What was given, cut to what can be shown.
        text: String,
    },
    /// It is no secret key that can be used.
    #[error("the secret key cannot be used: {problem}; it must be minisign's, without a password")]
    NotASecret {
        /// What minisign said.
        problem: String,
    },
    /// The signature is not of these bytes by this key.
    #[error("the signature does not fit: the manifest was changed, or signed with another key")]
    DoesNotFit,
}

/// Whose signature counts: a public key, in minisign's letters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key(String);

impl Key {
    /// Takes a text as a key, if it is one.
    pub fn new(text: &str) -> Result<Self, SealError> {
        let text = text.trim();
        let wrong = || SealError::NotAKey { text: text.chars().take(80).collect() };
        // minisign itself does not look at the two letters that say which algorithm it is.
        if text.len() > MAX_TEXT || !text.starts_with("RW") {
            return Err(wrong());
        }
        PublicKey::from_base64(text).map_err(|_| wrong())?;
        Ok(Self(text.to_owned()))
    }

    /// Whether `signature` is of `bytes` by this key.
    pub(crate) fn verify(&self, bytes: &[u8], signature: &[u8]) -> Result<(), SealError> {
        let text = std::str::from_utf8(signature).ok().filter(|text| text.len() <= MAX_TEXT);
        let signature = text.and_then(|text| SignatureBox::from_string(text).ok());
        let key = PublicKey::from_base64(&self.0).map_err(|_| SealError::DoesNotFit)?;
        let signature = signature.ok_or(SealError::DoesNotFit)?;
        minisign::verify(&key, &signature, Cursor::new(bytes), true, false, false)
            .map_err(|_| SealError::DoesNotFit)
    }
}

impl std::str::FromStr for Key {
    type Err = SealError;

    fn from_str(text: &str) -> Result<Self, SealError> {
        Self::new(text)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for Key {
    type Error = SealError;

    fn try_from(text: String) -> Result<Self, SealError> {
        Self::new(&text)
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0
    }
}

/// Somebody who signs packs.
pub struct Signer {
    secret: SecretKey,
    public: PublicKey,
}

impl Signer {
    /// A key that nobody had before, and the text of the file to keep it in.
    pub fn generate() -> Result<(Self, String), SealError> {
        let wrong = |error: minisign::PError| SealError::NotASecret { problem: error.to_string() };
        let KeyPair { pk, sk } = KeyPair::generate_unencrypted_keypair().map_err(wrong)?;
        let text = sk.to_box(Some("key that signs packs of skills")).map_err(wrong)?.into_string();
        Ok((Self { secret: sk, public: pk }, text))
    }

    /// The key in a file that [`Signer::generate`] or minisign made.
    pub fn read(text: &str) -> Result<Self, SealError> {
        let wrong = |error: minisign::PError| SealError::NotASecret { problem: error.to_string() };
        if text.len() > MAX_TEXT {
            return Err(SealError::NotASecret { problem: "the file is too long".to_owned() });
        }
        let boxed = SecretKeyBox::from_string(text).map_err(wrong)?;
        let secret = SecretKey::from_unencrypted_box(boxed).map_err(wrong)?;
        let public = PublicKey::from_secret_key(&secret).map_err(wrong)?;
        Ok(Self { secret, public })
    }

    /// The key that others must trust.
    #[must_use]
    pub fn key(&self) -> Key {
        Key(self.public.to_base64())
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> Result<String, SealError> {
        let comment = Some("a pack of skills");
        let signed =
            minisign::sign(Some(&self.public), &self.secret, Cursor::new(bytes), comment, comment);
        signed
            .map(SignatureBox::into_string)
            .map_err(|error| SealError::NotASecret { problem: error.to_string() })
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Signer({})", self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_fits_its_bytes_and_its_key_only() {
        let (signer, text) = Signer::generate().unwrap();
        let (other, _) = Signer::generate().unwrap();
        let signature = signer.sign(b"what was signed").unwrap();
        let check = |key: &Key, bytes: &[u8]| key.verify(bytes, signature.as_bytes());
        assert_eq!(check(&signer.key(), b"what was signed"), Ok(()));
        assert_eq!(check(&signer.key(), b"what was signee"), Err(SealError::DoesNotFit));
        assert_eq!(check(&other.key(), b"what was signed"), Err(SealError::DoesNotFit));
        assert_eq!(signer.key().verify(b"", b"nonsense"), Err(SealError::DoesNotFit));
        let again = Signer::read(&text).unwrap();
        assert_eq!(again.key(), signer.key());
        assert_eq!(check(&again.key(), b"what was signed"), Ok(()));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        assert!(Key::new("RWabc").is_err());
        assert!(Key::new(&"A".repeat(56)).is_err());
        assert!(Signer::read("comment\nnot a key\n").is_err());
        assert!(Signer::read("").is_err());
    }
}
