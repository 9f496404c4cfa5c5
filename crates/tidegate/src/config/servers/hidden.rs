//! Which values of a server's settings must not come back from it.
//!
//! What a keyring or a file gives is a secret, and so is most of what is read from the environment. What is
//! not are names, places and addresses: a server that is told `${env:HOME}` speaks of files there.

use std::cell::RefCell;

use upstream::{Hiding, Secret, Source};
use url::Url;

use crate::config::secrets::Reference;

/// Settings that say where something is.
const PLACES: [&str; 3] = ["command", "cwd", "openapi"];

/// Variables that hold no secret, by name,
const ORDINARY: [&str; 14] = [
    "HOME", "USER", "LOGNAME", "USERNAME", "PWD", "OLDPWD", "PATH", "SHELL", "LANG", "TERM",
    "TMPDIR", "TMP", "TEMP", "HOSTNAME",
];

/// and by how their names end.
const ENDS: [&str; 17] = [
    "_DIR",
    "_PATH",
    "_HOME",
    "_ROOT",
    "_FOLDER",
    "_FILE",
    "_HOST",
    "_HOSTNAME",
    "_PORT",
    "_REGION",
    "_ENV",
    "_USER",
    "_NAME",
    "_EMAIL",
    "_LEVEL",
    "_MODE",
    "_ID",
];

/// Parts of names of settings whose values are secrets, also where they are written down.
const SECRETS: [&str; 9] =
    ["key", "token", "secret", "password", "passwd", "auth", "credential", "cookie", "session"];

/// Values that must not come back.
#[derive(Default)]
pub(super) struct Hidden(RefCell<Vec<Secret<String>>>);

impl Hidden {
    /// What a reference in a setting stands for.
    pub(super) fn found(&self, setting: &str, reference: &Reference, value: &str) {
        let is_ordinary = match reference {
            Reference::Environment { name, .. } => is_ordinary(name),
            Reference::File(_) | Reference::Keyring(_) => false,
        };
        if !is_ordinary && !PLACES.contains(&setting) {
            self.add(value);
        }
    }

    /// A secret. Of an address, it is what proves who asks.
    pub(super) fn add(&self, value: &str) {
        let mut all = self.0.borrow_mut();
        let mut push = |value: &str| all.push(Secret::new(value.to_owned()));
        match Url::parse(value).ok().filter(Url::has_host) {
            None => push(value),
            Some(url) => {
                if let Some(password) = url.password() {
                    push(password);
                    push(&decoded(password));
                }
                url.query_pairs()
                    .filter(|(name, _)| names_a_secret(name))
                    .for_each(|(_, value)| push(&value));
            }
        }
    }

    /// A server with what must not come back from it.
    pub(super) fn around(self, source: Source) -> Source {
        let values = self.0.into_inner();
        if values.is_empty() {
            return source;
        }
        Source::Hiding(Hiding { source: Box::new(source), values })
    }
}

/// Whether a setting of this name holds a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRETS.iter().any(|part| name.contains(part))
}

fn is_ordinary(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_named = ORDINARY.contains(&name.as_str()) || name.starts_with("XDG_");
    is_named || (ENDS.iter().any(|end| name.ends_with(end)) && !names_a_secret(&name))
}

fn decoded(text: &str) -> String {
    // As a form writes it, a text that has no `&` and `=` is one name.
    let form = text.replace('+', "%2B");
    url::form_urlencoded::parse(form.as_bytes()).map(|(name, _)| name.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(setting: &str, name: &str, value: &str) -> Vec<String> {
        let hidden = Hidden::default();
        let reference = Reference::Environment { name: name.to_owned(), otherwise: None };
        hidden.found(setting, &reference, value);
        hidden.0.into_inner().iter().map(|secret| secret.reveal().clone()).collect()
    }

    #[test]
    fn secrets_are_told_from_names_and_places() {
        assert_eq!(hidden("env.GITHUB_TOKEN", "GH", "ghp_12345678"), ["ghp_12345678"]);
        assert_eq!(hidden("args[1]", "API_KEY_ID", "AKIA12345678"), ["AKIA12345678"]);
        for name in ["HOME", "DATA_DIR", "PROJECT_ID", "XDG_DATA_HOME"] {
            assert!(hidden("args[0]", name, "/srv/anna/data").is_empty(), "{name}");
        }
        assert!(hidden("cwd", "SOMEWHERE", "/srv/anna/data").is_empty());
        let address = "postgres://anna:p%40ssword1@db/x?sslmode=require&token=abcdefgh";
        assert_eq!(hidden("env.DB", "DB_URL", address), ["p%40ssword1", "p@ssword1", "abcdefgh"]);
        assert!(hidden("env.API", "API_URL", "https://api.example.com/v1").is_empty());
    }
}
