//! `tidegate add`: one more server.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use clap::Args;

use crate::config::Config;
use crate::config::edit::Editor;
use crate::config::section::{ServerSection, TransportName};
use crate::config::{name, shown};
use crate::exit::{Ending, Misuse};
use crate::{out, show};

/// Options of `tidegate add`.
#[derive(Debug, Args)]
#[command(override_usage = "tidegate add [OPTIONS] NAME -- COMMAND [ARGS]...\n       \
                            tidegate add [OPTIONS] NAME URL\n       \
                            tidegate add [OPTIONS] NAME --openapi FILE|URL")]
pub(crate) struct Arguments {
    /// What to call it.
    name: String,
    /// Where it is, if it is reached over HTTP.
    #[arg(conflicts_with_all = ["command", "openapi"])]
    url: Option<String>,
    /// The command that starts it, after `--`.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "openapi")]
    command: Vec<String>,
    /// A variable for the command; NAME alone passes on the one of your environment.
    #[arg(long, short, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// A header for every request.
    #[arg(long, short = 'H', value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// Which HTTP transport it speaks.
    #[arg(long, value_enum)]
    transport: Option<TransportName>,
    /// The folder the command starts in.
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<String>,
    /// What it is for, instead of the server's own words.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// An `OpenAPI` 3 document whose operations become tools.
    #[arg(long, value_name = "FILE|URL")]
    openapi: Option<String>,
    /// Where the document's service is, if not where it says.
    #[arg(long, value_name = "URL", requires = "openapi")]
    base_url: Option<String>,
    /// Write to the project's tidegate.toml instead of your own.
    #[arg(long)]
    project: bool,
    /// Replace a server of that name.
    #[arg(long)]
    replace: bool,
}

/// Runs `tidegate add`.
pub(crate) fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let name = name::check(&arguments.name).map_err(Misuse::error)?;
    let (project, replace) = (arguments.project, arguments.replace);
    let section = section(arguments, project)?;
    section.kind().map_err(|error| Misuse::error(format!("`{name}` cannot be added: {error}")))?;

    let mut editor = Editor::open_alone(config.file_to_write(project)?)?;
    let file = config.places().short(editor.path());
    if !replace && editor.servers()?.iter().any(|server| server.name == name) {
        return Err(Misuse::error(format!(
            "there is already a server `{name}` in {file}; choose another name, or --replace"
        )));
    }
    editor.put(&name, &section)?;
    editor.save()?;
    out::line(format_args!("added `{name}` to {file}: {}", shown::place(&section)))
        .context(show::LOST)?;
    shown::warn_of_plain_secrets(&name.0, &section);
    out::tell(format_args!("`tidegate test {name}` connects to it and shows its tools"));
    if section.url.as_deref().is_some_and(looks_like_a_document) {
        out::tell(format_args!(
            "that address looks like an OpenAPI document; if it is one: `tidegate add {name} --replace --openapi ADDRESS`"
        ));
    }
    Ok(Ending::Success)
}

fn looks_like_a_document(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let ending = Path::new(path).extension();
    ending.is_some_and(|ending| {
        ["json", "yaml", "yml"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    })
}

fn section(arguments: Arguments, in_project: bool) -> anyhow::Result<ServerSection> {
    let Arguments {
        url, command, env, header, transport, cwd, description, openapi, base_url, ..
    } = arguments;
    let mut command = command.into_iter();
    if let Some(text) = url.as_deref().filter(|url| !url.contains("://")) {
        return Err(Misuse::error(format!(
            "{text:?} is not an address that begins with https:// or http://; a command goes after `--`"
        )));
    }
    Ok(ServerSection {
        description,
        command: command.next().map(|command| program(&command, in_project)).transpose()?,
        args: command.collect(),
        cwd: cwd.map(|cwd| absolute(&cwd)).transpose()?,
        url,
        transport,
        openapi: openapi
            .map(
                |document| {
                    if document.contains("://") { Ok(document) } else { absolute(&document) }
                },
            )
            .transpose()?,
        base_url,
        env: env.iter().map(|text| variable(text)).collect::<anyhow::Result<_>>()?,
        headers: header
            .iter()
            .map(|text| parse_header(text))
            .collect::<anyhow::Result<BTreeMap<_, _>>>()?,
        ..ServerSection::default()
    })
}

/// A program that is named by its place means the same everywhere, but in a project's own file, which
/// moves with the project.
fn program(command: &str, in_project: bool) -> anyhow::Result<String> {
    let is_place = command.starts_with("./") || command.starts_with("../");
    if is_place && !in_project { absolute(command) } else { Ok(command.to_owned()) }
}

/// A path typed here means the same from the file's folder, and everywhere else.
fn absolute(path: &str) -> anyhow::Result<String> {
    if path.starts_with("~/") || path.contains("${") {
        return Ok(path.to_owned());
    }
    let whole = std::path::absolute(path).with_context(|| format!("{path:?} is no path"))?;
    whole
        .into_os_string()
        .into_string()
        .map_err(|_| Misuse::error(format!("{path:?} is not UTF-8 text")))
}

fn variable(text: &str) -> anyhow::Result<(String, String)> {
    match text.split_once('=') {
        Some(("", _)) => Err(Misuse::error(format!(
            "--env {text:?} names no variable; write NAME=VALUE or NAME"
        ))),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Ok((text.to_owned(), format!("${{env:{text}}}"))),
    }
}

fn parse_header(text: &str) -> anyhow::Result<(String, String)> {
    // The name comes up to the first colon; values have colons of their own.
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        // Without the text: it may be the secret alone.
        _ => Err(Misuse::error(
            "a --header is written \"NAME: VALUE\", such as \"Authorization: Bearer ${env:TOKEN}\"",
        )),
    }
}
