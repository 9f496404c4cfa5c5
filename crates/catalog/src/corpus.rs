//! Definitions of real servers, to test with.
//!
//! Names, schemas, enumerations and defaults are those that public servers gave; every sentence
//! has been replaced by words without meaning that are just as long and have the same punctuation.
//! `corpus/strip.py` made them. When the environment variable `TIDEGATE_CORPUS` names a folder of
//! such answers, these are taken instead.

use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;

use crate::{Listing, ServerName, Tool};

const STRIPPED: &[u8] = include_bytes!("../corpus/tools.json.gz");

/// What one server answered.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    name: String,
    #[serde(default)]
    server_info: ServerInfo,
    #[serde(default)]
    instructions: Option<String>,
    tools: Vec<Tool>,
}

#[derive(Default, Deserialize)]
struct ServerInfo {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    version: Option<String>,
}

/// All servers, sorted by name.
///
/// # Panics
///
/// When the definitions cannot be read, since the test that wanted them cannot go on then.
#[must_use]
pub fn listings() -> Vec<Listing> {
    let mut listings: Vec<Listing> = match std::env::var_os("TIDEGATE_CORPUS") {
        Some(folder) => in_folder(Path::new(&folder)),
        None => stripped(),
    };
    listings.sort_by(|one, other| one.server.cmp(&other.server));
    listings
}

fn stripped() -> Vec<Listing> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(STRIPPED).read_to_string(&mut text).expect("the corpus unpacks");
    let answers: Vec<Answer> = serde_json::from_str(&text).expect("the corpus is JSON");
    answers.into_iter().map(listing).collect()
}

fn in_folder(folder: &Path) -> Vec<Listing> {
    let entries = std::fs::read_dir(folder).expect("TIDEGATE_CORPUS names a folder");
    entries
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let text = std::fs::read(&path).expect("the file can be read");
            let mut answer: Answer = serde_json::from_slice(&text).expect("the file is an answer");
            answer.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            listing(answer)
        })
        .collect()
}

fn listing(answer: Answer) -> Listing {
    Listing {
        server: ServerName(answer.name),
        title: answer.server_info.title.or(answer.server_info.name),
        version: answer.server_info.version,
        description: answer.instructions,
        tools: answer.tools,
    }
}
