//! One entry of a client's file as one section of ours.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Client;
use super::variables::Variables;
use crate::config::section::{OauthSection, ServerSection, Span, TransportName};

/// An entry in our words.
#[derive(Debug, Default)]
pub(super) struct Converted {
    /// What our file would say.
    pub(super) section: ServerSection,
    /// What the user has to know.
    pub(super) notes: Vec<String>,
}

/// Settings of other clients that have no counterpart here and whose loss matters.
const LOST: [(&str, &str); 8] = [
    ("envFile", "its `envFile` is not read; put the variables into `env`, or export them"),
    ("headersHelper", "its `headersHelper` is not run; put the headers into `headers`"),
    ("disabledTools", TOOLS),
    ("disabled_tools", TOOLS),
    ("enabled_tools", TOOLS),
    ("includeTools", TOOLS),
    ("excludeTools", TOOLS),
    ("authProviderType", "its log-in with `authProviderType` is not known here"),
];
const TOOLS: &str = "its choice of tools is not taken over: all of them can be called here";

/// Reads an entry, or says why it cannot be used.
pub(super) fn convert(
    value: &Value,
    variables: &Variables,
    client: Option<Client>,
) -> Result<Converted, String> {
    let entry = value.as_object().ok_or("it is not an object")?;
    let mut reader = Reader { entry, variables, notes: Vec::new() };
    let mut section = match reader.kind()? {
        Speaks::Stdio => reader.stdio()?,
        Speaks::Http(transport) => reader.http(transport)?,
    };
    section.description =
        text(entry, "description").filter(|text| !text.is_empty()).map(str::to_owned);
    let off = entry.get("disabled") == Some(&Value::Bool(true))
        || entry.get("enabled") == Some(&Value::Bool(false));
    section.enabled = off.then_some(false);
    reader.timeouts(&mut section, client);
    let lost = LOST.iter().filter(|(key, _)| entry.get(*key).is_some_and(|value| !is_empty(value)));
    for (_, note) in lost {
        if !reader.notes.iter().any(|known| known == note) {
            reader.notes.push((*note).to_owned());
        }
    }
    Ok(Converted { section, notes: reader.notes })
}

/// Whether a server is this program, under whatever name it was started.
pub(super) fn is_ourselves(section: &ServerSection) -> bool {
    let named = |text: &str| {
        let last = text.rsplit(['/', '\\']).next().unwrap_or(text);
        let last = last.split('@').next().unwrap_or(last).trim_end_matches(".exe");
        last.eq_ignore_ascii_case("tidegate")
    };
    let Some(command) = section.command.as_deref() else { return false };
    // Package runners and wrappers name the program among the arguments.
    let runner = [
        "npx", "bunx", "pnpm", "uvx", "uv", "pipx", "cargo", "docker", "podman", "wsl", "env",
        "sh", "bash",
    ];
    // The example servers are servers like any other.
    if section.args.iter().any(|argument| argument == "example-server") {
        return false;
    }
    let runs = runner.iter().any(|runner| command.rsplit('/').next() == Some(runner));
    named(command) || (runs && section.args.iter().any(|argument| named(argument)))
}

enum Speaks {
    Stdio,
    Http(Option<TransportName>),
}

struct Reader<'a> {
    entry: &'a Map<String, Value>,
    variables: &'a Variables,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn kind(&self) -> Result<Speaks, String> {
        let has_command = self.entry.get("command").is_some_and(|command| !is_empty(command));
        let said =
            ["type", "transport", "transportType"].iter().find_map(|key| text(self.entry, key));
        let said = said.map(|said| said.to_ascii_lowercase().replace(['-', '_'], ""));
        match said.as_deref() {
            Some("stdio" | "local") => Ok(Speaks::Stdio),
            Some("sse") => Ok(Speaks::Http(Some(TransportName::Sse))),
            Some("streamablehttp") => Ok(Speaks::Http(Some(TransportName::StreamableHttp))),
            // Clients that say just "http" try the older transport too.
            Some("http" | "remote") => Ok(Speaks::Http(None)),
            Some(_) if !has_command && self.address().is_none() => {
                Err("it has neither a command nor an address".to_owned())
            }
            Some(other) => Err(format!("it speaks {other:?}, which is neither stdio nor HTTP")),
            None if has_command => Ok(Speaks::Stdio),
            None if self.entry.contains_key("httpUrl") => {
                Ok(Speaks::Http(Some(TransportName::StreamableHttp)))
            }
            None if self.address().is_some() => Ok(Speaks::Http(None)),
            None if text(self.entry, "source") == Some("extension")
                || self.entry.contains_key("settings") =>
            {
                Err("an extension of the editor provides it, which runs only there".to_owned())
            }
            None => Err("it has neither a command nor an address".to_owned()),
        }
    }

    fn stdio(&mut self) -> Result<ServerSection, String> {
        let (command, mut args, inner) = match self.entry.get("command") {
            Some(Value::String(command)) => (command.clone(), Vec::new(), None),
            Some(Value::Array(words)) => {
                let mut words = words.iter().map(scalar);
                let command = words.next().flatten().unwrap_or_default();
                (
                    command,
                    words.collect::<Option<_>>().ok_or("its command is not a list of texts")?,
                    None,
                )
            }
            Some(Value::Object(inner)) => {
                let command = text(inner, "path").or(text(inner, "command")).unwrap_or_default();
                (command.to_owned(), list(inner.get("args"))?, Some(inner))
            }
            _ => return Err("it has no command".to_owned()),
        };
        if command.trim().is_empty() {
            return Err("its command is empty".to_owned());
        }
        args.extend(list(self.entry.get("args"))?);
        let (command, args) = self.without_windows_shell(command, args);
        let mut env = self.map("env", inner.and_then(|inner| inner.get("env")))?;
        for key in ["environment", "env"] {
            env.extend(self.map("env", self.entry.get(key))?);
        }
        for name in self.handed_on() {
            env.insert(name.clone(), format!("${{env:{name}}}"));
        }
        let mut word = |text: &String| self.variables.translate_word(text, &env, &mut self.notes);
        let command = word(&command)?;
        let args = args.iter().map(word).collect::<Result<_, _>>()?;
        Ok(ServerSection {
            command: Some(command),
            args,
            cwd: text(self.entry, "cwd").map(|cwd| self.translate(cwd)).transpose()?,
            env,
            ..ServerSection::default()
        })
    }

    /// Codex's `env_vars`: variables that the server gets from the environment, each a name or an object
    /// with one.
    fn handed_on(&mut self) -> Vec<String> {
        let all = match self.entry.get("env_vars") {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(all)) => all.as_slice(),
            Some(other) => std::slice::from_ref(other),
        };
        let named = |value: &Value| {
            let name = value.as_str().or_else(|| value.get("name")?.as_str());
            name.filter(|name| !name.is_empty() && !name.contains(['=', '\0', '}']))
                .map(str::to_owned)
        };
        let names: Vec<String> = all.iter().filter_map(named).collect();
        if names.len() < all.len() {
            let lost = all.len() - names.len();
            self.notes.push(format!(
                "{lost} of its `env_vars` name no variable and are left out; put what is meant into `env`"
            ));
        }
        names
    }

    fn http(&mut self, transport: Option<TransportName>) -> Result<ServerSection, String> {
        let url = self.address().ok_or("it has no address")?.to_owned();
        let mut headers = BTreeMap::new();
        let nested = self.entry.get("requestInit").and_then(|init| init.get("headers"));
        for value in [self.entry.get("headers"), self.entry.get("http_headers"), nested] {
            headers.extend(self.map("headers", value)?);
        }
        if let Some(Value::Object(named)) = self.entry.get("env_http_headers") {
            let named = named.iter().filter_map(|(header, name)| Some((header, name.as_str()?)));
            headers
                .extend(named.map(|(header, name)| (header.clone(), format!("${{env:{name}}}"))));
        }
        if let Some(name) = text(self.entry, "bearer_token_env_var") {
            headers.insert("Authorization".to_owned(), format!("Bearer ${{env:{name}}}"));
        }
        Ok(ServerSection {
            url: Some(self.translate(&url)?),
            transport,
            headers,
            oauth: self.oauth()?,
            ..ServerSection::default()
        })
    }

    fn address(&self) -> Option<&str> {
        ["httpUrl", "url", "serverUrl", "server_url"].iter().find_map(|key| text(self.entry, key))
    }

    /// A client that was registered with the server beforehand.
    fn oauth(&mut self) -> Result<Option<OauthSection>, String> {
        let named = ["oauth", "auth"].iter().find_map(|key| self.entry.get(*key)?.as_object());
        let Some(named) = named else { return Ok(None) };
        let first = |keys: &[&str]| keys.iter().find_map(|key| text(named, key));
        let client_id = first(&["clientId", "client_id", "CLIENT_ID"]);
        let client_secret = first(&["clientSecret", "client_secret", "CLIENT_SECRET"]);
        let Some(client_id) = client_id else { return Ok(None) };
        Ok(Some(OauthSection {
            client_id: Some(self.translate(client_id)?),
            client_secret: client_secret.map(|secret| self.translate(secret)).transpose()?,
            scopes: list(named.get("scopes")).unwrap_or_default(),
            ..OauthSection::default()
        }))
    }

    fn timeouts(&self, section: &mut ServerSection, client: Option<Client>) {
        let number = |key: &str| self.entry.get(key).and_then(Value::as_f64);
        let span = |seconds: f64| {
            let fits = Duration::try_from_secs_f64(seconds).ok();
            fits.filter(|span| *span >= Duration::from_millis(1)).map(Span)
        };
        let started =
            number("startup_timeout_sec").or(number("startup_timeout_ms").map(|ms| ms / 1e3));
        section.connect_timeout = started.and_then(span);
        // Elsewhere the same word counts seconds or means something else.
        let called =
            number("timeout").filter(|_| client == Some(Client::Gemini)).map(|ms| ms / 1e3);
        section.timeout = number("tool_timeout_sec").or(called).and_then(span);
    }

    /// `cmd /c npx …` is how Windows starts what Linux starts without help.
    fn without_windows_shell(
        &mut self,
        command: String,
        args: Vec<String>,
    ) -> (String, Vec<String>) {
        let is_shell = matches!(command.to_ascii_lowercase().as_str(), "cmd" | "cmd.exe");
        match args.as_slice() {
            [flag, program, rest @ ..] if is_shell && flag.eq_ignore_ascii_case("/c") => {
                self.notes.push("it is started without `cmd /c` here".to_owned());
                (program.clone(), rest.to_vec())
            }
            _ => (command, args),
        }
    }

    fn map(
        &mut self,
        what: &str,
        value: Option<&Value>,
    ) -> Result<BTreeMap<String, String>, String> {
        let mut map = BTreeMap::new();
        let entries = match value {
            None | Some(Value::Null) => return Ok(map),
            Some(Value::Object(entries)) => entries,
            Some(_) => return Err(format!("its `{what}` is not an object")),
        };
        for (name, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
            let value =
                scalar(value).ok_or_else(|| format!("its `{what}.{name}` is not a text"))?;
            map.insert(name.clone(), self.translate(&value)?);
        }
        Ok(map)
    }

    fn translate(&mut self, text: &str) -> Result<String, String> {
        self.variables.translate(text, &mut self.notes)
    }
}

fn text<'a>(entry: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Value::as_str)
}

/// Texts, and numbers and truth values that somebody forgot to quote.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn list(value: Option<&Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(all)) => all
            .iter()
            .map(scalar)
            .collect::<Option<_>>()
            .ok_or_else(|| "its `args` are not all texts".to_owned()),
        Some(_) => Err("its `args` are not a list".to_owned()),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        _ => false,
    }
}
