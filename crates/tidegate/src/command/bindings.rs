//! `tidegate bindings`: typed functions for the tools of any server, without the server.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use bindings::SourceFile;
use catalog::{Catalog, Listing, ServerName};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value};

use crate::exit::{Ending, Misuse};
use crate::{out, show};

/// Options of `tidegate bindings`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write a typed function for each tool of a `tools/list` answer.
    Generate {
        /// The answer: `{"tools": […]}`, the list itself, or a JSON-RPC response with it.
        #[arg(value_name = "TOOLS.json")]
        file: PathBuf,
        /// The language.
        #[arg(long, value_enum, default_value_t = Language::Python)]
        language: Language,
        /// The folder to write to; it is made if it is not there.
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
        /// What the server is called; the name of the file otherwise.
        #[arg(long, value_name = "NAME")]
        server: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    Python,
    Typescript,
}

/// Runs `tidegate bindings`.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let Action::Generate { file, language, output, server } = &arguments.action;
    let text = fs::read_to_string(file).map_err(|error| {
        Misuse::error(format!("could not read {}: {error}; check the path", file.display()))
    })?;
    let name = server.clone().unwrap_or_else(|| {
        file.file_stem()
            .map_or_else(|| "server".to_owned(), |stem| stem.to_string_lossy().into_owned())
    });
    let listing = listing(&text, name)
        .map_err(|problem| Misuse::error(format!("{}: {problem}", file.display())))?;
    let catalog = Catalog::new(vec![Arc::new(listing)]);
    let files = generate(&catalog, *language);
    for SourceFile { path, text } in &files {
        write(output, path, text)?;
    }
    let tools = catalog.tools().count();
    out::line(format_args!(
        "wrote {} files for {tools} tools to {}",
        files.len(),
        output.display()
    ))
    .context(show::LOST)?;
    if *language == Language::Python {
        out::tell(
            "they call tools inside Tidegate's sandbox; elsewhere they are for readers and type checkers",
        );
    }
    Ok(Ending::Success)
}

fn generate(catalog: &Catalog, language: Language) -> Vec<SourceFile> {
    let mut files: BTreeMap<String, SourceFile> = BTreeMap::new();
    let mut put = |file: SourceFile| drop(files.insert(file.path.clone(), file));
    put(bindings::readme(catalog));
    if language == Language::Typescript {
        put(bindings::typescript_client());
    }
    for server in catalog.servers() {
        let made = match language {
            Language::Python => bindings::python_server(server),
            Language::Typescript => bindings::typescript_server(server),
        };
        made.into_iter().for_each(&mut put);
    }
    files.into_values().collect()
}

fn write(folder: &Path, path: &str, text: &str) -> anyhow::Result<()> {
    let path = folder.join(path);
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(&path, text))
        .with_context(|| format!("could not write {}; choose another -o DIR", path.display()))
}

/// Reads the answer in any of the forms people have it in.
fn listing(text: &str, name: String) -> Result<Listing, String> {
    let mended = || serde_json::from_slice(&upstream::mended(text.as_bytes())?).ok();
    let whole: Value = serde_json::from_str(text)
        .or_else(|error| mended().ok_or(error))
        .map_err(|error| format!("it is not JSON ({error})"))?;
    let whole = match whole.get("result") {
        Some(result) => result.clone(),
        None => whole,
    };
    let (tools, about) = match whole {
        Value::Array(tools) => (tools, Map::new()),
        Value::Object(mut about) => match about.remove("tools") {
            Some(Value::Array(tools)) => (tools, about),
            _ => {
                return Err(
                    "it has no list `tools`; give the answer of a tools/list request".into()
                );
            }
        },
        _ => return Err("it is neither a list of tools nor an object with one".into()),
    };
    // One that cannot be read is left out, as it is of a server.
    let read = |(index, tool): (usize, Value)| match upstream::read_tool(tool) {
        Ok(tool) => Some(tool),
        Err(problem) => {
            out::warn(format_args!("tool {} of the list is left out: it is {problem}", index + 1));
            None
        }
    };
    let text_at =
        |at: &str| about.get("serverInfo").and_then(|info| info.get(at)).and_then(Value::as_str);
    Ok(Listing {
        title: text_at("title").or_else(|| text_at("name")).map(str::to_owned),
        version: text_at("version").map(str::to_owned),
        description: about.get("instructions").and_then(Value::as_str).map(str::to_owned),
        server: ServerName(name),
        tools: tools.into_iter().enumerate().filter_map(read).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_is_nested_too_deep_is_anything_with_a_note_and_costs_no_tool() {
        for levels in [61, 62, 200, 5_000] {
            let deep = format!(
                "{}{{\"type\":\"string\"}}{}",
                r#"{"type":"object","properties":{"a":"#.repeat(levels),
                "}}".repeat(levels)
            );
            let text = format!(
                r#"{{"tools":[{{"name":"deep","inputSchema":{deep}}},{{"name":"plain","inputSchema":{{}}}}]}}"#
            );
            let catalog = Catalog::new(vec![Arc::new(listing(&text, "odd".to_owned()).unwrap())]);
            assert_eq!(catalog.tools().count(), 2, "{levels}");
            for language in [Language::Python, Language::Typescript] {
                let files = generate(&catalog, language);
                let file = files.iter().find(|file| file.path.starts_with("odd/deep.")).unwrap();
                let is_noted = file.text.contains("nested-deeper-than-is-read");
                assert_eq!(is_noted, levels > 61, "{levels}: {}", file.text);
            }
        }
    }
}
