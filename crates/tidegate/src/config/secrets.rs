//! Secrets in settings are references, resolved when a server is about to be used.
//!
//! | written | is |
//! | --- | --- |
//! | `${env:NAME}` | a variable of the environment |
//! | `${env:NAME:-text}` | the same, or `text` when it is not set or empty |
//! | `${file:PATH}` | what a file holds, without its last line break |
//! | `${keyring:SERVICE/USER}` | an entry of the operating system's keyring |
//! | `$${` | the two characters `${` |
//!
//! What a reference stands for is never written back to a file and never shown; the reference
//! itself is no secret.

mod keyring;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

pub(crate) use self::keyring::{Entry, KeyringError};

/// The largest secret read from a file. More is a mistake, such as a device file.
const MOST_BYTES: u64 = 1 << 20;

/// Text with references in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Reference(Reference),
}

/// Where a secret is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reference {
    /// A variable of the environment.
    Environment {
        /// Its name.
        name: String,
        /// What to use when it is not set.
        otherwise: Option<String>,
    },
    /// A file, relative to the one that names it.
    File(String),
    /// An entry of the keyring.
    Keyring(Entry),
}

/// Why text with `${` in it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TemplateError {
    /// There is no `}`.
    #[error("a `${{` has no `}}`; close it, or write `$${{` for the two characters themselves")]
    Open,
    /// It is none of the three kinds.
    #[error(
        "`${{{0}}}` is no reference; write ${{env:NAME}}, ${{file:PATH}} or ${{keyring:SERVICE/USER}}, or \
         `$${{` for the two characters `${{` themselves"
    )]
    Unknown(String),
    /// `${NAME}`, as shells and other configuration files have it.
    #[error("`${{{0}}}` is no reference; write ${{env:{0}}} for the environment variable")]
    Bare(String),
    /// It names nothing that could exist.
    #[error(
        "`${{{0}}}` names nothing; write ${{env:NAME}}, ${{file:PATH}} or ${{keyring:SERVICE/USER}}"
    )]
    Nameless(String),
}

/// Why a secret is not to be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretError {
    /// The variable is not there.
    #[error("the environment variable {name} is not set; set it and try again")]
    NotSet {
        /// Which.
        name: String,
    },
    /// The variable holds something else than text.
    #[error("the environment variable {name} is not UTF-8 text")]
    NotText {
        /// Which.
        name: String,
    },
    /// The file cannot be read.
    #[error("the file {} cannot be read ({source}); check the path", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The keyring does not give it.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
}

/// Where secrets are looked for. A value rather than the machine itself, so that only
/// `config` reads the environment and tests read nothing.
pub(crate) struct Lookup<'a> {
    /// The folder that relative paths start from.
    pub(crate) folder: &'a Path,
    /// The user's home folder.
    pub(crate) home: Option<&'a Path>,
    /// The environment.
    pub(crate) environment: &'a dyn Fn(&str) -> Option<OsString>,
    /// The keyring.
    pub(crate) keyring: &'a Keyring,
}

/// Gives what the keyring keeps under a name.
pub(crate) type Keyring = dyn Fn(&Entry) -> Result<String, KeyringError>;

impl Template {
    /// Reads text that may hold references.
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at(at);
            if let Some(before) = before.strip_suffix('$') {
                plain.push_str(before);
                plain.push_str("${");
                rest = &from[2..];
                continue;
            }
            let (inside, after) = from[2..].split_once('}').ok_or(TemplateError::Open)?;
            plain.push_str(before);
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Reference(Reference::parse(inside)?));
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self(pieces))
    }

    /// The text itself, if it holds no reference.
    pub(crate) fn plain(&self) -> Option<String> {
        match self.0.as_slice() {
            [] => Some(String::new()),
            [Piece::Text(text)] => Some(text.clone()),
            _ => None,
        }
    }

    /// What it refers to.
    pub(crate) fn references(&self) -> impl Iterator<Item = &Reference> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Reference(reference) => Some(reference),
            Piece::Text(_) => None,
        })
    }

    /// The text with what its references stand for.
    pub(crate) fn resolve(&self, lookup: &Lookup<'_>) -> Result<String, SecretError> {
        self.resolve_telling(lookup, &mut |_, _| {})
    }

    /// The same; `found` hears what each of them stands for.
    pub(crate) fn resolve_telling(
        &self,
        lookup: &Lookup<'_>,
        found: &mut dyn FnMut(&Reference, &str),
    ) -> Result<String, SecretError> {
        let mut whole = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => whole.push_str(text),
                Piece::Reference(reference) => {
                    let value = reference.resolve(lookup)?;
                    found(reference, &value);
                    whole.push_str(&value);
                }
            }
        }
        Ok(whole)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment { name, otherwise: None } => write!(f, "${{env:{name}}}"),
            Self::Environment { name, otherwise: Some(text) } => {
                write!(f, "${{env:{name}:-{text}}}")
            }
            Self::File(path) => write!(f, "${{file:{path}}}"),
            Self::Keyring(entry) => write!(f, "${{keyring:{entry}}}"),
        }
    }
}

impl Reference {
    fn parse(inside: &str) -> Result<Self, TemplateError> {
        let nameless = || TemplateError::Nameless(inside.to_owned());
        let Some((scheme, name)) = inside.split_once(':') else {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let bare = !inside.is_empty() && inside.chars().all(is_name);
            let error = if bare { TemplateError::Bare } else { TemplateError::Unknown };
            return Err(error(inside.to_owned()));
        };
        match scheme {
            "env" => {
                let (name, otherwise) = match name.split_once(":-") {
                    Some((name, otherwise)) => (name, Some(otherwise.to_owned())),
                    None => (name, None),
                };
                let fits = !name.is_empty() && !name.contains(['=', '\0']);
                let name = Some(name.to_owned()).filter(|_| fits).ok_or_else(nameless)?;
                Ok(Self::Environment { name, otherwise })
            }
            "file" if name.is_empty() => Err(nameless()),
            "file" => Ok(Self::File(name.to_owned())),
            "keyring" => name.parse().map(Self::Keyring).map_err(|_| nameless()),
            _ => Err(TemplateError::Unknown(inside.to_owned())),
        }
    }

    /// What it stands for.
    pub(crate) fn resolve(&self, lookup: &Lookup<'_>) -> Result<String, SecretError> {
        match self {
            Self::Environment { name, otherwise } => {
                let value = (lookup.environment)(name)
                    .filter(|value| otherwise.is_none() || !value.is_empty());
                match (value, otherwise) {
                    (Some(value), _) => {
                        value.into_string().map_err(|_| SecretError::NotText { name: name.clone() })
                    }
                    (None, Some(otherwise)) => Ok(otherwise.clone()),
                    (None, None) => Err(SecretError::NotSet { name: name.clone() }),
                }
            }
            Self::File(written) => {
                let path = full_path(written, lookup);
                read(&path).map_err(|source| SecretError::File { path, source })
            }
            Self::Keyring(entry) => Ok((lookup.keyring)(entry)?),
        }
    }
}

/// A path as settings have it: `~/` is the home folder, and relative ones start where the file
/// with the setting is.
pub(super) fn full_path(written: &str, lookup: &Lookup<'_>) -> PathBuf {
    match (written.strip_prefix("~/"), lookup.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => lookup.folder.join(written),
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(format!("it has more than {MOST_BYTES} bytes")));
    }
    let end = text
        .strip_suffix('\n')
        .map_or(text.len(), |line| line.strip_suffix('\r').unwrap_or(line).len());
    text.truncate(end);
    Ok(text)
}

#[cfg(test)]
mod tests;
