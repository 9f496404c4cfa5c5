//! Everything that can be called: which servers there are, what each offers, how a call
//! finds its way.

mod absent;
mod anew;
mod covered;
mod gathered;
mod learned;
mod mail;
mod named;
mod offer;
mod permitted;
mod reaching;
mod reused;
mod skilled;
mod tokens;
mod wanted;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use catalog::{
    Annotations, Catalog, CatalogServer, CatalogTool, LearnedTools, Listing, ResolveError,
    ServerName, Tool, ToolName, Withheld,
};
use engine::{CallError, Folder};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use skills::Reader;
use tracing::{debug, warn};
use upstream::{ConnectError, ServerSettings, ServerState, Upstreams, Web};

pub(crate) use self::named::CALL;
pub use self::offer::Offer;
#[cfg(test)]
pub(crate) use self::permitted::reading;
use crate::effects::{Effects, Said};
use crate::finding::{Finder, Found, Search};
use crate::judge::Judge;
use crate::learning::Learning;
use crate::mailboxes::Mailboxes;
use crate::meaning::Meaning;
use crate::memory::Memory;
use crate::minds::Minds;
use crate::missing::MissingServer;
use crate::skillset::Skillset;
use crate::tally::{DefinitionTokens, Definitions};
use crate::veil::{Pii, Veil};

/// How long a program that names no server waits for those that were never asked before.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long after that a server that did not answer is not waited for again.
const LATE: Duration = Duration::from_secs(60);

/// What an operator decided about one server.
#[derive(Debug, Clone, Default)]
pub struct ServerPolicy {
    /// A tool whose definition changed may not be called until it is accepted.
    pub pin: bool,
    /// What tools return is learned from their results, where the server does not say it.
    pub learn: bool,
    /// What the server says about its tools' effects is believed.
    pub trusted: bool,
    /// What counts about single tools, whatever the server says.
    pub effects: Effects,
    /// Who does not see the personal data it answers with,
    pub pii: Pii,
    /// and for which of its tools that is another.
    pub tool_pii: BTreeMap<ToolName, Pii>,
    /// Says how the server is reached; another text means another server.
    pub identity: String,
    /// Says which server it is: its command or its address. What was accepted of it belongs to that.
    pub place: String,
}

type Policies = BTreeMap<ServerName, ServerPolicy>;

/// All servers, and what is known of them.
pub struct Tools {
    upstreams: Arc<Upstreams>,
    /// Replaced as a whole when servers come and go, so that a run sees one set of them.
    policies: RwLock<Arc<Policies>>,
    memory: Arc<Memory>,
    learning: Learning,
    finder: Arc<Finder>,
    shelf: Mutex<Shelf>,
    definitions: Arc<Definitions>,
    judge: Arc<Judge>,
    veil: Arc<Veil>,
    /// The network that programs may reach.
    web: Arc<Web>,
    web_pii: Pii,
    /// The skills of everybody, where any are kept.
    skillset: Option<Arc<Skillset>>,
    minds: Minds,
    mailboxes: Arc<Mailboxes>,
}

#[derive(Default)]
struct Shelf {
    listings: BTreeMap<ServerName, Arc<Listing>>,
    /// Why servers did not say what they offer when they were last asked.
    failed: BTreeMap<ServerName, String>,
    /// Since when servers are waited for whose tools nobody knows.
    asked: BTreeMap<ServerName, Instant>,
    /// Made from these and `learned`; `None` when the former have changed since.
    made: Option<(Arc<Catalog>, Arc<Folder>)>,
    learned: BTreeMap<ServerName, Arc<LearnedTools>>,
    /// What had been accepted when it was made; see [`Memory::changed_elsewhere`].
    accepted: u64,
    /// The last one made, whose unchanged servers the next one shares,
    last: Arc<Catalog>,
    /// and their files.
    files: Vec<(Arc<CatalogServer>, Vec<bindings::SourceFile>)>,
}

impl Tools {
    /// Tools of these upstreams; what `memory` holds of them is believed until they are asked.
    #[must_use]
    pub fn new(
        upstreams: Arc<Upstreams>,
        policies: BTreeMap<ServerName, ServerPolicy>,
        memory: Memory,
    ) -> Arc<Self> {
        let remembered = policies.iter().filter_map(|(server, policy)| {
            let listing = memory.listing(server, &policy.identity)?;
            Some((server.clone(), Arc::new(listing)))
        });
        let listings = remembered.collect();
        let shelf = Mutex::new(Shelf { listings, ..Shelf::default() });
        let learns = policies.iter().filter(|(_, policy)| policy.learn);
        let learns = learns.map(|(server, policy)| (server.clone(), policy.identity.clone()));
        let memory = Arc::new(memory);
        let learning = Learning::new(Arc::clone(&memory), learns.collect());
        let finder = Arc::new(Finder::new(None));
        let policies = RwLock::new(Arc::new(policies));
        let (definitions, judge, veil) = (Arc::default(), Arc::default(), Veil::in_memory());
        let (web, web_pii) = (Arc::default(), Pii::Off);
        Arc::new(Self {
            upstreams,
            policies,
            memory,
            learning,
            finder,
            shelf,
            definitions,
            judge,
            veil,
            web,
            web_pii,
            skillset: None,
            minds: Minds::default(),
            mailboxes: Arc::default(),
        })
    }

    /// The same, with tools found by meaning too.
    #[must_use]
    pub fn with_meaning(self: Arc<Self>, meaning: Meaning) -> Arc<Self> {
        let finder = Arc::new(Finder::new(Some(meaning)));
        match Arc::try_unwrap(self) {
            Ok(tools) => Arc::new(Self { finder, ..tools }),
            // Somebody uses it already, and finds tools by their words.
            Err(shared) => shared,
        }
    }

    /// The same, with a network that programs may reach, and who does not see the personal data in what comes
    /// from there.
    #[must_use]
    pub fn with_web(self: Arc<Self>, web: Web, web_pii: Pii) -> Arc<Self> {
        match Arc::try_unwrap(self) {
            Ok(tools) => Arc::new(Self { web: Arc::new(web), web_pii, ..tools }),
            // Somebody uses it already, and reaches nothing.
            Err(shared) => shared,
        }
    }

    /// The same, with skills that programs save and import.
    #[must_use]
    pub fn with_skills(self: Arc<Self>, skillset: Arc<Skillset>) -> Arc<Self> {
        match Arc::try_unwrap(self) {
            Ok(tools) => Arc::new(Self { skillset: Some(skillset), ..tools }),
            // Somebody uses it already, and knows of none.
            Err(shared) => shared,
        }
    }

    /// The skills of everybody, where any are kept.
    #[must_use]
    pub fn skillset(&self) -> Option<&Arc<Skillset>> {
        self.skillset.as_ref()
    }

    /// The models that programs ask.
    #[must_use]
    pub fn minds(&self) -> &Minds {
        &self.minds
    }

    /// How programs tell each other something.
    pub(crate) fn mailboxes(&self) -> &Mailboxes {
        &self.mailboxes
    }

    /// Finds tools among all that are known, and says whose are not.
    pub fn find(&self, asked: &Search) -> Result<Found, ResolveError> {
        self.catch_up();
        self.find_in(&self.made().0, asked)
    }

    /// The same with the skills that somebody sees.
    pub fn find_for(&self, asked: &Search, reader: &Reader) -> Result<Found, ResolveError> {
        self.with_found_skills(self.find(asked), asked, reader)
    }

    /// The same among those that a program was given.
    fn find_in(&self, catalog: &Arc<Catalog>, asked: &Search) -> Result<Found, ResolveError> {
        let mut missing = self.missing();
        if let Some(only) = &asked.server {
            missing.retain(|one| wanted::folded(&one.server) == wanted::folded(only));
        }
        match self.finder.find(catalog, asked) {
            Ok(found) => Ok(Found { missing, ..found }),
            // It is there, and says nothing.
            Err(_) if !missing.is_empty() => {
                Ok(Found { tools: Vec::new(), matching: 0, total: 0, missing })
            }
            Err(error) => Err(error),
        }
    }

    /// Servers of whose tools nothing is known, and why.
    #[must_use]
    pub fn missing(&self) -> Vec<MissingServer> {
        let unheard = self.unheard();
        if unheard.is_empty() {
            return Vec::new();
        }
        let states = self.upstreams.status();
        let of = |name: &ServerName| states.iter().find(|status| status.name == *name);
        unheard.iter().filter_map(|name| of(name).map(MissingServer::new)).collect()
    }

    /// Takes up what servers have said since they were asked: a call may have brought new tools.
    pub(crate) fn catch_up(&self) {
        for server in self.policies().keys() {
            if let Some(listing) = self.upstreams.known_listing(server) {
                self.keep(server, listing);
            }
        }
    }

    /// Computes what the known tools mean, if there is a model for it, and says how far it is.
    /// Takes long the first time; runs where it may block.
    pub fn prepare(&self, told: &dyn Fn(usize, usize)) {
        self.finder.prepare(&self.made().0, told);
    }

    /// Ends the connections in an orderly way, and writes down what was learned.
    pub async fn close(self: &Arc<Self>) {
        self.finder.stop();
        if let Some(skillset) = &self.skillset {
            skillset.keep_now();
        }
        self.mailboxes.close().await;
        self.upstreams.close().await;
        let tools = Arc::clone(self);
        // It fails only when the runtime itself is about to end.
        let _ = tokio::task::spawn_blocking(move || tools.learning.keep_now()).await;
    }

    /// The servers' connections.
    #[must_use]
    pub fn upstreams(&self) -> &Arc<Upstreams> {
        &self.upstreams
    }

    /// Who decides about calls.
    #[must_use]
    pub fn judge(&self) -> &Arc<Judge> {
        &self.judge
    }

    /// What counts about the effects of a tool: the operator's word, or else its server's.
    #[must_use]
    pub fn said<'a>(&self, server: &ServerName, tool: &'a Tool) -> Said<'a> {
        let policies = self.policies();
        let Some(policy) = policies.get(server) else {
            return Said { annotations: Cow::Borrowed(&tool.annotations), is_believed: false };
        };
        match policy.effects.over(&tool.name, &tool.annotations) {
            Some(annotations) => Said { annotations: Cow::Owned(annotations), is_believed: true },
            None => {
                Said { annotations: Cow::Borrowed(&tool.annotations), is_believed: policy.trusted }
            }
        }
    }

    /// What an operator says of single tools of a server.
    #[must_use]
    pub fn effects(&self, server: &ServerName) -> Effects {
        self.policies().get(server).map(|policy| policy.effects.clone()).unwrap_or_default()
    }

    /// What counts about the tools of which an operator says what they do.
    pub(crate) fn overruled(&self) -> BTreeMap<(String, String), Annotations> {
        let policies = self.policies();
        if policies.values().all(|policy| policy.effects.is_empty()) {
            return BTreeMap::new();
        }
        let catalog = self.made().0;
        let overruled = catalog.tools().filter_map(|tool| {
            let policy = policies.get(tool.server())?;
            let counts = policy.effects.over(tool.name(), &tool.tool().annotations)?;
            Some(((tool.server().0.clone(), tool.name().0.clone()), counts))
        });
        overruled.collect()
    }

    /// What the servers are called.
    #[must_use]
    pub fn names(&self) -> Vec<ServerName> {
        self.policies().keys().cloned().collect()
    }

    /// The servers that are believed when they call a tool harmless.
    #[must_use]
    pub fn trusted(&self) -> Vec<String> {
        let policies = self.policies();
        let trusted = policies.iter().filter(|(_, policy)| policy.trusted);
        trusted.map(|(name, _)| name.0.clone()).collect()
    }

    /// Adds a server, or replaces the one of that name.
    pub async fn add(&self, server: ServerSettings, policy: ServerPolicy) {
        let name = server.name.clone();
        self.upstreams.add(server).await;
        let mut policies = Policies::clone(&self.policies());
        policies.insert(name.clone(), policy);
        *self.policies.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policies);
        self.forget_listing(&name);
    }

    /// Removes a server and ends its connection; false if there is none of that name.
    pub async fn remove(&self, server: &ServerName) -> bool {
        let mut policies = Policies::clone(&self.policies());
        if policies.remove(server).is_none() {
            return false;
        }
        *self.policies.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policies);
        self.forget_listing(server);
        self.upstreams.remove(server).await;
        true
    }

    fn forget_listing(&self, server: &ServerName) {
        let mut shelf = self.shelf();
        shelf.listings.remove(server);
        shelf.made = None;
    }

    fn policies(&self) -> Arc<Policies> {
        Arc::clone(&self.policies.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Servers that have not said what they offer, and of which nothing is remembered.
    #[must_use]
    pub fn unheard(&self) -> Vec<ServerName> {
        let policies = self.policies();
        let shelf = self.shelf();
        policies.keys().filter(|server| !shelf.listings.contains_key(*server)).cloned().collect()
    }

    /// Asks the servers of which nothing is known what they offer, however long that takes.
    pub async fn hear_all(&self) {
        join_all(self.unheard().iter().map(|server| self.learn(server))).await;
    }

    /// What is known of each server's tools.
    #[must_use]
    pub fn listings(&self) -> Vec<Arc<Listing>> {
        self.shelf().listings.values().cloned().collect()
    }

    /// What of it may be called: under `pin`, tools that changed or are new are left out.
    #[must_use]
    pub fn offered(&self) -> Vec<Arc<Listing>> {
        let mut withheld = Vec::new();
        let listings = self.listings();
        listings.iter().map(|listing| self.without_withheld(listing, &mut withheld)).collect()
    }

    /// Tokens of the definitions of everything that is known, and of the tools in `used` alone.
    pub(crate) async fn definition_tokens(&self, used: &BTreeMap<String, u64>) -> DefinitionTokens {
        self.definitions.tokens(self.listings(), used).await
    }

    /// Has the definitions counted that are not yet, so that a receipt finds that done.
    pub(crate) fn count_definitions_soon(&self) {
        let (definitions, listings) = (Arc::clone(&self.definitions), self.listings());
        if !definitions.knows(&listings) {
            // Ends by itself: it asks nobody.
            tokio::spawn(async move { definitions.tokens(listings, &BTreeMap::new()).await });
        }
    }

    /// Which server it is that has this name: what was accepted of it belongs to that.
    #[must_use]
    pub fn place(&self, server: &ServerName) -> String {
        self.policies().get(server).map(|policy| policy.place.clone()).unwrap_or_default()
    }

    /// What is remembered of them.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The catalog of what is known, without asking anybody.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        self.made().0
    }

    /// What a program with this source is given: waits for the servers it names, and a
    /// moment for the others where it may mean any of them.
    pub async fn offer(self: &Arc<Self>, source: &str) -> Arc<Offer> {
        let policies = self.policies();
        let names: Vec<&ServerName> = policies.keys().collect();
        let wanted = wanted::wanted(source, &names);
        join_all(wanted.named.iter().map(|server| self.learn(server))).await;
        let others = || names.iter().filter(|server| !wanted.named.contains(server)).copied();
        if wanted.any || !self.knows(&wanted.tools) {
            self.learn_soon(others()).await;
        } else if !wanted.tools.is_empty() {
            self.begin_to_learn(others());
        } else if wanted.is_dynamic {
            self.learn_soon(wanted.mentioned.iter()).await;
        }
        let made = wanted.is_something().then(|| self.made());
        if let Some((catalog, _)) = &made
            && self.finder.wants_preparation(catalog)
        {
            let (finder, catalog) = (Arc::clone(&self.finder), Arc::clone(catalog));
            // Ended by `close`, or with the process after the vector under way.
            tokio::task::spawn_blocking(move || finder.prepare(&catalog, &|_, _| ()));
        }
        Arc::new(Offer { tools: Arc::clone(self), made, tally: Arc::default() })
    }

    /// Whether somebody is known for each of these tools, which are called by their names alone.
    fn knows(&self, tools: &[String]) -> bool {
        let is_known = |tool: &String| {
            use ResolveError::{Ambiguous, Withheld};
            matches!(self.made().0.resolve(None, tool), Ok(_) | Err(Ambiguous { .. } | Withheld(_)))
        };
        tools.iter().all(is_known)
    }

    /// Has servers connected to of which nothing is known, and waits for none of them.
    fn begin_to_learn<'s>(&self, servers: impl Iterator<Item = &'s ServerName>) {
        for server in servers.filter(|server| !self.is_late(server)) {
            // What was begun goes on without whoever asked.
            let _ = self.learn(server).now_or_never();
        }
    }

    /// Asks the servers that were never asked what they offer, and waits for a moment.
    pub async fn know_all(&self) {
        self.learn_soon(self.policies().keys()).await;
    }

    /// Makes sure that the tools of these servers are known, as far as they answer soon. One that
    /// does not is found next time, and does not hold up everybody meanwhile.
    async fn learn_soon<'s>(&self, servers: impl Iterator<Item = &'s ServerName>) {
        let waited_for: Vec<&ServerName> = servers.filter(|server| !self.is_late(server)).collect();
        let all = join_all(waited_for.into_iter().map(|server| self.learn(server)));
        let _ = tokio::time::timeout(PATIENCE, all).await;
    }

    /// Whether a server has been waited for already, a short while ago, and still says nothing.
    fn is_late(&self, server: &ServerName) -> bool {
        let answered = self.upstreams.known_listing(server).is_some();
        let mut shelf = self.shelf();
        if answered || shelf.listings.contains_key(server) {
            shelf.asked.remove(server);
            return false;
        }
        let since = shelf.asked.entry(server.clone()).or_insert_with(Instant::now);
        let late = since.elapsed();
        if late > LATE {
            *since = Instant::now();
        }
        (PATIENCE..=LATE).contains(&late)
    }

    /// What a program is given that may mean any server without saying so.
    pub(crate) async fn offer_all(self: &Arc<Self>) -> Arc<Offer> {
        // One that does not answer soon has no tools that could have been meant.
        self.learn_soon(self.policies().keys()).await;
        Arc::new(Offer { tools: Arc::clone(self), made: Some(self.made()), tally: Arc::default() })
    }

    /// Asks the servers that may have more than is known of them, and waits for a moment. One that was asked
    /// a short while ago and still says nothing is not waited for again.
    async fn ask_those_that_may_know(&self) {
        let states = self.upstreams.status();
        let policies = self.policies();
        let may_know = |server: &&ServerName| {
            let state = states.iter().find(|status| status.name == **server);
            let is_at_rest = state.is_none_or(|status| {
                matches!(status.state, ServerState::NotConnected { .. } | ServerState::Connected)
            });
            // Of one that never said anything, the connection was begun when it was first wanted.
            !self.is_late(server) && (is_at_rest || !self.shelf().listings.contains_key(*server))
        };
        let asked = join_all(policies.keys().filter(may_know).map(|server| self.ask(server)));
        let _ = tokio::time::timeout(PATIENCE, asked).await;
    }

    /// The same after asking the servers it means what they offer now, as far as they answer soon.
    pub(crate) async fn offer_anew(self: &Arc<Self>, source: &str) -> Arc<Offer> {
        let policies = self.policies();
        let names: Vec<&ServerName> = policies.keys().collect();
        let wanted = wanted::wanted(source, &names);
        let is_any = wanted.any || !wanted.tools.is_empty();
        let asked = names.iter().filter(|server| is_any || wanted.named.contains(server));
        let asked = asked.filter(|server| !self.is_late(server));
        let all = join_all(asked.map(|server| self.ask_anew(server)));
        // One that does not answer is as it is remembered.
        let _ = tokio::time::timeout(PATIENCE, all).await;
        self.offer(source).await
    }

    /// The catalog of everything that is known, after asking every server, or `only` one.
    pub async fn ask_again(
        &self,
        only: Option<&ServerName>,
    ) -> (Arc<Catalog>, Vec<(ServerName, ConnectError)>) {
        let wanted = |name: &&ServerName| only.is_none_or(|only| only == *name);
        let policies = self.policies();
        let names: Vec<&ServerName> = policies.keys().filter(wanted).collect();
        let asked = join_all(names.iter().map(|server| self.ask(server))).await;
        let failed = names.into_iter().zip(asked);
        let failed = failed.filter_map(|(server, result)| Some((server.clone(), result.err()?)));
        let failed = failed.collect();
        (self.made().0, failed)
    }

    /// Makes sure that a server's tools are known, from memory if need be.
    async fn learn(&self, server: &ServerName) {
        let known = self.shelf().listings.contains_key(server);
        // A listing that came after we remembered one is newer.
        if known && self.upstreams.known_listing(server).is_none() {
            return;
        }
        if let Err(error) = self.ask(server).await {
            // The connection has said so already, to who looks after servers.
            debug!(server = %server, error = %error, "server cannot be used");
        }
    }

    /// Asks a server what it offers.
    async fn ask(&self, server: &ServerName) -> Result<(), ConnectError> {
        let listed = self.upstreams.listing(server).await;
        self.heard(server, listed)
    }

    /// Asks a server what it offers now, whatever it said before.
    async fn ask_anew(&self, server: &ServerName) -> Result<(), ConnectError> {
        let listed = self.upstreams.listing_again(server).await;
        self.heard(server, listed)
    }

    /// Asks the servers of these tools (`server.tool`) what they offer now. One that cannot be asked is as it is
    /// remembered.
    pub(crate) async fn ask_anew_about<'t>(&self, tools: impl Iterator<Item = &'t str>) {
        let policies = self.policies();
        let server_of = |tool: &str| {
            let fits = |server: &&ServerName| {
                tool.strip_prefix(&server.0).is_some_and(|rest| rest.starts_with('.'))
            };
            policies.keys().filter(fits).max_by_key(|server| server.0.len())
        };
        let servers: BTreeSet<&ServerName> = tools.filter_map(server_of).collect();
        join_all(servers.into_iter().map(|server| self.ask_anew(server))).await;
    }

    /// Makes sure that a tool of a pinned server is still what was accepted, before it is called: what
    /// is remembered of it may be older than what the server offers now.
    pub(crate) async fn confirm(&self, tool: &CatalogTool) -> Result<(), CallError> {
        self.confirm_named(tool.server(), tool.name()).await
    }

    /// The same by name.
    pub(crate) async fn confirm_named(
        &self,
        server: &ServerName,
        tool: &ToolName,
    ) -> Result<(), CallError> {
        if !self.policies().get(server).is_some_and(|policy| policy.pin) {
            return Ok(());
        }
        match self.upstreams.known_listing(server) {
            Some(listing) => self.keep(server, listing),
            // Who cannot be asked cannot be called either, and says why.
            None => drop(self.ask(server).await),
        }
        match self.made().0.withheld_tool(server, &tool.0) {
            None => Ok(()),
            Some(withheld) => {
                let message = ResolveError::Withheld(withheld.clone()).to_string();
                Err(CallError { kind: "UnknownTool".to_owned(), message })
            }
        }
    }

    /// Keeps what a server said, or why it said nothing.
    fn heard(
        &self,
        server: &ServerName,
        listed: Result<Arc<Listing>, ConnectError>,
    ) -> Result<(), ConnectError> {
        let problem = match listed {
            Ok(listing) => {
                self.keep(server, listing);
                return Ok(());
            }
            Err(problem) => problem,
        };
        let mut shelf = self.shelf();
        let before = shelf.failed.insert(server.clone(), problem.in_short());
        if before.as_ref() != shelf.failed.get(server) && !shelf.listings.contains_key(server) {
            shelf.made = None;
        }
        Err(problem)
    }

    fn keep(&self, server: &ServerName, listing: Arc<Listing>) {
        let known = self.shelf().listings.get(server).cloned();
        if known.is_some_and(|known| Arc::ptr_eq(&known, &listing)) {
            return;
        }
        self.note(&listing);
        let mut shelf = self.shelf();
        shelf.listings.insert(server.clone(), listing);
        shelf.made = None;
    }

    /// Remembers a listing, and which of its definitions are new.
    fn note(&self, listing: &Listing) {
        let policies = self.policies();
        let policy = policies.get(&listing.server);
        let reached = policy.map_or(("", ""), |policy| (&policy.identity, &policy.place));
        let (changes, kept) =
            self.memory.note(listing, reached, policy.is_some_and(|policy| policy.pin));
        if !changes.is_empty() {
            warn!(server = %listing.server, changes = changes.len(), "tool definitions changed; see `tidegate tools diff`");
        }
        if let Err(error) = kept {
            warn!(error = %error, "servers will be asked again next time");
        }
    }

    /// What is under `/servers` for whoever may want anything of it.
    pub(crate) fn folder(&self) -> Arc<Folder> {
        self.made().1
    }

    fn made(&self) -> (Arc<Catalog>, Arc<Folder>) {
        let learned = self.learning.shown();
        let mut shelf = self.shelf();
        // Another process may have accepted what is held back here.
        let holds_back = |(catalog, _): &(Arc<Catalog>, _)| !catalog.withheld().is_empty();
        if shelf.made.as_ref().is_some_and(holds_back)
            && shelf.accepted != self.memory.changed_elsewhere()
        {
            shelf.made = None;
        }
        if let Some(made) = &shelf.made
            && shelf.learned.iter().all(|(server, known)| {
                learned.get(server).is_some_and(|now| Arc::ptr_eq(known, now))
            })
        {
            return made.clone();
        }
        shelf.accepted = self.memory.changed_elsewhere();
        let mut withheld = Vec::new();
        let listings =
            shelf.listings.values().map(|listing| self.without_withheld(listing, &mut withheld));
        let catalog = shelf.last.refreshed_with(listings.collect(), &learned);
        let catalog = Arc::new(catalog.withholding(withheld));
        let known = std::mem::take(&mut shelf.files);
        shelf.files = catalog.shared_servers().iter().map(|server| files(server, &known)).collect();
        let policies = self.policies();
        let unlisted = policies.keys().filter(|name| !shelf.listings.contains_key(name));
        let unlisted = unlisted.map(|name| (name, shelf.failed.get(name).map(String::as_str)));
        let absent = absent::file(&catalog, &policies, unlisted);
        let folder = folder(&catalog, &shelf.files, absent.as_ref());
        let made = (Arc::clone(&catalog), Arc::new(folder));
        shelf.made = Some(made.clone());
        shelf.learned = learned;
        shelf.last = catalog;
        made
    }

    /// Under `pin`, tools that changed or are new are not offered.
    fn without_withheld(
        &self,
        listing: &Arc<Listing>,
        withheld: &mut Vec<Withheld>,
    ) -> Arc<Listing> {
        let policies = self.policies();
        let Some(policy) = policies.get(&listing.server).filter(|policy| policy.pin) else {
            return Arc::clone(listing);
        };
        let held = self.memory.withheld(listing, &policy.place);
        if held.is_empty() {
            return Arc::clone(listing);
        }
        let mut rest = Listing::clone(listing);
        rest.tools.retain(|tool| !held.iter().any(|held| held.tool == tool.name));
        withheld.extend(held);
        Arc::new(rest)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server with its files, which are those that it had before if it is the very same.
fn files(
    server: &Arc<CatalogServer>,
    known: &[(Arc<CatalogServer>, Vec<bindings::SourceFile>)],
) -> (Arc<CatalogServer>, Vec<bindings::SourceFile>) {
    let same = known.iter().find(|(known, _)| Arc::ptr_eq(known, server));
    let make = || {
        let python = bindings::python_server(server);
        python.into_iter().chain(bindings::typescript_server(server)).collect()
    };
    (Arc::clone(server), same.map_or_else(make, |(_, files)| files.clone()))
}

/// Bindings of a whole catalog, as programs see them.
fn folder(
    catalog: &Catalog,
    servers: &[(Arc<CatalogServer>, Vec<bindings::SourceFile>)],
    absent: Option<&bindings::SourceFile>,
) -> Folder {
    let beside = [bindings::readme(catalog), bindings::typescript_client()];
    let all = servers.iter().flat_map(|(_, files)| files).chain(&beside).chain(absent);
    let bytes = |text: &Arc<str>| Arc::<[u8]>::from(Arc::clone(text));
    let mut whole: BTreeMap<String, Arc<[u8]>> =
        all.map(|file| (file.path.clone(), bytes(&file.text))).collect();
    // Nothing here is written to a disk or compiled together, so all names can be there.
    for (server, files) in servers {
        for file in bindings::unwritten_names(server, files) {
            whole.entry(file.path).or_insert_with(|| bytes(&file.text));
        }
    }
    Folder::new(whole)
}
