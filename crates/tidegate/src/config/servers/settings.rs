//! From what the file says to what `upstream` takes, secrets included.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catalog::{Annotations, ServerName, ToolName};
use serde_json::json;
use upstream::{
    Auth, ClientCredentials, Document, Endpoint, Endpoints, Http, OAuth, OpenApi, Secret,
    ServerSettings, Source, Startup, Stdio, Timeouts, Wire,
};
use url::Url;

use super::Server;
use super::hidden::Hidden;
use crate::config::secrets::{Lookup, Reference, SecretError, Template, TemplateError, full_path};
use crate::config::section::{
    AuthName, EndpointSection, GrantName, Kind, ServerSection, Span, StartupName, TransportName,
    address,
};

/// Calls to one server that may be under way at once, unless it says otherwise.
const CONCURRENCY: usize = 32;
/// Bytes one answer may have, unless the server says otherwise.
const ANSWER_BYTES: u64 = 64 << 20;
/// The largest `OpenAPI` document read from a file.
const MOST_DOCUMENT: u64 = 32 << 20;

/// Why one server cannot be used as it is configured. The others can.
#[derive(Debug, thiserror::Error)]
#[error("server `{server}` cannot be used: setting `{setting}`: {problem}")]
pub(crate) struct Unresolved {
    /// Which server.
    pub(crate) server: ServerName,
    /// Which of its settings: `env.GITHUB_TOKEN`.
    pub(crate) setting: String,
    /// What is wrong.
    pub(crate) problem: Box<Problem>,
}

/// What is wrong with one setting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A secret is not to be had.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The text is no text with references.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The value does not fit now that it is whole.
    #[error("{0}")]
    Value(String),
}

impl Server {
    /// The server with its secrets, looked up now.
    pub(crate) fn settings(&self, lookup: &Lookup<'_>) -> Result<ServerSettings, Unresolved> {
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        let lookup = Lookup { folder, ..*lookup };
        let resolver = Resolver { server: self, lookup, hidden: Hidden::default() };
        let source = resolver.source()?;
        Ok(self.settings_with(resolver.hidden.around(source)))
    }

    /// All that needs no looking up, and `source`.
    pub(crate) fn settings_with(&self, source: Source) -> ServerSettings {
        let section = &self.section;
        let bytes = section.max_answer_bytes.map_or(ANSWER_BYTES, |size| size.0);
        ServerSettings {
            name: self.name.clone(),
            source,
            description: section.description.clone(),
            startup: match section.startup {
                Some(StartupName::Eager) => Startup::Eager,
                Some(StartupName::Lazy) | None => Startup::Lazy,
            },
            timeouts: timeouts(section),
            concurrency: section.concurrency.unwrap_or(CONCURRENCY),
            answer_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
        }
    }
}

/// Resolves the texts of one server.
struct Resolver<'a> {
    server: &'a Server,
    lookup: Lookup<'a>,
    hidden: Hidden,
}

impl Resolver<'_> {
    fn source(&self) -> Result<Source, Unresolved> {
        Ok(match self.server.kind {
            Kind::Stdio => Source::Stdio(self.stdio()?),
            Kind::Http => Source::Http(self.http()?),
            Kind::OpenApi => Source::OpenApi(self.openapi()?),
            Kind::Endpoints => Source::Endpoints(self.endpoints()?),
        })
    }

    fn stdio(&self) -> Result<Stdio, Unresolved> {
        let section = self.section();
        let command = self.text("command", section.command.as_deref().unwrap_or_default())?;
        let arguments = section.args.iter().enumerate();
        let arguments: Vec<String> = arguments
            .map(|(at, text)| self.text(&format!("args[{at}]"), text))
            .collect::<Result<_, _>>()?;
        self.hidden.arguments(&command, &arguments);
        let folder = section.cwd.as_deref().map(|cwd| self.text("cwd", cwd)).transpose()?;
        Ok(Stdio {
            command: self.program(command),
            arguments,
            environment: self.secrets("env", &section.env)?,
            folder: folder.map(|folder| full_path(&folder, &self.lookup)),
            shown: Some(crate::config::shown::place(section)),
        })
    }

    fn http(&self) -> Result<Http, Unresolved> {
        let section = self.section();
        Ok(Http {
            url: self.address("url", section.url.as_deref().unwrap_or_default())?,
            headers: self.headers()?,
            auth: self.auth()?,
            wire: match section.transport {
                Some(TransportName::StreamableHttp) => Wire::Streamable,
                Some(TransportName::Sse) => Wire::Sse,
                Some(TransportName::Auto) | None => Wire::Auto,
            },
        })
    }

    fn auth(&self) -> Result<Auth, Unresolved> {
        let section = self.section();
        let Some(oauth) = &section.oauth else {
            return Ok(if section.auth == Some(AuthName::None) {
                Auth::None
            } else {
                Auth::default()
            });
        };
        let optional = |setting: &str, text: &Option<String>| {
            text.as_deref().map(|text| self.text(setting, text)).transpose()
        };
        let client_id = optional("oauth.client-id", &oauth.client_id)?;
        let client_secret = optional("oauth.client-secret", &oauth.client_secret)?;
        if let Some(secret) = &client_secret {
            self.hidden.add(secret);
        }
        let client_secret = client_secret.map(Secret::new);
        let scopes = oauth.scopes.clone();
        Ok(match oauth.grant {
            Some(GrantName::ClientCredentials) => Auth::ClientCredentials(ClientCredentials {
                client_id: client_id.unwrap_or_default(),
                client_secret: client_secret.unwrap_or_default(),
                scopes,
            }),
            Some(GrantName::AuthorizationCode) | None => Auth::OAuth(OAuth {
                client_id,
                client_secret,
                scopes,
                client_metadata_url: oauth
                    .client_metadata_url
                    .as_deref()
                    .and_then(|url| address(url).ok()),
            }),
        })
    }

    fn openapi(&self) -> Result<OpenApi, Unresolved> {
        let section = self.section();
        let document = self.text("openapi", section.openapi.as_deref().unwrap_or_default())?;
        let base_url =
            section.base_url.as_deref().map(|url| self.address("base-url", url)).transpose()?;
        let document = if document.starts_with("https://") || document.starts_with("http://") {
            Document::Url(address(&document).map_err(|error| self.wrong("openapi", error))?)
        } else {
            Document::Text(self.document(&full_path(&document, &self.lookup))?)
        };
        Ok(OpenApi { document, base_url, headers: self.headers()? })
    }

    fn document(&self, path: &Path) -> Result<String, Unresolved> {
        let size = std::fs::metadata(path).map(|metadata| metadata.len());
        let read = size.and_then(|size| match size {
            0..=MOST_DOCUMENT => std::fs::read_to_string(path),
            _ => Err(std::io::Error::other(format!("it has more than {MOST_DOCUMENT} bytes"))),
        });
        read.map_err(|error| {
            let path = path.display();
            self.wrong(
                "openapi",
                format!("the document {path} cannot be read ({error}); check the path"),
            )
        })
    }

    fn endpoints(&self) -> Result<Endpoints, Unresolved> {
        let tools = self.section().tools.iter().map(|tool| {
            let url = self.address(&format!("tools.{}.url", tool.name), &tool.url)?;
            Ok(endpoint(tool, url))
        });
        Ok(Endpoints { tools: tools.collect::<Result<_, _>>()?, headers: self.headers()? })
    }

    fn headers(&self) -> Result<BTreeMap<String, Secret<String>>, Unresolved> {
        let headers = self.secrets("headers", &self.section().headers)?;
        // A line break in a value would be another header.
        let broken = |value: &Secret<String>| value.reveal().contains(['\r', '\n', '\0']);
        match headers.iter().find(|(_, value)| broken(value)) {
            None => Ok(headers),
            Some((name, _)) => {
                let message = "it has a line break, which a header cannot have".to_owned();
                Err(self.wrong(&format!("headers.{name}"), message))
            }
        }
    }

    fn secrets(
        &self,
        setting: &str,
        map: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, Secret<String>>, Unresolved> {
        let resolve = |(name, text): (&String, &String)| {
            let value = self.text(&format!("{setting}.{name}"), text)?;
            self.hidden.named(name, text, &value);
            self.hidden.within(&value);
            Ok((name.clone(), Secret::new(value)))
        };
        map.iter().map(resolve).collect()
    }

    fn address(&self, setting: &str, text: &str) -> Result<Url, Unresolved> {
        let text = self.text(setting, text)?;
        self.hidden.address(&text);
        address(&text).map_err(|error| self.wrong(setting, error))
    }

    fn text(&self, setting: &str, text: &str) -> Result<String, Unresolved> {
        let resolved = Template::parse(text).map_err(Problem::from).and_then(|template| {
            let mut found = |reference: &Reference, value: &str| {
                self.hidden.found(setting, reference, value);
            };
            Ok(template.resolve_telling(&self.lookup, &mut found)?)
        });
        resolved.map_err(|problem| Unresolved {
            server: self.server.name.clone(),
            setting: setting.to_owned(),
            problem: Box::new(problem),
        })
    }

    /// A program of the project is found from the file that names it, wherever the child starts.
    fn program(&self, command: String) -> String {
        let is_path = ["./", "../", "~/"].iter().any(|start| command.starts_with(start));
        if !is_path {
            return command;
        }
        let path: PathBuf = full_path(&command, &self.lookup);
        path.into_os_string().into_string().unwrap_or(command)
    }

    fn wrong(&self, setting: &str, message: String) -> Unresolved {
        let problem = Box::new(Problem::Value(message));
        Unresolved { server: self.server.name.clone(), setting: setting.to_owned(), problem }
    }

    fn section(&self) -> &ServerSection {
        &self.server.section
    }
}

fn timeouts(section: &ServerSection) -> Timeouts {
    let usual = Timeouts::default();
    let or = |span: Option<Span>, usual: Duration| span.map_or(usual, |span| span.0);
    let tools = section.tool_timeouts.iter().map(|(tool, span)| (ToolName(tool.clone()), span.0));
    Timeouts {
        connect: or(section.connect_timeout, usual.connect),
        call: or(section.timeout, usual.call),
        tools: tools.collect(),
    }
}

fn endpoint(tool: &EndpointSection, url: Url) -> Endpoint {
    Endpoint {
        name: ToolName(tool.name.clone()),
        url,
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone().unwrap_or_else(|| json!({ "type": "object" })),
        output_schema: tool.output_schema.clone(),
        annotations: Annotations {
            read_only_hint: tool.read_only,
            destructive_hint: tool.destructive,
            idempotent_hint: tool.idempotent,
            ..Annotations::default()
        },
    }
}
