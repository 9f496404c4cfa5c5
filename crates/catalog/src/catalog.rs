//! All tools of all servers, as of one moment.
//!
//! A catalog never changes; when a server's list does, a new one is made that shares with the old
//! one whatever stayed the same. Making one is cheap, because everything that takes time is done
//! when it is first asked for: schemas are read, arguments' validators compiled and
//! fingerprints computed once per tool, if ever.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::arguments::{Checker, Mistake};
use crate::names::{self, Kind};
use crate::resolve::{self, Index, ResolveError};
use crate::schema::{self, Schema};
use crate::{Fingerprint, Learned, Listing, ServerName, Tool, ToolName, Withheld};

/// What was learned about the tools of one server.
pub type LearnedTools = BTreeMap<ToolName, Arc<Learned>>;

/// Every server and every tool, under names that programs can use.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    servers: Vec<Arc<CatalogServer>>,
    index: Index,
    withheld: Vec<Withheld>,
}

impl Catalog {
    /// Catalogues what the servers listed. Of two listings with the same server name the first
    /// counts, and of two tools of a server with the same name too.
    #[must_use]
    pub fn new(listings: Vec<Arc<Listing>>) -> Self {
        Self::default().refreshed(listings)
    }

    /// A catalog of `listings` that shares with this one the servers whose listing is the very
    /// same, with all that was read and compiled for them.
    #[must_use]
    pub fn refreshed(&self, listings: Vec<Arc<Listing>>) -> Self {
        self.refreshed_with(listings, &BTreeMap::new())
    }

    /// The same, with what was learned about the servers' tools, which must be the very same as
    /// well for a server to be shared.
    #[must_use]
    pub fn refreshed_with(
        &self,
        mut listings: Vec<Arc<Listing>>,
        learned: &BTreeMap<ServerName, Arc<LearnedTools>>,
    ) -> Self {
        let mut known = HashSet::new();
        listings.retain(|listing| known.insert(listing.server.clone()));

        let names: Vec<&str> = listings.iter().map(|listing| listing.server.0.as_str()).collect();
        let python = names::python(Kind::Server, &names);
        let typescript = names::typescript(Kind::Server, &names);
        let servers: Vec<Arc<CatalogServer>> = listings
            .iter()
            .zip(python.into_iter().zip(typescript))
            .map(|(listing, identifiers)| {
                self.reused_or_new(listing, learned.get(&listing.server), identifiers)
            })
            .collect();
        let index = Index::new(
            servers
                .iter()
                .map(|server| [server.name().0.as_str(), server.python(), server.typescript()]),
        );
        Self { servers, index, withheld: Vec::new() }
    }

    /// The same, with tools that are in no listing here because they may not be called. Whoever
    /// asks for one is told so.
    #[must_use]
    pub fn withholding(self, withheld: Vec<Withheld>) -> Self {
        Self { withheld, ..self }
    }

    /// The tools that may not be called.
    #[must_use]
    pub fn withheld(&self) -> &[Withheld] {
        &self.withheld
    }

    /// The tool of a server that may not be called, by any of its names.
    #[must_use]
    pub fn withheld_tool(&self, server: &ServerName, name: &str) -> Option<&Withheld> {
        self.withheld.iter().find(|one| one.server == *server && one.is_called(name))
    }

    /// The servers, in the order they were given.
    pub fn servers(&self) -> impl ExactSizeIterator<Item = &CatalogServer> {
        self.servers.iter().map(AsRef::as_ref)
    }

    /// The servers as they are shared with the next catalog while nothing about them changes.
    #[must_use]
    pub fn shared_servers(&self) -> &[Arc<CatalogServer>] {
        &self.servers
    }

    /// The tools of all servers, one server after the other.
    pub fn tools(&self) -> impl Iterator<Item = &CatalogTool> {
        self.servers().flat_map(CatalogServer::tools)
    }

    /// The server with exactly this configured name.
    #[must_use]
    pub fn server(&self, name: &ServerName) -> Option<&CatalogServer> {
        self.servers().find(|server| server.name() == name)
    }

    /// Finds the tool that a program or a model means.
    ///
    /// Server and tool are known by their own names, by their identifiers in either language
    /// and, when nothing else fits, by what remains without case and punctuation. Without a
    /// server, `tool` may be bare (`create_issue`) or qualified: `github.create_issue`,
    /// `github/createIssue`, `servers.github.create_issue`, `mcp__github__create_issue`. A
    /// qualified reading wins over a bare one, so that no server can name a tool
    /// `github.create_issue` and be called in place of `github`.
    pub fn resolve(&self, server: Option<&str>, tool: &str) -> Result<&CatalogTool, ResolveError> {
        resolve::resolve(self, server, tool)
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn at(&self, position: usize) -> &CatalogServer {
        &self.servers[position]
    }

    fn reused_or_new(
        &self,
        listing: &Arc<Listing>,
        learned: Option<&Arc<LearnedTools>>,
        (python, typescript): (String, String),
    ) -> Arc<CatalogServer> {
        let same = |known: &Option<Arc<LearnedTools>>| match (known, learned) {
            (Some(known), Some(learned)) => Arc::ptr_eq(known, learned),
            (None, None) => true,
            _ => false,
        };
        self.servers
            .iter()
            .find(|server| {
                Arc::ptr_eq(&server.listing, listing)
                    && same(&server.learned)
                    && server.python() == python
                    && server.typescript() == typescript
            })
            .cloned()
            .unwrap_or_else(|| {
                Arc::new(CatalogServer::new(listing, learned.cloned(), &python, &typescript))
            })
    }
}

/// One server and its tools.
#[derive(Debug)]
pub struct CatalogServer {
    listing: Arc<Listing>,
    learned: Option<Arc<LearnedTools>>,
    python: Arc<str>,
    typescript: Arc<str>,
    tools: Vec<CatalogTool>,
    index: OnceLock<Index>,
}

impl CatalogServer {
    fn new(
        listing: &Arc<Listing>,
        learned: Option<Arc<LearnedTools>>,
        python: &str,
        typescript: &str,
    ) -> Self {
        let (python, typescript): (Arc<str>, Arc<str>) = (python.into(), typescript.into());
        let mut known = HashSet::with_capacity(listing.tools.len());
        let positions: Vec<usize> = (0..listing.tools.len())
            .filter(|position| known.insert(listing.tools[*position].name.0.as_str()))
            .collect();
        let names: Vec<&str> =
            positions.iter().map(|position| listing.tools[*position].name.0.as_str()).collect();
        let tools = positions
            .iter()
            .zip(names::python(Kind::Tool, &names))
            .zip(names::typescript(Kind::Tool, &names))
            .map(|((position, tool_python), tool_typescript)| CatalogTool {
                listing: Arc::clone(listing),
                position: *position,
                learned: learned
                    .as_ref()
                    .and_then(|learned| learned.get(&listing.tools[*position].name).cloned()),
                server_python: Arc::clone(&python),
                server_typescript: Arc::clone(&typescript),
                python: tool_python,
                typescript: tool_typescript,
                fingerprint: OnceLock::new(),
                input: OnceLock::new(),
                output: OnceLock::new(),
                learned_output: OnceLock::new(),
                checker: OnceLock::new(),
            })
            .collect();
        let listing = Arc::clone(listing);
        Self { listing, learned, python, typescript, tools, index: OnceLock::new() }
    }

    /// What was learned about its tools.
    #[must_use]
    pub fn learned(&self) -> Option<&Arc<LearnedTools>> {
        self.learned.as_ref()
    }

    /// What it is called in the configuration.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.listing.server
    }

    /// Its name as a Python package.
    #[must_use]
    pub fn python(&self) -> &str {
        &self.python
    }

    /// Its name as a TypeScript identifier.
    #[must_use]
    pub fn typescript(&self) -> &str {
        &self.typescript
    }

    /// What it said about itself.
    #[must_use]
    pub fn listing(&self) -> &Arc<Listing> {
        &self.listing
    }

    /// Its tools, in its order, each name once.
    #[must_use]
    pub fn tools(&self) -> &[CatalogTool] {
        &self.tools
    }

    /// The tool that the server itself calls exactly so.
    #[must_use]
    pub fn tool(&self, name: &ToolName) -> Option<&CatalogTool> {
        self.index().exact(&name.0).map(|position| &self.tools[position])
    }

    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            Index::new(
                self.tools
                    .iter()
                    .map(|tool| [tool.name().0.as_str(), tool.python(), tool.typescript()]),
            )
        })
    }
}

/// One tool of one server.
#[derive(Debug)]
pub struct CatalogTool {
    listing: Arc<Listing>,
    position: usize,
    /// About the tool of this name, perhaps with another definition.
    learned: Option<Arc<Learned>>,
    server_python: Arc<str>,
    server_typescript: Arc<str>,
    python: String,
    typescript: String,
    fingerprint: OnceLock<Fingerprint>,
    input: OnceLock<Schema>,
    output: OnceLock<Option<Schema>>,
    learned_output: OnceLock<Option<Schema>>,
    checker: OnceLock<Checker>,
}

impl CatalogTool {
    /// What the server is called in the configuration.
    #[must_use]
    pub fn server(&self) -> &ServerName {
        &self.listing.server
    }

    /// The server's Python identifier.
    #[must_use]
    pub fn server_python(&self) -> &str {
        &self.server_python
    }

    /// The server's TypeScript identifier.
    #[must_use]
    pub fn server_typescript(&self) -> &str {
        &self.server_typescript
    }

    /// The tool in its server's own words.
    #[must_use]
    pub fn tool(&self) -> &Tool {
        &self.listing.tools[self.position]
    }

    /// What the server calls it.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.tool().name
    }

    /// Its name as a Python function and module.
    #[must_use]
    pub fn python(&self) -> &str {
        &self.python
    }

    /// Its name as a TypeScript function and file.
    #[must_use]
    pub fn typescript(&self) -> &str {
        &self.typescript
    }

    /// Which definition this is.
    #[must_use]
    pub fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint.get_or_init(|| Fingerprint::of(self.tool()))
    }

    /// What it takes.
    #[must_use]
    pub fn input(&self) -> &Schema {
        self.input.get_or_init(|| schema::read_arguments(&self.tool().input_schema))
    }

    /// What it returns, if the server said so.
    #[must_use]
    pub fn output(&self) -> Option<&Schema> {
        self.output
            .get_or_init(|| self.tool().output_schema.as_ref().map(schema::read_result))
            .as_ref()
    }

    /// What was learned about its results: only where the server says nothing about them, and
    /// only about this very definition.
    #[must_use]
    pub fn learned(&self) -> Option<&Learned> {
        let learned = self.learned.as_deref().filter(|_| self.tool().output_schema.is_none())?;
        (learned.seen() > 0 && learned.fingerprint() == self.fingerprint()).then_some(learned)
    }

    /// What it returns, as the server said or else as was learned.
    #[must_use]
    pub fn result(&self) -> Option<&Schema> {
        let learn = || self.learned().map(Learned::schema);
        self.output().or_else(|| self.learned_output.get_or_init(learn).as_ref())
    }

    /// Checks arguments before they leave, and gives back those to send: an optional parameter
    /// that is `null` although its schema does not allow that is left out, which is what whoever
    /// wrote it meant.
    pub fn check<'a>(&self, arguments: &'a Value) -> Result<Cow<'a, Value>, Mistake> {
        self.checker.get_or_init(|| Checker::new(&self.tool().input_schema)).check(
            &self.python,
            self.input(),
            arguments,
        )
    }
}
