//! What of a server may be shown, and what in it looks like a secret.
//!
//! References are shown, since they are no secrets; values of variables and headers never are.
//! Arguments and addresses are, except for the parts that look like a secret.

use url::Url;

use super::secrets::Template;
use super::section::ServerSection;
use crate::out;

/// Stands for what is not shown.
const HIDDEN: &str = "***";
/// Parts of names whose values are secret.
const SECRET_WORDS: [&str; 10] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "credential",
    "auth",
    "bearer",
    "cookie",
];
/// How well-known kinds of secrets begin.
const SECRET_STARTS: [&str; 13] = [
    "sk-",
    "sk_",
    "pk_live",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
];

/// Where the server is: its command line or its address.
pub(crate) fn place(section: &ServerSection) -> String {
    if let Some(command) = &section.command {
        return command_line(command, &section.args);
    }
    if let Some(url) = section.url.as_ref().or(section.openapi.as_ref()) {
        return address(url);
    }
    let hosts = section.tools.iter().map(|tool| address(&tool.url));
    match section.tools.len() {
        1 => hosts.collect(),
        count => format!("{count} endpoints"),
    }
}

/// A setting whose value is a secret in plain sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainSecret {
    /// `env` or `headers`, or `oauth`.
    pub(crate) table: &'static str,
    /// The name in it.
    pub(crate) name: String,
    /// What of the value is no secret: "Bearer ", or nothing.
    lead: &'static str,
}

impl PlainSecret {
    /// What the variable that could hold it instead might be called.
    pub(crate) fn variable(&self, server: &str) -> String {
        let plain = |text: &str| {
            text.to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")
        };
        match self.table {
            "env" => plain(&self.name),
            _ => format!("{}_{}", plain(server), plain(&self.name)),
        }
    }
}

/// Says which secrets stand in the file in plain sight, and where they could stand instead.
pub(crate) fn warn_of_plain_secrets(server: &str, section: &ServerSection) {
    for secret in plain_secrets(section) {
        let PlainSecret { table, name, lead } = &secret;
        let variable = secret.variable(server);
        out::warn(format_args!(
            "`{server}`: {table}.{name} is a secret in plain sight; better write \"{lead}${{env:{variable}}}\", \
             or \"{lead}${{keyring:{server}/{name}}}\" after `tidegate secret set {server}/{name}`"
        ));
    }
}

/// Secrets that stand in the section itself.
pub(crate) fn plain_secrets(section: &ServerSection) -> Vec<PlainSecret> {
    let oauth = section.oauth.as_ref().and_then(|oauth| oauth.client_secret.as_ref());
    let oauth = oauth.map(|secret| ("oauth", "client-secret".to_owned(), secret));
    let env = section.env.iter().map(|(name, value)| ("env", name.clone(), value));
    let headers = section.headers.iter().map(|(name, value)| ("headers", name.clone(), value));
    let all = env.chain(headers).chain(oauth);
    all.filter(|(_, name, value)| is_plain(value) && looks_secret(name, value))
        .map(|(table, name, value)| {
            let lead = if value.starts_with("Bearer ") { "Bearer " } else { "" };
            PlainSecret { table, name, lead }
        })
        .collect()
}

/// Whether the section has values that others on this machine should not read.
pub(crate) fn holds_values(section: &ServerSection) -> bool {
    let mut values = section.env.values().chain(section.headers.values());
    values.any(|value| is_plain(value)) || !plain_secrets(section).is_empty()
}

fn command_line(command: &str, args: &[String]) -> String {
    let mut line = quoted(command);
    let mut next_is_secret = false;
    for argument in args {
        line.push(' ');
        let hidden = std::mem::take(&mut next_is_secret) && !argument.starts_with('-');
        match argument.split_once('=') {
            _ if hidden && is_plain(argument) => line.push_str(HIDDEN),
            Some((name, value)) if is_plain(value) && looks_secret(name, value) => {
                line.push_str(&quoted(name));
                line.push('=');
                line.push_str(HIDDEN);
            }
            _ if is_plain(argument) && begins_like_secret(argument) => line.push_str(HIDDEN),
            _ => line.push_str(&quoted(&address(argument))),
        }
        next_is_secret =
            argument.starts_with('-') && !argument.contains('=') && has_secret_word(argument);
    }
    line
}

/// An address without what may be secret in it; anything else as it is.
pub(super) fn address(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
    if url.cannot_be_a_base()
        || (url.username().is_empty() && url.password().is_none() && url.query().is_none())
    {
        return text.to_owned();
    }
    if url.password().is_some() {
        // Neither fails: an address with a host may have both.
        let _ = url.set_password(Some(HIDDEN));
    }
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .map(|(name, value)| {
            let shown = if value.contains("${") { value.into_owned() } else { HIDDEN.to_owned() };
            (name.into_owned(), shown)
        })
        .collect();
    url.set_query(None);
    let query: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if query.is_empty() { url.to_string() } else { format!("{url}?{}", query.join("&")) }
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=+,%${}~*?&".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("{text:?}") }
}

/// Whether text holds something and no reference.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && Template::parse(text).is_ok_and(|template| template.plain().is_some())
}

fn looks_secret(name: &str, value: &str) -> bool {
    let placeholder = value.starts_with('<') || value.to_ascii_lowercase().contains("your");
    let switch =
        matches!(value.to_ascii_lowercase().as_str(), "true" | "false" | "0" | "1" | "none");
    !placeholder && !switch && (has_secret_word(name) || begins_like_secret(value))
}

fn has_secret_word(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    // `pat` is also the beginning of `path`.
    SECRET_WORDS.iter().any(|word| name.contains(word))
        || words.into_iter().any(|word| word == "pat")
}

fn begins_like_secret(value: &str) -> bool {
    let value = value.strip_prefix("Bearer ").unwrap_or(value);
    value.len() >= 16 && SECRET_STARTS.iter().any(|start| value.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shown_and_their_secrets_are_not() {
        let args =
            ["-y", "server", "--api-key", "abc123", "--token=xyz", "--dir", "/data", "${env:KEY}"];
        let section = ServerSection {
            command: Some("npx".into()),
            args: args.map(str::to_owned).to_vec(),
            ..ServerSection::default()
        };
        assert_eq!(
            place(&section),
            "npx -y server --api-key *** --token=*** --dir /data ${env:KEY}"
        );
    }

    #[test]
    fn addresses_are_shown_without_passwords_and_parameters() {
        let shown =
            |url: &str| place(&ServerSection { url: Some(url.into()), ..ServerSection::default() });
        assert_eq!(shown("https://example.com/mcp"), "https://example.com/mcp");
        assert_eq!(
            shown("https://u:p@example.com/mcp?key=1"),
            "https://u:***@example.com/mcp?key=***"
        );
        assert_eq!(shown("https://example.com/?key=${env:K}"), "https://example.com/?key=${env:K}");
    }

    #[test]
    fn plain_secrets_are_named_and_references_are_not() {
        let pairs = [
            ("API_KEY", "abc"),
            ("OTHER_KEY", "${env:OTHER_KEY}"),
            ("GH", "ghp_0123456789abcdef"),
            ("PATH", "/bin"),
            ("AUTH_DISABLED", "true"),
            ("TOKEN", "<token>"),
        ];
        let env = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let section = ServerSection { env: env.into(), ..ServerSection::default() };
        let names: Vec<String> =
            plain_secrets(&section).into_iter().map(|secret| secret.name).collect();
        assert_eq!(names, ["API_KEY", "GH"]);
    }
}
