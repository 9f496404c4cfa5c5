//! What a model may call by itself: our own two tools, and tools of servers that are passed through.

use std::collections::BTreeSet;

use engine::Language;
use serde_json::{Value, json};

use crate::model::message::ToolSpec;
use crate::settings::Mode;
use crate::work::Work;

/// What runs a program, by its language.
pub(crate) fn execute(language: Language) -> &'static str {
    match language {
        Language::Python => "execute_python",
        Language::TypeScript => "execute_typescript",
    }
}

/// Finds functions.
pub(crate) const SEARCH: &str = "search_tools";

/// Tools of servers that are offered at once.
const MOST_DIRECT: usize = 64;
/// Letters that a name may have.
const MOST_NAME: usize = 64;
/// Letters of a description that are shown.
const DESCRIBED: usize = 1_000;

/// A tool of a server that the model may call.
pub(crate) struct Passed {
    /// As the model knows it.
    pub(crate) spec: ToolSpec,
    /// The package and the function that programs know it as.
    pub(crate) function: (String, String),
}

/// Our own tools.
pub(crate) fn own(language: Language) -> Vec<ToolSpec> {
    vec![
        ToolSpec {
            name: execute(language).to_owned(),
            description: format!(
                "Runs a {} program that may call functions of servers; gives what it returns.",
                language.title()
            ),
            parameters: json!({ "type": "object", "required": ["code"],
                "properties": { "code": { "type": "string", "description": "The program." } } }),
        },
        ToolSpec {
            name: SEARCH.to_owned(),
            description: "Finds functions of servers by words, with how they are called."
                .to_owned(),
            parameters: json!({ "type": "object", "required": ["query"],
                "properties": { "query": { "type": "string" } } }),
        },
    ]
}

impl Work<'_> {
    /// Tools of servers that the model may call by itself: those that are named, or all where there are no
    /// programs and none is named.
    pub(crate) async fn passed(&self) -> Vec<Passed> {
        let settings = &self.agent.settings;
        if settings.direct.is_empty() && self.mode != Mode::Direct {
            return Vec::new();
        }
        let tools = self.agent.service.tools();
        tools.know_all().await;
        let catalog = tools.catalog();
        let mut names: BTreeSet<String> =
            own(self.language).into_iter().map(|tool| tool.name).collect();
        let mut passed = Vec::new();
        for listing in tools.listings() {
            let Some(server) = catalog.server(&listing.server) else { continue };
            for listed in &listing.tools {
                let named = format!("{}.{}", listing.server, listed.name);
                let is_wanted = settings.direct.is_empty() || settings.direct.contains(&named);
                let Some(tool) = server.tool(&listed.name).filter(|_| is_wanted) else { continue };
                let function = (server.python().to_owned(), tool.python().to_owned());
                let Some(name) = free(&function, &mut names) else { continue };
                let about = listed.description.as_deref().unwrap_or_default();
                let description = about.chars().take(DESCRIBED).collect();
                let parameters = object(&listed.input_schema);
                passed.push(Passed { spec: ToolSpec { name, description, parameters }, function });
                if passed.len() == MOST_DIRECT {
                    return passed;
                }
            }
        }
        passed
    }
}

/// A name that no other tool has.
fn free((server, function): &(String, String), taken: &mut BTreeSet<String>) -> Option<String> {
    let fits = |name: &String| {
        let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        name.len() <= MOST_NAME && name.chars().all(letter)
    };
    let names = [format!("{server}__{function}"), function.clone()];
    names.into_iter().find(|name| fits(name) && taken.insert(name.clone()))
}

/// A schema that providers take: of an object.
fn object(schema: &Value) -> Value {
    if schema["type"] == "object" {
        return schema.clone();
    }
    json!({ "type": "object" })
}
