//! Which values of a server's settings must not come back from it.
//!
//! What a keyring or a file gives is a secret, and so is most of what is read from the environment. What is
//! not are names, places and addresses: a server that is told `${env:HOME}` speaks of files there.

use std::cell::RefCell;

use upstream::{Hiding, Secret, Source};
use url::Url;

use crate::config::secrets::Reference;
use crate::config::shown::{is_token, looks_secret, of_arguments};

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
pub(super) struct Hidden {
    sure: RefCell<Vec<Secret<String>>>,
    perhaps: RefCell<Vec<Secret<String>>>,
}

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
        if !self.address(value) {
            self.sure.borrow_mut().push(Secret::new(value.to_owned()));
        }
    }

    /// What proves who asks in an address, if the text is one.
    pub(super) fn address(&self, text: &str) -> bool {
        let mut all = self.sure.borrow_mut();
        let mut push = |value: &str| all.push(Secret::new(value.to_owned()));
        // A reference in it is told apart.
        match Url::parse(text).ok().filter(|url| url.has_host() && !text.contains("${")) {
            None => false,
            Some(url) => {
                if is_token(url.scheme(), url.username(), url.password()) {
                    push(url.username());
                }
                if let Some(password) = url.password() {
                    push(password);
                    push(&decoded(password));
                }
                url.query_pairs()
                    .filter(|(name, _)| names_a_secret(name))
                    .for_each(|(_, value)| push(&value));
                true
            }
        }
    }

    /// What stands in arguments themselves and looks like a secret.
    pub(super) fn arguments(&self, args: &[String]) {
        let values = of_arguments(args);
        values.sure.into_iter().for_each(|value| self.add(value));
        for text in values.addresses {
            self.address(text);
        }
        let perhaps = values.perhaps.into_iter().map(|value| Secret::new(value.to_owned()));
        self.perhaps.borrow_mut().extend(perhaps);
    }

    /// A server with what must not come back from it.
    pub(super) fn around(self, source: Source) -> Source {
        let (values, perhaps) = (self.sure.into_inner(), self.perhaps.into_inner());
        if values.is_empty() && perhaps.is_empty() {
            return source;
        }
        Source::Hiding(Hiding { source: Box::new(source), values, perhaps })
    }
}

/// Whether a variable or header that is written down holds a secret.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    names_a_secret(name) || (looks_secret(name, value) && !is_ordinary(name))
}

/// Whether a setting of this name holds a secret.
fn names_a_secret(name: &str) -> bool {
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
        hidden.sure.into_inner().iter().map(|secret| secret.reveal().clone()).collect()
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
