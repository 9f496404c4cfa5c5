//! Which values of a server's settings must not come back from it.
//!
//! What a keyring or a file gives is a secret, and so is most of what is read from the environment. What is
//! not are names, places and addresses: a server that is told `${env:HOME}` speaks of files there.

use std::cell::RefCell;

use upstream::{Hiding, Secret, Source};

use crate::config::secrets::Reference;
use crate::config::shown::{is_commonplace, looks_secret, of_arguments, proofs};

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

/// Words of names of settings whose values are secrets, also where they are written down,
const SECRETS: [&str; 14] = [
    "key",
    "keys",
    "pass",
    "pat",
    "pwd",
    "auth",
    "oauth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "session",
    "sessionid",
    "sessions",
];
/// and how such words end: `PGPASSWORD` and `apikey`, but not `keycloak` and `monkey`.
const SECRET_ENDS: [&str; 16] = [
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "accesskey",
    "accountkey",
    "secretkey",
    "privatekey",
];
/// What stands before a secret in a header and is none.
const SCHEMES: [&str; 4] = ["bearer", "basic", "token", "digest"];

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
            Reference::Environment { name, .. } => {
                let is_told = is_for_a_secret(setting) && !is_path(value);
                is_named_ordinary(name) || (is_ordinary(name) && !is_told)
            }
            Reference::File(_) | Reference::Keyring(_) => false,
        };
        if !is_ordinary && !PLACES.contains(&setting) {
            self.add(value);
        }
    }

    /// A secret. Of an address, it is what proves who asks.
    pub(super) fn add(&self, value: &str) {
        // What everybody knows is no secret, whatever it is called.
        if !is_commonplace(value) && !self.address(value) {
            self.sure.borrow_mut().push(Secret::new(value.to_owned()));
        }
    }

    /// What may be a secret: it is hidden only where a server speaks of itself.
    fn maybe(&self, value: &str) {
        if !is_commonplace(value) {
            self.perhaps.borrow_mut().push(Secret::new(unwritten(value)));
        }
    }

    /// A variable or header as it is `written`, and its value.
    pub(super) fn named(&self, name: &str, written: &str, value: &str) {
        // What is nothing but references was looked at when they were found.
        if !has_text(written) || (written.contains("${") && is_path(value)) {
            return;
        }
        match of(name, value) {
            Called::Secret => self.add(value),
            Called::Perhaps if !self.address(value) => self.maybe(value),
            Called::Perhaps | Called::Otherwise => {}
        }
    }

    /// What proves who asks in an address, if the text is one.
    pub(super) fn address(&self, text: &str) -> bool {
        // It is looked at again when what it refers to stands in it.
        let Some(proofs) = proofs(text, names_a_secret).filter(|_| !text.contains("${")) else {
            return false;
        };
        for proof in proofs {
            let list = if proof.is_sure { &self.sure } else { &self.perhaps };
            let (mut all, plain) = (list.borrow_mut(), decoded(proof.text));
            all.extend((plain != proof.text).then(|| Secret::new(plain)));
            all.push(Secret::new(proof.text.to_owned()));
        }
        true
    }

    /// What of a variable or header that is written down is a secret whatever it is called, when what it refers
    /// to stands in it.
    pub(super) fn within(&self, value: &str) {
        let value = [literal(value)];
        let values = of_arguments("", &value);
        let sure = values.sure.into_iter().chain(values.passwords);
        sure.for_each(|value| self.add(&unwritten(value)));
        values.perhaps.into_iter().for_each(|value| self.maybe(value));
        for text in values.addresses {
            self.address(text);
        }
    }

    /// What in arguments looks like a secret, when what they refer to stands in them.
    pub(super) fn arguments(&self, command: &str, args: &[String]) {
        let args: Vec<String> = args.iter().map(|argument| literal(argument)).collect();
        let values = of_arguments(command, &args);
        values.sure.into_iter().for_each(|value| self.add(&unwritten(value)));
        for text in values.addresses {
            self.address(text);
        }
        values.perhaps.into_iter().for_each(|value| self.maybe(value));
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

/// What a variable or header that is written down holds, as far as its name and its value say.
enum Called {
    Secret,
    Perhaps,
    Otherwise,
}

fn of(name: &str, value: &str) -> Called {
    let begins_like_one = looks_secret("", value);
    if names_a_secret(name) || (begins_like_one && !is_ordinary(name)) {
        Called::Secret
    } else if looks_secret(name, value) && !is_ordinary(name) {
        Called::Perhaps
    } else {
        Called::Otherwise
    }
}

/// Whether a setting of this name holds a secret: one of its words says so.
fn names_a_secret(name: &str) -> bool {
    words(name).iter().any(|word| {
        SECRETS.contains(&word.as_str()) || SECRET_ENDS.iter().any(|end| word.ends_with(end))
    })
}

/// The words of a name in lower case: `githubToken` and `GITHUB_TOKEN` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_small = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (is_small && c.is_ascii_uppercase()) {
            words.push(String::new());
        }
        is_small = c.is_ascii_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
    }
    words
}

/// Whether a setting as it is written says more than what it refers to and how that is sent.
fn has_text(written: &str) -> bool {
    if !written.contains("${") {
        return true;
    }
    let mut own = String::new();
    let mut rest = written;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        own.push_str(before);
        rest = if before.ends_with('$') {
            &from[2..]
        } else {
            from.split_once('}').map_or("", |(_, after)| after)
        };
    }
    own.push_str(rest);
    let mut words = own.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| !SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(word)))
}

fn is_ordinary(name: &str) -> bool {
    let ends = |name: &str| ENDS.iter().any(|end| name.ends_with(end));
    is_named_ordinary(name) || (ends(&name.to_ascii_uppercase()) && !names_a_secret(name))
}

fn is_named_ordinary(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ORDINARY.contains(&name.as_str()) || name.starts_with("XDG_")
}

/// Whether a variable or header, `env.API_TOKEN`, is called a secret, whatever its value comes from.
fn is_for_a_secret(setting: &str) -> bool {
    let name = setting.strip_prefix("env.").or_else(|| setting.strip_prefix("headers."));
    name.is_some_and(names_a_secret)
}

/// Whether a value says where a secret is, and is none.
fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~', '.']) || value.get(1..3) == Some(":\\")
}

/// A text without references, as settings have it.
fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

/// The text itself of what was made [`literal`].
fn unwritten(text: &str) -> String {
    text.replace("$${", "${")
}

fn decoded(text: &str) -> String {
    // As a form writes it, a text that has no `&` and `=` is one name.
    let form = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
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
        // What a setting is called counts, too, except for where a secret is.
        assert_eq!(hidden("env.API_TOKEN", "ACME_ENV", "t0ken-of-acme"), ["t0ken-of-acme"]);
        assert_eq!(hidden("headers.X-Key", "ACME_ID", "t0ken-of-acme"), ["t0ken-of-acme"]);
        assert!(hidden("env.LEVEL", "ACME_ENV", "production").is_empty());
        assert!(hidden("env.TOKEN_FILE", "ACME_DIR", "/srv/anna/data").is_empty());
        assert!(hidden("env.AUTH_USER", "USER", "annabelle").is_empty());
        let address = "postgres://anna:p%40ssword1@db/x?sslmode=require&token=abcdefgh";
        assert_eq!(hidden("env.DB", "DB_URL", address), ["p@ssword1", "p%40ssword1", "abcdefgh"]);
        assert!(hidden("env.API", "API_URL", "https://api.example.com/v1").is_empty());
    }

    #[test]
    fn words_of_names_say_what_is_a_secret() {
        for name in ["API_KEY", "githubToken", "X-Api-Key", "PGPASSWORD", "apikey", "DB_PASS"] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in ["Z_KEYCLOAK_ENV", "MONKEY", "AUTHOR", "BYPASS", "PATH", ""] {
            assert!(!names_a_secret(name), "{name}");
        }
        assert!(hidden("env.Z_KEYCLOAK_ENV", "APP_ENV", "production").is_empty());
        assert!(hidden("env.API_TOKEN", "APP_ENV", "production").is_empty());
    }

    #[test]
    fn text_beside_references_is_text() {
        for written in ["abc", "dollar$${abcdef}pw", "literal${env:X}"] {
            assert!(has_text(written), "{written}");
        }
        for written in ["${env:X}", "Bearer ${env:X}", "${env:A}:${env:B}"] {
            assert!(!has_text(written), "{written}");
        }
    }
}
