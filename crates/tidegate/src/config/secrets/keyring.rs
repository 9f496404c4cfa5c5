//! The operating system's keyring: Secret Service on Linux, Keychain on macOS.

use std::fmt;
use std::str::FromStr;

/// The name of an entry: `SERVICE/USER`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    service: String,
    user: String,
}

/// Why the keyring does not do what is asked.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum KeyringError {
    /// There is none.
    #[error(
        "the keyring cannot be reached ({reason}); start one (GNOME Keyring, KWallet, KeePassXC) and unlock it, \
         or use ${{env:NAME}} or ${{file:PATH}} instead"
    )]
    None {
        /// What was seen.
        reason: String,
    },
    /// It has no such entry.
    #[error("the keyring has no entry {entry}; `tidegate secret set {entry}` makes one")]
    NoEntry {
        /// Which.
        entry: Entry,
    },
    /// It refused.
    #[error("the keyring did not {action} {entry} ({reason}); unlock it and try again")]
    Refused {
        /// "give", "keep" or "remove".
        action: &'static str,
        /// Which.
        entry: Entry,
        /// Its words.
        reason: String,
    },
}

impl FromStr for Entry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The last slash divides, because services like to be called by addresses.
        match text.rsplit_once('/') {
            Some((service, user))
                if !service.is_empty() && !user.is_empty() && !text.contains('}') =>
            {
                Ok(Self { service: service.to_owned(), user: user.to_owned() })
            }
            _ => Err(format!(
                "{text:?} names no entry of the keyring: write SERVICE/USER, such as github/token"
            )),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.service, self.user)
    }
}

impl Entry {
    /// What the keyring keeps under this name.
    pub(crate) fn secret(&self) -> Result<String, KeyringError> {
        self.open()?.get_password().map_err(|error| self.refused("give", &error))
    }

    /// Keeps a secret under this name, in place of the one before.
    pub(crate) fn keep(&self, secret: &str) -> Result<(), KeyringError> {
        self.open()?.set_password(secret).map_err(|error| self.refused("keep", &error))
    }

    /// Removes the secret.
    pub(crate) fn remove(&self) -> Result<(), KeyringError> {
        self.open()?.delete_credential().map_err(|error| self.refused("remove", &error))
    }

    fn open(&self) -> Result<keyring::Entry, KeyringError> {
        if let Err(error) = keyring::Entry::store_status() {
            return Err(KeyringError::None { reason: error.to_string() });
        }
        keyring::Entry::new(&self.service, &self.user)
            .map_err(|error| KeyringError::None { reason: error.to_string() })
    }

    fn refused(&self, action: &'static str, error: &keyring::Error) -> KeyringError {
        let entry = self.clone();
        match error {
            keyring::Error::NoEntry => KeyringError::NoEntry { entry },
            // Errors about the content may hold it; only their kind is told.
            keyring::Error::BadEncoding(_) => {
                KeyringError::Refused { action, entry, reason: "it is not UTF-8 text".to_owned() }
            }
            error => KeyringError::Refused { action, entry, reason: error.to_string() },
        }
    }
}
