//! Finding tools for a program or a person: by words, and by meaning where there is a model.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use catalog::search::{Index, Query, sentence};
use catalog::{Catalog, CatalogTool, ResolveError};
use engine::Language;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::meaning::Meaning;
use crate::missing::MissingServer;

/// Characters of a tool's description that are shown; the whole of it is in its file.
const DESCRIBED: usize = 2_000;
/// No search shows more tools.
const MOST: usize = 1_000;

/// What is asked, as `search_tools` takes it.
#[derive(Debug, Clone, Deserialize)]
pub struct Search {
    /// A few words, a name or a task; empty for everything.
    #[serde(default)]
    pub query: String,
    /// How much is told about each tool.
    #[serde(default)]
    pub detail_level: Detail,
    /// Only tools of this server.
    #[serde(default)]
    pub server: Option<String>,
    /// How many tools at most.
    #[serde(default = "usual")]
    pub limit: usize,
    /// What signatures and names are written in.
    #[serde(default)]
    pub language: Language,
}

fn usual() -> usize {
    10
}

/// How much is told about each tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// What it is called.
    #[default]
    NameOnly,
    /// And what it does.
    WithDescription,
    /// And how it is called.
    Full,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// The best first.
    pub tools: Vec<FoundTool>,
    /// How many tools fit.
    pub matching: usize,
    /// How many there are to choose from.
    pub total: usize,
    /// Servers whose tools are not among them, because nobody knows what they offer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingServer>,
}

/// One tool that was found. What was not asked for is left out.
#[derive(Debug, Clone, Serialize)]
pub struct FoundTool {
    /// Its function.
    pub name: String,
    /// The package that has it.
    pub server: String,
    /// `skill` where it is one; nothing for a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// How it is called, and what it returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl FoundTool {
    fn new(tool: &CatalogTool, detail: Detail, language: Language) -> Self {
        let told = detail != Detail::NameOnly;
        let whole = detail == Detail::Full;
        let (name, server, signature): (_, _, fn(&CatalogTool) -> String) = match language {
            Language::Python => (tool.python(), tool.server_python(), bindings::typed_signature),
            Language::TypeScript => {
                (tool.typescript(), tool.server_typescript(), bindings::typescript_signature)
            }
        };
        Self {
            name: name.to_owned(),
            server: server.to_owned(),
            kind: None,
            description: told.then(|| described(tool)),
            input_schema: whole.then(|| tool.tool().input_schema.clone()),
            signature: whole.then(|| signature(tool)),
        }
    }

    /// The line that brings it into a program.
    #[must_use]
    pub fn import(&self, language: Language) -> String {
        let Self { name, server, kind, .. } = self;
        match (language, kind) {
            (Language::Python, Some(kind)) => format!("from {server} import {name}  # a {kind}"),
            (Language::Python, None) => format!("from servers.{server} import {name}"),
            (Language::TypeScript, Some(kind)) => {
                format!("import {{ {name} }} from \"{server}\";  // a {kind}")
            }
            (Language::TypeScript, None) => {
                format!("import {{ {name} }} from \"servers/{server}\";")
            }
        }
    }
}

fn described(tool: &CatalogTool) -> String {
    let text = tool.tool().description.as_deref().unwrap_or_default();
    match text.char_indices().nth(DESCRIBED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The index, made anew when the catalog is another one.
pub(crate) struct Finder {
    known: Mutex<Known>,
    meaning: Option<Meaning>,
}

/// What is known of a catalog. Looking through all its tools is done once, and not at every search.
#[derive(Clone, Default)]
struct Known {
    catalog: Arc<Catalog>,
    index: Index,
    /// Every text has its vector.
    complete: bool,
}

impl Known {
    fn new(catalog: Arc<Catalog>, index: Index) -> Self {
        let complete = index.texts_without_vector().is_empty();
        Self { catalog, index, complete }
    }
}

impl Finder {
    pub(crate) fn new(meaning: Option<Meaning>) -> Self {
        Self { known: Mutex::default(), meaning }
    }

    /// The tools of `catalog` that fit.
    pub(crate) fn find(
        &self,
        catalog: &Arc<Catalog>,
        asked: &Search,
    ) -> Result<Found, ResolveError> {
        let Known { index, complete, .. } = self.of(catalog);
        // Tools without a vector would lose against those that have one.
        let meaning = self.meaning.as_ref().filter(|_| complete).and_then(|meaning| {
            let said = sentence(&asked.query);
            if said.trim().is_empty() { None } else { meaning.of(&said) }
        });
        let found = index.search(&Query {
            text: &asked.query,
            server: asked.server.as_deref(),
            limit: asked.limit.clamp(1, MOST),
            meaning: meaning.as_deref(),
        })?;
        let tools = found.hits.iter().filter_map(|hit| {
            let server = catalog.server(&hit.server)?;
            Some(FoundTool::new(server.tool(&hit.tool)?, asked.detail_level, asked.language))
        });
        let (matching, total) = (found.matching, found.total);
        Ok(Found { tools: tools.collect(), matching, total, missing: Vec::new() })
    }

    /// Computes what the tools of `catalog` mean, as far as that is not known; says after each
    /// text how many of how many are done. Takes long the first time.
    pub(crate) fn prepare(&self, catalog: &Arc<Catalog>, told: &dyn Fn(usize, usize)) {
        let Some(meaning) = &self.meaning else { return };
        let missing = self.of(catalog).index.texts_without_vector();
        let vectors = meaning.vectors(&missing, told);
        let mut known = self.known();
        // If there is another catalog by now, its own preparation finds the vectors stored.
        if Arc::ptr_eq(&known.catalog, catalog) {
            *known = Known::new(Arc::clone(catalog), known.index.with_vectors(vectors));
        }
    }

    /// Whether anything is left to prepare. Says so once: whoever asks first does it.
    pub(crate) fn wants_preparation(&self, catalog: &Arc<Catalog>) -> bool {
        self.meaning.as_ref().is_some_and(Meaning::is_idle)
            && !self.of(catalog).complete
            && self.meaning.as_ref().is_some_and(Meaning::begins)
    }

    /// Ends a preparation that is under way.
    pub(crate) fn stop(&self) {
        if let Some(meaning) = &self.meaning {
            meaning.stop();
        }
    }

    fn of(&self, catalog: &Arc<Catalog>) -> Known {
        let mut known = self.known();
        if !Arc::ptr_eq(&known.catalog, catalog) {
            let mut index = known.index.refreshed(catalog);
            if let Some(meaning) = &self.meaning {
                index = index.with_vectors(meaning.stored(&index.texts_without_vector()));
            }
            *known = Known::new(Arc::clone(catalog), index);
        }
        known.clone()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
