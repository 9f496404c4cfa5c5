//! `[servers.NAME]` as users write it.
//!
//! Every key is optional here, because which of them belong together depends on what kind of
//! server it is; [`ServerSection::kind`] decides that and refuses what does not fit. Text may hold
//! references to secrets, which stay references: see [`super::secrets`].

mod privacy;
mod values;

use std::collections::BTreeMap;

use gateway::{Effect, Effects, Pii};
use policy::Glob;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

pub(crate) use self::privacy::{PrivacySection, SecretsSection};
pub(crate) use self::values::{Size, Span};
use super::ask::AskSection;
use super::audit::AuditSection;
use super::network::NetworkSection;
use super::review::ReviewSection;
use super::secrets::Template;
use super::skills::SkillsSection;

/// The whole of `tidegate.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FileSection {
    /// Whether programs are checked before they run.
    pub(super) check: Option<CheckName>,
    /// The compiler that programs in TypeScript are checked with as well.
    pub(super) checker: Option<CheckerName>,
    /// The servers whose tools programs may call.
    pub(super) servers: BTreeMap<String, toml::Spanned<ServerSection>>,
    /// Whether types are learned from results, for servers that do not say it themselves.
    pub(super) learn: Option<bool>,
    /// What programs may use, instead of what their level says; see [`crate::limits`].
    pub(super) limits: BTreeMap<String, toml::Value>,
    /// Settings of `serve` and `mcp`; see [`crate::settings`].
    pub(super) serve: BTreeMap<String, toml::Value>,
    /// What MCP clients see besides our own tools.
    pub(super) tools: ToolsSection,
    /// Whether tools are found by meaning, too; needs a model, which is fetched when first needed.
    pub(super) embeddings: Option<bool>,
    /// What servers get that ask for the roots of a workspace: `file://` addresses. None: a refusal.
    pub(super) roots: Option<Vec<String>>,
    /// What servers get that ask for a person's choice.
    pub(super) elicitation: Option<ElicitationName>,
    /// Which calls may be made, and which somebody is asked about.
    pub(super) policy: policy::PolicySettings,
    /// What counts as personal data, and who does not see it.
    pub(super) privacy: PrivacySection,
    /// Where the secrets of programs may go.
    pub(super) secrets: SecretsSection,
    /// What is done about what reviews of programs find.
    pub(super) review: ReviewSection,
    /// The hosts that programs may reach by themselves.
    pub(super) network: NetworkSection,
    /// Who is told of what is unusual.
    pub(super) audit: AuditSection,
    /// Which model answers questions, how, and for how much.
    pub(super) ask: AskSection,
    /// Where packs of skills come from, and whose are installed.
    pub(super) skills: SkillsSection,
}

/// What servers get that ask for a person's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ElicitationName {
    /// Words that say there is nobody to ask.
    Refuse,
    /// "Declined", as if somebody had been asked.
    Decline,
}

/// `[tools]`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ToolsSection {
    /// Tools that are passed through to MCP clients unchanged, as `server.tool`.
    pub(super) direct: Vec<String>,
}

/// One server. Exactly one of `command`, `url`, `openapi` and `tools` says what kind it is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ServerSection {
    /// What it is for; shown to programs and models instead of the server's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// The program that speaks MCP over its standard streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) args: Vec<String>,
    /// The folder it starts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<String>,
    /// Where an MCP server is reached over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// Which of the two HTTP transports it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) transport: Option<TransportName>,
    /// Whether a stored log-in is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) auth: Option<AuthName>,
    /// An `OpenAPI` 3 document: a file or a URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) openapi: Option<String>,
    /// Where the service of the document is, if not where the document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base_url: Option<String>,
    /// When to connect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) startup: Option<StartupName>,
    /// How long it may take to get ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) connect_timeout: Option<Span>,
    /// How long one call may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<Span>,
    /// Calls that may be under way at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) concurrency: Option<usize>,
    /// Bytes one answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_answer_bytes: Option<Size>,
    /// `false` keeps the server in the file and out of use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) enabled: Option<bool>,
    /// Whether what the server says about its tools' effects is believed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trusted: Option<bool>,
    /// Tools that change nothing, whatever the server says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) read_only: Vec<Glob>,
    /// Tools that may be called twice where once is meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) idempotent: Vec<Glob>,
    /// Tools that change something and must not be repeated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<Glob>,
    /// Whether a tool whose definition changed is set aside until it is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pin: Option<bool>,
    /// Whether what tools return is learned from their results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) learn: Option<bool>,
    /// Who does not see personal data in what it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pii: Option<Pii>,
    /// Variables for the program.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
    /// Sent with every request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// Single tools that may take another time than `timeout`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tool_timeouts: BTreeMap<String, Span>,
    /// Single tools for which `pii` is another.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tool_pii: BTreeMap<String, Pii>,
    /// How to log in, for servers that do not say it all themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) oauth: Option<OauthSection>,
    /// Plain POST endpoints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools: Vec<EndpointSection>,
}

/// `[servers.NAME.oauth]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OauthSection {
    /// The client the server's operator registered for us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client_id: Option<String>,
    /// Its secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<String>,
    /// Where our client metadata document is published, for servers that know clients by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client_metadata_url: Option<String>,
    /// What to ask for, instead of what the server says it needs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) scopes: Vec<String>,
    /// Who logs in: a person, or this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grant: Option<GrantName>,
}

/// `[[servers.NAME.tools]]`: arguments go out as a JSON body, the answer's body is the result.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EndpointSection {
    /// The tool's name.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) url: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// JSON Schema of its arguments; anything goes when absent.
    #[serde(default, alias = "inputSchema", skip_serializing_if = "Option::is_none")]
    pub(crate) input_schema: Option<Value>,
    /// JSON Schema of its answer.
    #[serde(default, alias = "outputSchema", skip_serializing_if = "Option::is_none")]
    pub(crate) output_schema: Option<Value>,
    /// Whether it changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) read_only: Option<bool>,
    /// Whether it may destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) destructive: Option<bool>,
    /// Whether doing it twice is as good as doing it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) idempotent: Option<bool>,
}

/// `check`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckName {
    /// A program with a mistake that is certain does not run.
    On,
    /// Every program runs.
    Off,
}

/// `checker`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckerName {
    /// That of the package `typescript`.
    Tsc,
    /// That of the package `@typescript/native-preview`.
    Tsgo,
}

/// `transport`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TransportName {
    /// Streamable HTTP, and HTTP+SSE when the server does not know it.
    Auto,
    /// Streamable HTTP only.
    StreamableHttp,
    /// The older HTTP+SSE only.
    Sse,
}

/// `auth`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AuthName {
    /// The stored log-in, if there is one.
    Oauth,
    /// The configured headers only.
    None,
}

/// `oauth.grant`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GrantName {
    /// A person logs in with `tidegate login`.
    AuthorizationCode,
    /// This machine logs in by itself.
    ClientCredentials,
}

/// `startup`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StartupName {
    /// When something first asks for it.
    Lazy,
    /// When Tidegate starts.
    Eager,
}

/// What kind of server a section describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A child process.
    Stdio,
    /// MCP over HTTP.
    Http,
    /// An `OpenAPI` document.
    OpenApi,
    /// A list of endpoints.
    Endpoints,
}

impl Kind {
    /// The key that makes a server one of this kind.
    fn key(self) -> &'static str {
        match self {
            Self::Stdio => "command",
            Self::Http => "url",
            Self::OpenApi => "openapi",
            Self::Endpoints => "tools",
        }
    }

    /// What people call it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::OpenApi => "openapi",
            Self::Endpoints => "endpoints",
        }
    }
}

impl ServerSection {
    /// Whether what is said about its tools' effects is believed. Of endpoints nobody but this file says
    /// anything.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trusted.unwrap_or(!self.tools.is_empty())
    }

    /// What kind of server this is, once everything that can be checked without secrets has been.
    pub(crate) fn kind(&self) -> Result<Kind, String> {
        let kind = self.only_kind()?;
        self.check_effects(kind)?;
        self.refuse_keys_of_other_kinds(kind)?;
        self.check_references()?;
        self.check_addresses()?;
        if self.concurrency == Some(0) {
            return Err("`concurrency` is 0, which would never call anything; use 1 or more".into());
        }
        if let Some(oauth) = &self.oauth {
            oauth.check(self.auth)?;
        }
        for (setting, map) in [("env", &self.env), ("headers", &self.headers)] {
            if let Some(name) = map.keys().find(|name| !is_name_of(setting, name)) {
                return Err(format!("`{setting}` has {name:?}, which cannot be a name there"));
            }
        }
        Ok(kind)
    }

    /// What is said of single tools, whatever the server says.
    pub(crate) fn effects(&self) -> Effects {
        Effects {
            read_only: self.read_only.clone(),
            idempotent: self.idempotent.clone(),
            writes: self.writes.clone(),
        }
    }

    fn check_effects(&self, kind: Kind) -> Result<(), String> {
        let effects = self.effects();
        let lists = [
            (Effect::Read, &effects.read_only),
            (Effect::Idempotent, &effects.idempotent),
            (Effect::Write, &effects.writes),
        ];
        let mut given = lists.iter().filter(|(_, list)| !list.is_empty());
        if let (Kind::Endpoints, Some((effect, _))) = (kind, given.next()) {
            return Err(format!(
                "`{}` is about tools of which a server says something, and this server's tools are described here; say `read-only` or `idempotent` in the table of the tool",
                effect.setting()
            ));
        }
        if let Some((effect, _)) =
            lists.iter().find(|(_, list)| list.iter().any(|glob| glob.as_str().is_empty()))
        {
            return Err(format!(
                "`{}` has an empty pattern, which fits no tool; write a tool's name, with * for any letters",
                effect.setting()
            ));
        }
        match effects.contradiction() {
            None => Ok(()),
            Some((glob, one, other)) => Err(format!(
                "{:?} is in `{}` and in `{}`; leave it in one of them",
                glob.as_str(),
                one.setting(),
                other.setting()
            )),
        }
    }

    /// Whether the server is in use.
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled != Some(false)
    }

    fn only_kind(&self) -> Result<Kind, String> {
        let present = [
            (Kind::Stdio, self.command.is_some()),
            (Kind::Http, self.url.is_some()),
            (Kind::OpenApi, self.openapi.is_some()),
            (Kind::Endpoints, !self.tools.is_empty()),
        ];
        let mut kinds = present.iter().filter(|(_, is)| *is).map(|(kind, _)| *kind);
        match (kinds.next(), kinds.next()) {
            (Some(kind), None) => Ok(kind),
            (None, _) => {
                Err("it has none of `command`, `url`, `openapi` and `tools`; add the one \
                              that says where the server is"
                    .into())
            }
            (Some(one), Some(other)) => Err(format!(
                "it has both `{}` and `{}`; one server is one of them, so make it two",
                one.key(),
                other.key()
            )),
        }
    }

    fn refuse_keys_of_other_kinds(&self, kind: Kind) -> Result<(), String> {
        use Kind::{Endpoints, Http, OpenApi, Stdio};
        let given: [(&str, bool, &[Kind]); 8] = [
            ("args", !self.args.is_empty(), &[Stdio]),
            ("env", !self.env.is_empty(), &[Stdio]),
            ("cwd", self.cwd.is_some(), &[Stdio]),
            ("headers", !self.headers.is_empty(), &[Http, OpenApi, Endpoints]),
            ("transport", self.transport.is_some(), &[Http]),
            ("auth", self.auth.is_some(), &[Http]),
            ("oauth", self.oauth.is_some(), &[Http]),
            ("base-url", self.base_url.is_some(), &[OpenApi]),
        ];
        match given.iter().find(|(_, is_given, fits)| *is_given && !fits.contains(&kind)) {
            None => Ok(()),
            Some((key, _, fits)) => Err(format!(
                "`{key}` goes with `{}`, and this server has `{}`; remove it",
                fits[0].key(),
                kind.key()
            )),
        }
    }

    fn check_references(&self) -> Result<(), String> {
        for (setting, text) in self.texts() {
            Template::parse(text).map_err(|error| format!("`{setting}`: {error}"))?;
        }
        Ok(())
    }

    /// Addresses that hold no reference; the others are checked when they are whole.
    fn check_addresses(&self) -> Result<(), String> {
        let tools = self.tools.iter().map(|tool| (format!("tools.{}.url", tool.name), &tool.url));
        let own = [("url", &self.url), ("base-url", &self.base_url)];
        let own = own.into_iter().filter_map(|(key, url)| Some((key.to_owned(), url.as_ref()?)));
        for (setting, text) in own.chain(tools) {
            let plain = Template::parse(text).ok().and_then(|template| template.plain());
            if let Some(plain) = plain {
                address(&plain).map_err(|error| format!("`{setting}`: {error}"))?;
            }
        }
        let mut names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.sort_unstable();
        if let Some((twice, _)) =
            names.iter().zip(names.iter().skip(1)).find(|(one, next)| one == next)
        {
            return Err(format!("`tools` has {twice:?} twice; give each its own name"));
        }
        Ok(())
    }

    /// Every text that may hold references, with the setting it stands in.
    pub(crate) fn texts(&self) -> Vec<(String, &str)> {
        let mut texts: Vec<(String, &str)> = Vec::new();
        let single = [
            ("command", &self.command),
            ("cwd", &self.cwd),
            ("url", &self.url),
            ("openapi", &self.openapi),
            ("base-url", &self.base_url),
        ];
        texts.extend(
            single.into_iter().filter_map(|(key, text)| Some((key.into(), text.as_deref()?))),
        );
        texts.extend(
            self.args.iter().enumerate().map(|(at, text)| (format!("args[{at}]"), text.as_str())),
        );
        texts.extend(self.env.iter().map(|(key, text)| (format!("env.{key}"), text.as_str())));
        texts.extend(
            self.headers.iter().map(|(key, text)| (format!("headers.{key}"), text.as_str())),
        );
        if let Some(oauth) = &self.oauth {
            let two = [
                ("oauth.client-id", &oauth.client_id),
                ("oauth.client-secret", &oauth.client_secret),
            ];
            texts.extend(
                two.into_iter().filter_map(|(key, text)| Some((key.into(), text.as_deref()?))),
            );
        }
        texts.extend(
            self.tools.iter().map(|tool| (format!("tools.{}.url", tool.name), tool.url.as_str())),
        );
        texts
    }
}

impl OauthSection {
    fn check(&self, auth: Option<AuthName>) -> Result<(), String> {
        if auth == Some(AuthName::None) {
            return Err(
                "`auth` is \"none\" and there is an `oauth` table; remove one of them".into()
            );
        }
        if self.grant == Some(GrantName::ClientCredentials) {
            for (key, value) in
                [("client-id", &self.client_id), ("client-secret", &self.client_secret)]
            {
                if value.is_none() {
                    return Err(format!(
                        "`oauth.grant` is \"client-credentials\", which needs `oauth.{key}` too"
                    ));
                }
            }
        }
        if let Some(url) = &self.client_metadata_url {
            address(url).map_err(|error| format!("`oauth.client-metadata-url`: {error}"))?;
        }
        if self.client_secret.is_some() && self.client_id.is_none() {
            return Err("`oauth.client-secret` needs `oauth.client-id` too".into());
        }
        Ok(())
    }
}

/// Reads an address that we can reach.
pub(super) fn address(text: &str) -> Result<Url, String> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        Ok(_) => Err("this is not an address that begins with https:// or http://".to_owned()),
        Err(error) => {
            Err(format!("this is not an address ({error}); write it as https://HOST/PATH"))
        }
    }
}

/// Whether `name` can be the name of a variable or a header.
fn is_name_of(setting: &str, name: &str) -> bool {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    match setting {
        "headers" => !name.is_empty() && name.chars().all(token),
        _ => !name.is_empty() && !name.contains(['=', '\0']),
    }
}

#[cfg(test)]
mod tests;
