//! The programs of the two sets, and the catalogs they are checked against.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use catalog::{Catalog, Listing, ServerName, corpus};
use serde_json::{Value, json};

/// A program with one mistake.
pub(crate) struct Planted {
    pub(crate) name: String,
    pub(crate) source: String,
    /// The code and the line that must be found.
    pub(crate) code: String,
    pub(crate) line: u32,
    /// It is only advice.
    pub(crate) advice: bool,
}

/// A program that runs.
pub(crate) struct Good {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) names: Vec<String>,
    pub(crate) unlisted: Vec<String>,
    /// Earlier programs ran in its session.
    pub(crate) in_session: bool,
    /// It ends with an exception when it runs, on purpose.
    pub(crate) may_fail: bool,
}

pub(crate) fn planted() -> Vec<Planted> {
    let of = |path: PathBuf| {
        let source = read(&path);
        let header = source.lines().next().and_then(|line| line.strip_prefix("# expect: "));
        let words: Vec<&str> = header.unwrap_or_default().split(' ').collect();
        Planted {
            name: stem(&path),
            code: words[0].to_owned(),
            line: words
                .get(1)
                .and_then(|line| line.parse().ok())
                .expect("a line number after the code"),
            advice: words.get(2) == Some(&"advice"),
            source,
        }
    };
    files(&here("sets/mistakes"), "py").into_iter().map(of).collect()
}

/// Every program of the repository that is meant to run.
pub(crate) fn good() -> Vec<Good> {
    let mut good = Vec::new();
    for path in files(&here("sets/good"), "py") {
        good.push(Good { catalog: crate::fixture::catalog(), ..plain(&path, read(&path)) });
    }
    good.extend(cases());
    good.extend(real_servers());
    good.extend(documents());
    good
}

fn plain(path: &Path, source: String) -> Good {
    Good {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        source,
        catalog: Arc::default(),
        names: Vec::new(),
        unlisted: Vec::new(),
        in_session: false,
        may_fail: false,
    }
}

/// Calls that only the suite's host takes: it looks at no argument, where a gateway would.
const UNLIKE_A_GATEWAY: &[&str] = &["a_tool_can_be_called_by_name_in_many_ways"];

/// The cases of the contract suite. Their headers say which servers there are, which variables are
/// given, and how they end.
fn cases() -> Vec<Good> {
    let root = here("../engine/cases");
    let mut good = Vec::new();
    for folder in folders(&root) {
        for path in files(&folder, "py") {
            for (at, part) in read(&path).split("\n# --- next\n").enumerate() {
                let (header, source) = header_and_program(part);
                let servers: Vec<&str> = header
                    .get("servers")
                    .map(|names| names.split_whitespace().collect())
                    .unwrap_or_default();
                let context: HashMap<String, Value> = header
                    .get("context")
                    .and_then(|text| serde_json::from_str(text).ok())
                    .unwrap_or_default();
                good.push(Good {
                    name: format!("{}/{}#{at}", stem(&folder), stem(&path)),
                    catalog: case_catalog(&servers),
                    names: context.into_keys().collect(),
                    in_session: at > 0,
                    may_fail: UNLIKE_A_GATEWAY.contains(&stem(&path).as_str())
                        || !header.get("expect").is_some_and(|expect| {
                            expect.starts_with("value") || expect.starts_with("limit")
                        }),
                    ..plain(&path, source)
                });
            }
        }
    }
    good
}

fn header_and_program(part: &str) -> (HashMap<String, String>, String) {
    let keys = [
        "expect",
        "level",
        "limits",
        "servers",
        "context",
        "stdout",
        "stderr",
        "stdout-has",
        "stderr-has",
        "line",
        "hint",
        "note",
        "artifacts",
        "seed",
        "freeze",
    ];
    let mut header = HashMap::new();
    let mut rest = part;
    while let Some((line, after)) = rest.split_once('\n') {
        let Some((key, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(": "))
        else {
            break;
        };
        if !keys.contains(&key) {
            break;
        }
        header.insert(key.to_owned(), value.to_owned());
        rest = after;
    }
    (header, rest.to_owned())
}

/// The servers of the suite, as their files describe them. The host there looks at no argument, so
/// the types of some are left out.
fn case_catalog(names: &[&str]) -> Arc<Catalog> {
    static MADE: LazyLock<std::sync::Mutex<HashMap<String, Arc<Catalog>>>> =
        LazyLock::new(std::sync::Mutex::default);
    let mut made = MADE.lock().expect("nobody panics here");
    let listings = names.iter().map(|name| Arc::new(case_listing(name)));
    Arc::clone(
        made.entry(names.join(" ")).or_insert_with(|| Arc::new(Catalog::new(listings.collect()))),
    )
}

fn case_listing(name: &str) -> Listing {
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let tool = |name: &str, input: Value| json!({"name": name, "inputSchema": input});
    let tools = match name {
        "demo" => {
            let mut devices = tool("get_devices", object(json!({}), json!([])));
            devices["outputSchema"] = object(
                json!({"count": {"type": "integer"}, "devices": {"type": "array", "items":
                    object(json!({"name": {"type": "string"}, "on": {"type": "boolean"}}), json!(["name", "on"]))}}),
                json!(["count", "devices"]),
            );
            let text = json!({"type": "string"});
            json!([
                devices,
                tool(
                    "echo",
                    object(
                        json!({"text": {}, "times": {"type": "integer"}, "tags": {}}),
                        json!(["text"])
                    )
                ),
                tool(
                    "createIssue",
                    object(
                        json!({"owner": text, "repo": text, "title": text, "body": text, "class": {"enum": ["bug", "wish"]},
                        "from": text, "assignee": {"type": ["string", "null"]}}),
                        json!(["owner", "repo", "title"]),
                    )
                ),
                tool("answer", object(json!({"answer": {}}), json!(["answer"]))),
                tool("fail", object(json!({"message": text, "kind": text}), json!(["message"]))),
                tool(
                    "slow",
                    object(json!({"text": text, "ms": {"type": "integer"}}), json!(["text"]))
                ),
                tool(
                    "search",
                    object(
                        json!({"filter": {"type": "object"}, "limit": {"type": "integer"}}),
                        json!(["filter"])
                    )
                ),
                tool("anything", json!({"type": "object", "additionalProperties": true})),
            ])
        }
        "time" => json!([tool(
            "get_current_time",
            object(json!({"timezone": {"type": "string"}}), json!(["timezone"]))
        )]),
        _ => json!([tool("getDocument", object(json!({"id": {"type": "string"}}), json!(["id"])))]),
    };
    serde_json::from_value(json!({"server": name, "tools": tools})).expect("a listing")
}

/// The programs that use real servers; what those offer is in the corpus.
fn real_servers() -> Vec<Good> {
    let listings: HashMap<ServerName, Arc<Listing>> = corpus::listings()
        .into_iter()
        .map(|listing| (listing.server.clone(), Arc::new(listing)))
        .collect();
    let folder = here("../tidegate/tests/servers");
    let mut paths = files(&folder, "py");
    // A server, not a program.
    paths.retain(|path| !["hostile", "server"].contains(&stem(path).as_str()));
    paths.extend(files(&folder.join("hostile"), "py"));
    let of = |path: PathBuf| {
        let listing = listings.get(&ServerName(stem(&path)));
        Good {
            catalog: Arc::new(Catalog::new(listing.cloned().into_iter().collect())),
            names: vec!["work".to_owned(), "page".to_owned()],
            unlisted: if listing.is_none() { mentioned(&read(&path)) } else { Vec::new() },
            ..plain(&path, read(&path))
        }
    };
    paths.into_iter().map(of).collect()
}

/// The servers that a program imports.
fn mentioned(source: &str) -> Vec<String> {
    let names = source.match_indices("servers.").map(|(at, word)| {
        source[at + word.len()..]
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
            .collect()
    });
    names.collect()
}

/// The programs in the manual.
fn documents() -> Vec<Good> {
    let mut paths = files(&here("../../docs/src"), "md");
    paths.push(here("../../README.md"));
    let mut good = Vec::new();
    for path in paths {
        let text = read(&path);
        for (at, block) in text.split("\n```python\n").skip(1).enumerate() {
            let source = block.split("\n```").next().unwrap_or_default().to_owned();
            let name = format!("{}#{at}", stem(&path));
            let unlisted = mentioned(&source);
            good.push(Good { name, unlisted, ..plain(&path, source) });
        }
    }
    good
}

fn here(path: &str) -> PathBuf {
    // As of now: a test that was compiled in another clone would look there.
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("tests are run by cargo");
    Path::new(&crate_folder).join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let is_it = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    listed(folder).into_iter().filter(is_it).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    listed(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    paths.sort();
    paths
}
