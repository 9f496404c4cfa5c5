//! The settings of `serve` and `mcp`: each by flag, by variable, by file, or as it is.
//!
//! One table says what there is. A value is text wherever it comes from, and is read in one
//! place, so that a mistake is told in the same words with the name of where it stands.

use std::collections::BTreeMap;
use std::env;
use std::fmt;

use clap::{Arg, ArgMatches, Args, Command};

use crate::config::Config;
use crate::exit::Misuse;

/// One setting.
pub(crate) struct Setting {
    /// Its name: `--NAME`, `TIDEGATE_NAME`, and `NAME` under `[serve]`.
    pub(crate) name: &'static str,
    /// What holds when nobody says anything.
    pub(crate) usual: &'static str,
    /// What it is written as.
    pub(crate) value: &'static str,
    /// What it does.
    pub(crate) about: &'static str,
}

const fn setting(
    name: &'static str,
    usual: &'static str,
    value: &'static str,
    about: &'static str,
) -> Setting {
    Setting { name, usual, value, about }
}

/// Every setting, in the order in which they are shown.
pub(crate) const SETTINGS: &[Setting] = &[
    setting("host", "127.0.0.1", "ADDRESS", "Address to listen on"),
    setting("port", "8030", "NUMBER", "Port to listen on"),
    setting(
        "level",
        "production",
        "LEVEL",
        "Limits of sessions: development, production, hardened",
    ),
    setting("timeout", "", "TIME", "Wall-clock time of a run, if less than the level allows"),
    setting("memory", "", "SIZE", "Memory of a program, if less than the level allows"),
    setting("cpu", "", "CORES", "Share of a core, if less than the level allows"),
    setting("max-running", "32", "NUMBER", "Programs that run at the same time"),
    setting("max-queued", "4000", "NUMBER", "Requests that wait for their turn"),
    setting("max-queued-per-owner", "2000", "NUMBER", "The same, of one owner"),
    setting(
        "max-queued-bytes",
        "256MiB",
        "SIZE",
        "Bytes of requests that wait for their turn: programs, variables, files; half of it of one owner",
    ),
    setting("max-live", "128", "NUMBER", "Sessions in memory; others are on disk"),
    setting("idle-freeze", "60s", "TIME", "How long a session is idle before it goes to disk"),
    setting("session-lasts", "24h", "TIME", "How long an unused session is kept"),
    setting("max-sessions", "4000", "NUMBER", "Sessions of one owner"),
    setting(
        "max-mcp-sessions",
        "4000",
        "NUMBER",
        "MCP clients' own sessions over HTTP, of revisions before 2026-07-28",
    ),
    setting("max-mcp-sessions-per-owner", "1000", "NUMBER", "The same, of one owner"),
    setting("max-session-bytes", "4GiB", "SIZE", "Bytes of one owner's sessions on disk"),
    setting("keep-runs", "168h", "TIME", "How long finished runs can be read"),
    setting("keep-runs-bytes", "10GiB", "SIZE", "Bytes of finished runs that are kept at most"),
    setting(
        "audit",
        "text",
        "WHAT",
        "What the audit log keeps of programs: text, hash, or off for no log",
    ),
    setting("keep-audit", "8760h", "TIME", "How long the audit log is kept"),
    setting("keep-audit-bytes", "1GiB", "SIZE", "Bytes of the audit log at most"),
    setting("source-bytes", "1MiB", "SIZE", "Size of a program's source"),
    setting("output-tokens", "2000", "NUMBER", "Tokens of an answer; the rest can be fetched"),
    setting("durable", "false", "BOOL", "Whether runs go on after a crash or a restart"),
    setting("freeze-after", "2s", "TIME", "How long a run that waits stays in memory"),
    setting(
        "approval-lasts",
        "72h",
        "TIME",
        "How long somebody can be asked whether a call may be made",
    ),
    setting("max-mailboxes", "100", "NUMBER", "Mailboxes of one owner that have messages"),
    setting("max-messages", "1000", "NUMBER", "Messages in one mailbox"),
    setting("max-message-bytes", "16MiB", "SIZE", "Bytes of one owner's messages"),
    setting("receipts", "true", "BOOL", "Whether every run says what it cost in tokens, and saved"),
    setting("token-price", "3", "PRICE", "What a million tokens cost, for receipts"),
    setting("body-bytes", "16MiB", "SIZE", "Size of a request"),
    setting("body-time", "60s", "TIME", "How long the body of a request may be on its way"),
    setting(
        "max-unfinished-bytes",
        "256MiB",
        "SIZE",
        "Bytes of requests that are not wholly there, in all",
    ),
    setting("standby", "4", "NUMBER", "Interpreters that stand ready"),
    setting(
        "allow-anonymous",
        "false",
        "BOOL",
        "Serve requests without a token from other machines",
    ),
    setting(
        "loopback-without-token",
        "true",
        "BOOL",
        "Serve requests without a token from this machine, not through a proxy",
    ),
    setting("hosts", "", "NAMES", "Host names we are reached by, besides this machine's own"),
    setting(
        "cors-origins",
        "",
        "ORIGINS",
        "Web pages that may use us, such as https://app.example.com",
    ),
    setting("tls-cert", "", "FILE", "Certificate chain, PEM"),
    setting("tls-key", "", "FILE", "Its private key, PEM"),
    setting(
        "otlp-endpoint",
        "",
        "URL",
        "Collector that takes traces as OTLP over HTTP, such as http://localhost:4318",
    ),
    setting("mode", "", "MODE", "What MCP clients see: code, hybrid, direct"),
    setting("direct", "", "TOOLS", "Tools passed through in hybrid mode, as server.tool"),
    setting(
        "tools",
        "",
        "NAMES",
        "Which of our own MCP tools; execute_python and search_tools if empty",
    ),
    setting(
        "languages",
        "python,typescript",
        "NAMES",
        "Languages that programs may be written in: python, typescript",
    ),
    setting("guidance", "", "FILE", "Text for agents instead of the built-in one"),
    setting(
        "stop-patience",
        "10s",
        "TIME",
        "How long running programs may take to end at shutdown",
    ),
];

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody said anything.
    Usual,
    /// A configuration file.
    File(String),
    /// A variable of the environment.
    Variable(String),
    /// The command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usual => f.write_str("default"),
            Self::File(file) => f.write_str(file),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given(BTreeMap<&'static str, String>);

impl clap::FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Self::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in SETTINGS {
            if let Some(value) = matches.get_one::<String>(setting.name) {
                self.0.insert(setting.name, value.clone());
            }
        }
        Ok(())
    }
}

impl Args for Given {
    fn augment_args(mut command: Command) -> Command {
        for setting in SETTINGS {
            let mut help = setting.about.to_owned();
            if !setting.usual.is_empty() {
                help = format!("{help} [default: {}]", setting.usual);
            }
            let mut argument =
                Arg::new(setting.name).long(setting.name).value_name(setting.value).help(help);
            if setting.value == "BOOL" {
                argument = argument.num_args(0..=1).default_missing_value("true");
            }
            command = command.arg(argument.help_heading("Settings"));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Every setting's value, and where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Values(BTreeMap<&'static str, (String, Origin)>);

impl Values {
    /// Flags before variables before files before what is usual.
    pub(crate) fn resolve(config: &Config, given: &Given) -> anyhow::Result<Self> {
        let mut file = config.service_section()?;
        let mut values = BTreeMap::new();
        for setting in SETTINGS {
            let name = setting.name;
            let variable = variable(name);
            let from_file = file.remove(name);
            let value = if let Some(value) = given.0.get(name) {
                (value.clone(), Origin::Flag(name))
            } else if let Ok(value) = env::var(&variable) {
                (value, Origin::Variable(variable))
            } else if let Some((value, place)) = from_file {
                (value, Origin::File(place))
            } else {
                (setting.usual.to_owned(), Origin::Usual)
            };
            values.insert(name, value);
        }
        if let Some((name, (_, place))) = file.into_iter().next() {
            let near = crate::config::nearest::of(&name, SETTINGS.iter().map(|one| one.name));
            let meant = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let meant = if meant.is_empty() { "." } else { &meant };
            let all: Vec<&str> = SETTINGS.iter().map(|one| one.name).collect();
            let all = all.join(", ");
            return Err(Misuse::error(format!(
                "{place}: there is no setting `{name}` under [serve]{meant} There are {all}"
            )));
        }
        Ok(Self(values))
    }

    /// What follows from elsewhere: the tools under `[tools]`, and the mode that they bring.
    pub(crate) fn complete(&mut self, config: &Config) -> anyhow::Result<()> {
        let direct = config.direct_tools()?;
        if !direct.is_empty() && self.text("direct").is_none() {
            let place = "`direct` under [tools] in the configuration file".to_owned();
            self.0.insert("direct", (direct.join(","), Origin::File(place)));
        }
        if self.text("mode").is_none() {
            let mode = if self.text("direct").is_some() { "hybrid" } else { "code" };
            self.0.insert("mode", (mode.to_owned(), Origin::Usual));
        }
        Ok(())
    }

    /// Everything, for people.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &str, &Origin)> {
        SETTINGS.iter().filter_map(|setting| {
            let (value, origin) = self.0.get(setting.name)?;
            Some((setting.name, value.as_str(), origin))
        })
    }

    /// A value as text; nothing when it is empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let (value, _) = self.0.get(name)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// A value that is separated by commas.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let parts = self.text(name).unwrap_or_default().split(',').map(str::trim);
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// A value as `read` reads it; nothing when it is empty.
    pub(crate) fn read<T>(
        &self,
        name: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<Option<T>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let origin = self.0.get(name).map_or(&Origin::Usual, |(_, origin)| origin);
        let wrong = |problem| Misuse::error(format!("`{name}` (from {origin}): {problem}"));
        read(text).map(Some).map_err(wrong)
    }

    /// A number that must be there, and large enough for anything to work.
    pub(crate) fn at_least(&self, name: &'static str, least: usize) -> anyhow::Result<usize> {
        let number = self.read(name, |text| match text.parse() {
            Ok(number) if number >= least => Ok(number),
            Ok(number) => Err(format!("{number} is too small; it must be at least {least}")),
            Err(_) => Err(format!("{text:?} is not a whole number that fits")),
        })?;
        number.ok_or_else(|| Misuse::error(format!("`{name}` must have a value")))
    }

    /// A number that must be there.
    pub(crate) fn number<T>(&self, name: &'static str) -> anyhow::Result<T>
    where
        T: std::str::FromStr,
    {
        let read = |text: &str| {
            text.parse().map_err(|_| format!("{text:?} is not a whole number that fits"))
        };
        let number = self.read(name, read)?;
        number.ok_or_else(|| Misuse::error(format!("`{name}` must have a value")))
    }
}

/// A setting that is on or off.
pub(crate) fn yes(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("{text:?} is neither true nor false")),
    }
}

/// The variable of a setting, or of a key of the file.
pub(crate) fn variable(name: &str) -> String {
    format!("TIDEGATE_{}", name.to_uppercase().replace(['-', '.'], "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_settings_have_one_name() {
        let mut names: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SETTINGS.len());
    }
}
