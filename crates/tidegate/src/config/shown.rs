//! What of a server may be shown, and what in it looks like a secret.
//!
//! References are shown, since they are no secrets; values of variables and headers never are.
//! Arguments and addresses are, except for the parts that look like a secret.

mod address;
mod bare;
mod common;
mod values;
mod within;

use super::secrets::Template;
use super::section::ServerSection;
use crate::out;

pub(super) use self::address::proofs;
pub(crate) use self::address::without_secrets;
pub(super) use self::common::is_commonplace;
pub(super) use self::values::of_arguments;

/// Stands for what is not shown.
const HIDDEN: &str = "***";
/// Parts of names whose values are secret.
const SECRET_WORDS: [&str; 11] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "credential",
    "auth",
    "bearer",
    "cookie",
];
/// The same where they are whole words: `pat` is also the beginning of `path`, and `pass` of `passive`.
const SECRET_WHOLE_WORDS: [&str; 2] = ["pass", "pat"];
/// What tells a name and a password, as `name:password`.
const USER_FLAGS: [&str; 5] = ["-u", "--user", "--userpwd", "--proxy-user", "--basic-auth"];
/// Programs whose `-u` is one of them. Others run as that user, and group.
const CLIENTS: [&str; 14] = [
    "curl",
    "curlie",
    "wget",
    "http",
    "https",
    "httpie",
    "xh",
    "psql",
    "mysql",
    "mariadb",
    "mongo",
    "mongosh",
    "redis-cli",
    "influx",
];
/// What `docker` and the like begin with, where a user is a number or a name, and a group.
const CONTAINERS: [&str; 5] = ["run", "exec", "create", "container", "compose"];
/// How well-known kinds of secrets begin.
const SECRET_STARTS: [&str; 14] = [
    "sk-",
    "sk_",
    "pk_live",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "hf_",
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
        return without_secrets(url);
    }
    let hosts = section.tools.iter().map(|tool| without_secrets(&tool.url));
    match section.tools.len() {
        1 => hosts.collect(),
        count => format!("{count} endpoints"),
    }
}

/// A setting whose value is a secret in plain sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlainSecret {
    /// `env`, `headers`, `oauth`, `args` or `url`.
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
    let lead = |text: &str| if text.starts_with("Bearer ") { "Bearer " } else { "" };
    let named = all
        .filter(|(table, name, value)| {
            let is_named = is_plain(value) && looks_secret(name, value);
            // What a value has in it is named where the value is not.
            is_named || (*table != "oauth" && has_secrets(value))
        })
        .map(|(table, name, value)| PlainSecret { table, name, lead: lead(value) });
    let command = section.command.as_deref().unwrap_or_default();
    let arguments = looked_at(command, &section.args).flat_map(|(argument, hidden)| {
        if let Some(Hidden { name, before }) = hidden {
            let lead = if before.ends_with("Bearer ") { "Bearer " } else { "" };
            let others = address::secrets(&before).into_iter();
            let others = others.map(|name| PlainSecret { table: "args", name, lead: "" });
            others.chain([PlainSecret { table: "args", name, lead }]).collect()
        } else {
            let named = address::secrets(argument).into_iter();
            named.map(|name| PlainSecret { table: "args", name, lead: "" }).collect::<Vec<_>>()
        }
    });
    let addresses = section.url.iter().chain(&section.openapi);
    let addresses = addresses.flat_map(|text| address::secrets(text)).map(|name| PlainSecret {
        table: "url",
        name,
        lead: "",
    });
    named.chain(arguments).chain(addresses).collect()
}

/// Whether a secret is within a value whose name does not say so.
fn has_secrets(value: &str) -> bool {
    hidden(value, None).is_some() || !address::secrets(value).is_empty()
}

/// Whether the section has values that others on this machine should not read.
pub(crate) fn holds_values(section: &ServerSection) -> bool {
    let mut values = section.env.values().chain(section.headers.values());
    let endpoints = section.tools.iter().map(|tool| &tool.url);
    let mut places =
        section.args.iter().chain(&section.url).chain(&section.openapi).chain(endpoints);
    values.any(|value| is_plain(value))
        || !plain_secrets(section).is_empty()
        || places.any(|place| without_secrets(place).contains(HIDDEN))
}

fn command_line(command: &str, args: &[String]) -> String {
    let mut line = quoted(command);
    for (argument, hidden) in looked_at(command, args) {
        line.push(' ');
        match hidden {
            Some(Hidden { before, .. }) => {
                line.push_str(&quoted(&format!("{}{HIDDEN}", without_secrets(&before))));
            }
            None => line.push_str(&quoted(&without_secrets(argument))),
        }
    }
    line
}

/// What of an argument is not shown.
struct Hidden {
    /// What it is called.
    name: String,
    /// What stands before it in the argument.
    before: String,
}

/// The arguments of a command, each with what of it is secret.
fn looked_at<'a>(
    command: &str,
    args: &'a [String],
) -> impl Iterator<Item = (&'a str, Option<Hidden>)> + use<'a> {
    // `sudo -u anna:staff curl -u anna:pw` has one of either kind.
    let client = if is_client(command) {
        Some(0)
    } else {
        args.iter().position(|argument| is_client(argument))
    };
    let before = std::iter::once(None).chain(args.iter().map(Some));
    let is_container = args.first().is_some_and(|first| CONTAINERS.contains(&first.as_str()));
    args.iter().zip(before).enumerate().map(move |(at, (argument, before))| {
        let before = before.map(String::as_str);
        let flag = before.filter(|before| {
            before.starts_with('-') && !before.contains('=') && has_secret_word(before)
        });
        let tells_user = |before: &str| {
            USER_FLAGS.contains(&before)
                && (before != "-u" || client.is_some_and(|client| client < at))
        };
        let is_user = before.is_some_and(tells_user) && !is_container;
        let with_user = if is_user { after_user(argument) } else { None };
        (argument.as_str(), with_user.or_else(|| hidden(argument, flag)))
    })
}

fn is_client(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    CLIENTS.contains(&name.strip_suffix(".exe").unwrap_or(name))
}

/// The password after a name, `name:password`. Of numbers, and twice the same, it is who a process runs as.
fn after_user(argument: &str) -> Option<Hidden> {
    let (name, password) = argument.split_once(':')?;
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let is_place = |c: char| c.is_whitespace() || "/\\{".contains(c);
    if name.is_empty() || name.contains(is_place) || password.starts_with("//") {
        return None;
    }
    let is_process = name == password || is_number(name) && is_number(password);
    let is_one = !is_process && is_plain(password);
    is_one.then(|| Hidden { name: "password".to_owned(), before: format!("{name}:") })
}

fn hidden(argument: &str, flag: Option<&str>) -> Option<Hidden> {
    let called = |name: &str, before: &str| {
        let name = name.trim_start_matches('-').to_owned();
        Some(Hidden { name, before: before.to_owned() })
    };
    if let Some(flag) = flag
        && !argument.starts_with('-')
        && is_plain(argument)
    {
        return called(flag, "");
    }
    // `Authorization: Bearer …`, which is how bridges take headers.
    if let Some((name, value)) = argument.split_once(':')
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !value.starts_with("//")
        && is_plain(value.trim())
        && looks_secret(name, value.trim())
    {
        let value = value.trim_start();
        let value = value.strip_prefix("Bearer ").unwrap_or(value);
        return called(name, &argument[..argument.len() - value.len()]);
    }
    if let Some((name, value)) = argument.split_once('=')
        && !name.contains("://")
        && is_plain(value)
        && looks_secret(name, value)
    {
        return called(name, &format!("{name}="));
    }
    // `--header=Authorization: Bearer …`
    if argument.starts_with('-')
        && let Some((name, value)) = argument.split_once('=')
        && let Some(Hidden { name: inner, before }) = hidden(value, None)
    {
        return called(&inner, &format!("{name}={before}"));
    }
    if let Some((name, begins)) = within::first(argument) {
        return called(name, &argument[..begins]);
    }
    let lead = if argument.starts_with("Bearer ") { "Bearer " } else { "" };
    let is_secret = !lead.is_empty() || begins_like_secret(argument);
    if is_plain(argument) && is_secret { called("argument", lead) } else { None }
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=+,%${}~*?&".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("{text:?}") }
}

/// Whether text holds something and no reference.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && !is_filled_in(text)
        && Template::parse(text).is_ok_and(|template| template.plain().is_some())
}

/// Whether a text is `$${NAME}`, maybe behind `Bearer`: the program that is started puts something there.
fn is_filled_in(text: &str) -> bool {
    let value = text.rsplit_once(' ').map_or(text, |(_, value)| value);
    let name = value.strip_prefix("$${").and_then(|rest| rest.strip_suffix('}'));
    text.matches(' ').count() <= 1 && name.is_some_and(|name| !name.contains(['$', '{', '}']))
}

pub(super) fn looks_secret(name: &str, value: &str) -> bool {
    let placeholder = value.starts_with('<') || value.to_ascii_lowercase().contains("your");
    let switch =
        matches!(value.to_ascii_lowercase().as_str(), "true" | "false" | "0" | "1" | "none");
    !placeholder && !switch && (has_secret_word(name) || begins_like_secret(value))
}

fn has_secret_word(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word)) || has_whole_secret_word(&name)
}

/// Whether one of the words of a name in lower case says that this is a secret.
fn has_whole_secret_word(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| SECRET_WHOLE_WORDS.contains(&word))
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
    fn headers_among_arguments_are_shown_without_their_values() {
        let section = |argument: &str| ServerSection {
            command: Some("npx".into()),
            args: vec!["mcp-remote".into(), "https://x.example/sse".into(), argument.into()],
            ..ServerSection::default()
        };
        let url = "https://x.example/sse";
        for (argument, shown) in [
            ("Authorization: Bearer sk-abcdef123456", "\"Authorization: Bearer ***\""),
            ("Authorization: Bearer abc==", "\"Authorization: Bearer ***\""),
            ("--header=X-Api-Key: abc", "\"--header=X-Api-Key: ***\""),
            ("Authorization:Bearer abc", "\"Authorization:Bearer ***\""),
            ("X-Api-Key: abc", "\"X-Api-Key: ***\""),
            ("Bearer abc", "\"Bearer ***\""),
            ("--token=abc", "--token=***"),
            ("--pass=abc", "--pass=***"),
            ("DB_PASS=abc", "DB_PASS=***"),
            ("--url=https://h.example/?token=abc", "--url=https://h.example/?token=***"),
            ("https://h.example/?token=abc", "https://h.example/?token=***"),
        ] {
            let section = section(argument);
            assert_eq!(place(&section), format!("npx mcp-remote {url} {shown}"));
            assert!(holds_values(&section), "{argument}");
            assert_eq!(plain_secrets(&section).len(), 1, "{argument}");
        }
        for argument in [
            "Accept: text/html",
            "Authorization: ${env:AUTH}",
            "Authorization:$${AUTH}",
            "Authorization: Bearer $${AUTH}",
            "C:\\tokens",
            "--bypass=abc",
            "auth",
        ] {
            let section = section(argument);
            assert!(!place(&section).contains(HIDDEN), "{argument}");
            assert!(!holds_values(&section) && plain_secrets(&section).is_empty(), "{argument}");
        }
    }

    #[test]
    fn passwords_after_a_flag_are_not_shown() {
        let shown = |args: &[&str]| {
            let args = args.iter().map(|&argument| argument.to_owned()).collect();
            place(&ServerSection { command: Some("x".into()), args, ..ServerSection::default() })
        };
        assert_eq!(shown(&["--pass", "X1"]), "x --pass ***");
        assert_eq!(shown(&["--passphrase", "X1"]), "x --passphrase ***");
        assert_eq!(shown(&["--user", "admin:pw"]), "x --user admin:***");
        assert_eq!(shown(&["curl", "-u", "admin:pw", "-y"]), "x curl -u admin:*** -y");
        assert_eq!(
            shown(&["-u", "anna:staff", "/usr/bin/curl", "-u", "anna:pw"]),
            "x -u anna:staff /usr/bin/curl -u anna:***"
        );
        for args in [
            &["--user", "1000:1000"][..],
            &["--user", "node:node"],
            &["run", "-u", "app:staff"],
            &["-u", "https://h/x"],
            &["-u", "anna:staff"],
            &["-y", "github:acme-corp/mcp-server@release/v2"],
            &["--user", "admin:${env:PW}"],
        ] {
            assert_eq!(shown(args), format!("x {}", args.join(" ")));
        }
    }

    #[test]
    fn what_follows_a_secret_within_an_argument_is_not_shown() {
        let line = "DB=https://u:pw@h/ API_TOKEN=abc exec x";
        let section = ServerSection {
            command: Some("sh".into()),
            args: vec!["-c".into(), line.into(), r#"--config={"apiKey":"abc"}"#.into()],
            ..ServerSection::default()
        };
        let shown = r#"sh -c "DB=https://u:***@h/ API_TOKEN=***" "--config={\"apiKey\":\"***""#;
        assert_eq!(place(&section), shown);
        let names: Vec<String> =
            plain_secrets(&section).into_iter().map(|secret| secret.name).collect();
        assert_eq!(names, ["password", "API_TOKEN", "apiKey"]);
        assert!(holds_values(&section));
    }

    #[test]
    fn secrets_in_an_address_are_named_and_make_a_file_its_owners() {
        let section =
            |url: &str| ServerSection { url: Some(url.into()), ..ServerSection::default() };
        let named = section("https://u:secretpw99@x.example/mcp?token=abc&page=2");
        let names: Vec<String> =
            plain_secrets(&named).into_iter().map(|secret| secret.name).collect();
        assert_eq!(names, ["password", "token"]);
        assert!(holds_values(&named));
        assert!(!holds_values(&section("https://x.example/mcp?token=${env:TOKEN}")));
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
            ("DATABASE_URL", "postgres://u:abc@h/db"),
            ("DSN", "anna:abc@h/db"),
            ("CONN", "Server=h;Password=abc;"),
            ("DB_PASS", "abc"),
            ("HOME_URL", "https://h/db"),
        ];
        let env = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let section = ServerSection { env: env.into(), ..ServerSection::default() };
        let names: Vec<String> =
            plain_secrets(&section).into_iter().map(|secret| secret.name).collect();
        assert_eq!(names, ["API_KEY", "CONN", "DATABASE_URL", "DB_PASS", "DSN", "GH"]);
    }
}
