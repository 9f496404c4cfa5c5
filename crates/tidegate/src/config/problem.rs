//! What can be wrong with a configuration file, with the line to change.

use std::io;
use std::path::{Path, PathBuf};

use super::nearest;

/// Why a configuration file cannot be used. Nobody but its author can do anything about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// It cannot be read.
    #[error("could not read {} ({source}); check the path", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// It may be somebody else's, and it can start programs.
    #[error(
        "{} {reason}, and could start programs in your name; make it yours and only yours to write, or give it \
         with --config if you trust it", path.display()
    )]
    NotYours {
        /// Which file.
        path: PathBuf,
        /// "belongs to another user".
        reason: &'static str,
    },
    /// It is not TOML or not JSON.
    #[error("{}:{line}: {message}", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// It has a key that means nothing.
    #[error("{}:{line}: {place}there is no key `{key}`{meant}; valid keys: {valid}", path.display())]
    UnknownKey {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// "in [servers.github] ", or nothing at the top.
        place: Box<str>,
        /// The key.
        key: String,
        /// " (did you mean `command`?)", or nothing.
        meant: String,
        /// The keys there are.
        valid: Box<str>,
    },
    /// A key has a value that does not fit.
    #[error("{}:{line}: `{key}`: {message}", path.display())]
    Value {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// The key with its tables: `servers.github.args`.
        key: String,
        /// What is wrong with the value.
        message: String,
    },
    /// A rule cannot be used.
    #[error("{}: [policy] {message}", path.display())]
    Policy {
        /// The file, or the last of several.
        path: PathBuf,
        /// What is wrong, and with which rule.
        message: String,
    },
    /// The keys of one server contradict each other.
    #[error("{}:{line}: server `{server}`: {message}", path.display())]
    Server {
        /// Which file.
        path: PathBuf,
        /// Where the server's table begins, from 1.
        line: usize,
        /// The server.
        server: String,
        /// What is wrong with it.
        message: String,
    },
}

impl ConfigError {
    /// Says in our words what the TOML reader said.
    pub(super) fn from_toml(path: &Path, text: &str, mut error: toml::de::Error) -> Self {
        let path = path.to_owned();
        let line = line_at(text, error.span().map_or(0, |span| span.start));
        let message = error.message().to_owned();
        // Without the text, the reader ends with the key's tables and name.
        error.set_input(None);
        let shown = error.to_string();
        let keys =
            shown.rsplit_once("in `").and_then(|(_, keys)| keys.trim_end().strip_suffix('`'));
        if let Some((key, valid)) = unknown_field(&message) {
            let place = keys.map_or_else(String::new, |tables| format!("in [{tables}] ")).into();
            let meant = nearest::of(&key, valid.iter().map(String::as_str))
                .map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            return Self::UnknownKey {
                path,
                line,
                place,
                key,
                meant,
                valid: valid.join(", ").into(),
            };
        }
        match keys {
            Some(keys) => {
                Self::Value { path, line, key: keys.to_owned(), message: plainly(&message) }
            }
            None => Self::Syntax { path, line, message },
        }
    }
}

/// The key and the valid ones in serde's words for a key that is not there.
fn unknown_field(message: &str) -> Option<(String, Vec<String>)> {
    let quoted = message.strip_prefix("unknown field ")?;
    let mut names = quoted.split('`').skip(1).step_by(2).map(str::to_owned);
    Some((names.next()?, names.collect()))
}

/// What serde says about a value, in the words of the manual. The value itself, which may be a
/// secret, is left out.
fn plainly(message: &str) -> String {
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("{key} is missing");
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return rest.replacen(", expected", " is not possible here, only", 1);
    }
    let kinds = ["invalid type: ", "invalid value: "];
    let about =
        kinds.iter().find_map(|kind| message.strip_prefix(kind)?.rsplit_once(", expected "));
    let Some((given, wanted)) = about else { return message.to_owned() };
    let wanted = match wanted {
        "a string" => "text in quotes",
        "a sequence" => "a list",
        "a map" => "a table",
        "a boolean" => "true or false",
        "usize" => "a whole number",
        wanted if wanted.starts_with("struct ") => "a table",
        wanted => wanted,
    };
    let given = match given.split_whitespace().next().unwrap_or_default() {
        "string" => "text",
        "integer" | "floating" => "a number",
        "boolean" => "true or false",
        "sequence" => "a list",
        "map" => "a table",
        _ => "something else",
    };
    format!("{wanted} is wanted here, not {given}")
}

/// The line of a byte, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    1 + before.matches('\n').count()
}
