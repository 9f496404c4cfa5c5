//! Questions, and the tools that answer them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use catalog::{Annotations, Catalog, Listing, ServerName, Tool, ToolName};
use serde_json::Value;

use crate::{Failure, names};

/// How many tools the times are measured over.
const MANY: usize = 3500;

/// Everything that is measured with.
pub(crate) struct Corpus {
    /// The tools that most questions are about.
    pub(crate) catalog: Catalog,
    /// The tools of the repository's own questions.
    pub(crate) own_catalog: Catalog,
    /// Listings of many servers, to measure times over.
    pub(crate) many: Vec<Arc<Listing>>,
    pub(crate) sets: Vec<Set>,
}

/// Questions of one kind.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    /// They are about the repository's own tools.
    pub(crate) own: bool,
    pub(crate) questions: Vec<Question>,
}

/// One question.
pub(crate) struct Question {
    pub(crate) text: String,
    /// Any of these answers it.
    pub(crate) right: HashSet<(String, String)>,
}

impl Corpus {
    /// `None` when there is nothing in `folder`.
    pub(crate) fn read(folder: &Path, root: &Path) -> Result<Option<Self>, Failure> {
        let file = folder.join("livemcpbench.catalog.jsonl");
        if !file.is_file() {
            return Ok(None);
        }
        let listings = listings(&lines(&file)?);
        let catalog = Catalog::new(listings.clone());
        let known: HashSet<_> = names(&catalog).into_iter().collect();
        let (returned, executed) =
            written_by_models(&lines(&folder.join("livemcpbench.llm_queries.jsonl"))?, &known);
        let tasks = tasks(&lines(&folder.join("livemcpbench.tasks.jsonl"))?, &known);
        let (own_catalog, paraphrases) =
            own(&root.join("crates/catalog/search-data/paraphrases.tsv"))?;
        let mut many = listings;
        many.extend(others(&folder.join("../tools"))?);
        top_up(&mut many);
        let set = |name, questions| Set { name, own: false, questions };
        Ok(Some(Self {
            catalog,
            own_catalog,
            many,
            sets: vec![
                set("model-written", returned),
                set("model-written, any tool used later", executed),
                set("tasks", tasks),
                Set { name: "no shared word", own: true, questions: paraphrases },
            ],
        }))
    }
}

fn lines(file: &Path) -> Result<Vec<Value>, Failure> {
    let text = std::fs::read_to_string(file)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Tools line by line, gathered by server in the order of their first tool.
fn listings(lines: &[Value]) -> Vec<Arc<Listing>> {
    let mut listings: Vec<Listing> = Vec::new();
    for line in lines {
        let server = ServerName(text(line, "server"));
        let known = listings.iter().position(|listing| listing.server == server);
        let at = known.unwrap_or_else(|| {
            listings.push(Listing {
                server,
                title: None,
                version: None,
                description: Some(text(line, "server_description")),
                tools: Vec::new(),
            });
            listings.len() - 1
        });
        listings[at].tools.push(Tool {
            name: ToolName(text(line, "tool")),
            title: None,
            description: Some(text(line, "description")),
            input_schema: line["inputSchema"].clone(),
            output_schema: None,
            annotations: Annotations::default(),
        });
    }
    listings.into_iter().map(Arc::new).collect()
}

/// Questions with the tools that were shown for them and then used; and with all that were used.
fn written_by_models(
    lines: &[Value],
    known: &HashSet<(String, String)>,
) -> (Vec<Question>, Vec<Question>) {
    let tools = |line: &Value, only_shown: bool| {
        let used = list(line, "executed_next").iter();
        let used = used.filter(|tool| !only_shown || tool["was_returned"] == true);
        let used = used.map(|tool| (text(tool, "server"), text(tool, "tool")));
        used.filter(|tool| known.contains(tool)).collect::<HashSet<_>>()
    };
    let questions = |only_shown: bool| {
        let questions = lines
            .iter()
            .map(|line| Question { text: text(line, "query"), right: tools(line, only_shown) });
        questions.filter(|question| !question.right.is_empty()).collect()
    };
    (questions(true), questions(false))
}

fn tasks(lines: &[Value], known: &HashSet<(String, String)>) -> Vec<Question> {
    let mut questions = Vec::new();
    for line in lines {
        let mut right = HashSet::new();
        for tool in list(line, "relevant") {
            let name = text(tool, "tool");
            let servers = list(tool, "servers").iter().filter_map(Value::as_str);
            right.extend(servers.map(|server| (server.to_owned(), name.clone())));
        }
        right.retain(|tool| known.contains(tool));
        if !right.is_empty() {
            questions.push(Question { text: text(line, "query"), right });
        }
    }
    questions
}

/// The repository's own tools and questions.
fn own(file: &Path) -> Result<(Catalog, Vec<Question>), Failure> {
    let content = std::fs::read_to_string(file)?;
    let mut servers: BTreeMap<&str, Vec<Tool>> = BTreeMap::new();
    let mut questions = Vec::new();
    for line in content.lines().filter(|line| !line.starts_with('#')) {
        let [server, tool, description, question] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("this line has not four columns: {line}").into());
        };
        servers.entry(server).or_default().push(Tool {
            name: ToolName(tool.to_owned()),
            title: None,
            description: Some(description.to_owned()),
            input_schema: Value::Null,
            output_schema: None,
            annotations: Annotations::default(),
        });
        let right = HashSet::from([(server.to_owned(), tool.to_owned())]);
        questions.push(Question { text: question.to_owned(), right });
    }
    let listings = servers.into_iter().map(|(server, tools)| {
        Arc::new(Listing {
            server: ServerName(server.to_owned()),
            title: None,
            version: None,
            description: None,
            tools,
        })
    });
    Ok((Catalog::new(listings.collect()), questions))
}

/// The answers of other servers, if they are there.
fn others(folder: &Path) -> Result<Vec<Arc<Listing>>, Failure> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let mut listings = Vec::new();
    for path in paths {
        let answer: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        listings.push(Arc::new(Listing {
            server: ServerName(format!("{name}-2")),
            title: answer["serverInfo"]["title"].as_str().map(str::to_owned),
            version: None,
            description: answer["instructions"].as_str().map(str::to_owned),
            tools: serde_json::from_value(answer["tools"].clone())?,
        }));
    }
    Ok(listings)
}

/// Adds copies under other names until there are enough tools.
fn top_up(listings: &mut Vec<Arc<Listing>>) {
    let mut count: usize = listings.iter().map(|listing| listing.tools.len()).sum();
    for number in 0.. {
        let Some(listing) = listings.get(number).filter(|_| count < MANY).cloned() else { return };
        let mut copy = Listing::clone(&listing);
        copy.server = ServerName(format!("{} copy {number}", listing.server));
        copy.tools.truncate(MANY - count);
        count += copy.tools.len();
        listings.push(Arc::new(copy));
    }
}
