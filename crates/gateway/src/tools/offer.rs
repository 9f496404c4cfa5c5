//! What one program can call, and how its calls find their way.

use std::borrow::Cow;
use std::sync::Arc;

use catalog::{Catalog, CatalogTool, ResolveError, ServerName, ToolName};
use engine::{CallError, CallResult, Folder, HostCall, Language, Session};
use futures_util::future::join_all;
use metrics::counter;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use upstream::{CallFailure, ConnectError, before_leaving};

use super::gathered::{self, Gathered, Unheard};
use super::permitted::{reading, wish};
use super::{CALL, PATIENCE, Tools, wanted};
use crate::answer::{answer, kept_words, words};
use crate::behalf::Behalf;
use crate::children;
use crate::finding::Search;
use crate::hearing::{CallKind, CallNote, UNANSWERED, UNSENT};
use crate::mailboxes;
use crate::minds;
use crate::missing;
use crate::numbers;
use crate::service::durable::Effect;
use crate::skillset;
use crate::tally::{self, Tally};
use crate::veil::{Cover, Pii, VeilError};
use crate::web;

/// What one program can call, as of when it started.
pub struct Offer {
    pub(super) tools: Arc<Tools>,
    pub(super) made: Option<(Arc<Catalog>, Arc<Folder>)>,
    /// Counts what its calls would have cost a model.
    pub(super) tally: Arc<Tally>,
}

#[derive(Deserialize)]
pub(super) struct ToolCall {
    #[serde(default)]
    pub(super) server: Option<String>,
    pub(super) tool: String,
    #[serde(default)]
    arguments: Value,
}

/// Which tool is called; its arguments are passed over.
#[derive(Deserialize)]
struct Named<'call> {
    #[serde(borrow, default)]
    server: Option<Cow<'call, str>>,
    #[serde(borrow)]
    tool: Cow<'call, str>,
}

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    pub(super) server: Option<String>,
    #[serde(default)]
    uri: Option<String>,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// Servers that a program may read from where it names none.
#[derive(Default)]
struct Readable {
    servers: Vec<ServerName>,
    /// Those of which it has read as much as it may.
    refused: Vec<(ServerName, CallError)>,
}

impl Offer {
    /// What there is to call; `None` when the program asks for no server.
    pub(crate) fn catalog(&self) -> Option<&Arc<Catalog>> {
        self.made.as_ref().map(|(catalog, _)| catalog)
    }

    /// What the program finds under `/servers`; `None` when it asks for no server.
    #[must_use]
    pub fn folder(&self) -> Option<Arc<Folder>> {
        self.made.as_ref().map(|(_, folder)| Arc::clone(folder))
    }

    /// What a program of `session` finds there: one that names no server may still use what an earlier one
    /// imported, also when the session has been at rest since.
    pub(crate) fn folder_in(&self, session: &Session) -> Option<Arc<Folder>> {
        let again = || session.has_past().then(|| self.tools.folder());
        self.folder().or_else(|| session.start().servers.clone()).or_else(again)
    }

    /// What a program of a language finds under `/skills`.
    #[must_use]
    pub fn skills(&self, behalf: &Behalf, language: Language) -> Option<Arc<Folder>> {
        self.tools.skillset()?.folder(&behalf.reader(), &self.tools, language)
    }

    /// What was counted of its calls so far.
    pub(crate) fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// The same for another program of the run, whose calls are counted with its own.
    pub(crate) fn counted_by(&self, tally: &Arc<Tally>) -> Arc<Self> {
        let (tools, made) = (Arc::clone(&self.tools), self.made.clone());
        Arc::new(Self { tools, made, tally: Arc::clone(tally) })
    }

    /// All tools.
    pub(crate) fn tools(&self) -> &Arc<Tools> {
        &self.tools
    }

    /// Answers what needs no server.
    #[must_use]
    pub fn at_once(&self, call: &HostCall, behalf: &Behalf) -> Option<CallResult> {
        if call.name == "$search" {
            return Some(CallResult { id: call.id, result: self.search(&call.arguments, behalf) });
        }
        if let Some(result) = skillset::at_once(&self.tools, call, behalf) {
            return Some(result);
        }
        if call.name == "$summarize" {
            return Some(CallResult { id: call.id, result: summarized(&call.arguments) });
        }
        let known = [
            CALL,
            web::CALL,
            children::CALL,
            skillset::SAVE,
            minds::CALL,
            mailboxes::POST,
            mailboxes::RECEIVE,
            "$resources",
            "$resource",
            "$prompts",
            "$prompt",
        ];
        (!known.contains(&call.name.as_str())).then(|| {
            CallResult::failed(
                call.id,
                format!("there is no host function called {:?}; call tools as `from servers.NAME import TOOL`", call.name),
            )
        })
    }

    fn search(&self, arguments: &RawValue, behalf: &Behalf) -> Result<Box<RawValue>, CallError> {
        let asked: Search = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", format!("search_tools(): {error}")))?;
        let found = match &self.made {
            Some((catalog, _)) => self.tools.find_in(catalog, &asked),
            None => self.tools.find(&asked),
        };
        let found = self.tools.with_found_skills(found, &asked, &behalf.reader());
        raw(&found.map_err(|error| fault("UnknownServer", error.to_string()))?)
    }

    /// Says that the program is over: what was learned from it may be kept.
    pub(crate) fn after_run(&self) {
        self.tools.after_run();
        if let Some(skillset) = self.tools.skillset() {
            skillset.keep_soon();
        }
    }

    /// What to say to a program that failed at what a tool takes: whether its server has changed since it was
    /// remembered. The next program is given what the server has now.
    pub(crate) async fn changed_since(&self, source: &str) -> Option<String> {
        let (catalog, _) = self.made.as_ref()?;
        let given = catalog.shared_servers().iter().map(|server| server.listing());
        let given: Vec<_> = given.cloned().collect();
        let changed = self.tools.changed_since(source, &given).await;
        let names: Vec<&str> = changed.iter().map(|server| server.0.as_str()).collect();
        if names.is_empty() {
            return None;
        }
        Some(format!(
            "the tools of {} have changed since they were remembered; run the program again",
            names.join(" and ")
        ))
    }

    /// What a call may do out there, as far as anybody who is believed has said.
    pub(crate) fn effect(&self, call: &HostCall) -> Effect {
        match call.name.as_str() {
            web::CALL => web::effect(call),
            // What it does in turn is its own affair, and is not to be done twice.
            children::CALL | skillset::SAVE | mailboxes::POST | mailboxes::RECEIVE => Effect::Write,
            // It changes nothing and is not for nothing: one that was answered is not asked again.
            minds::CALL => Effect::Idempotent,
            CALL => match serde_json::from_str::<Named<'_>>(call.arguments.get()) {
                Ok(named) => self.effect_of_tool(named.server.as_deref(), &named.tool),
                Err(_) => Effect::Write,
            },
            _ => Effect::Read,
        }
    }

    /// The same of a call that is told of.
    pub(crate) fn effect_of(&self, note: &CallNote) -> Effect {
        match note.kind {
            CallKind::Tool => self.effect_of_tool(note.server.as_deref(), &note.tool),
            CallKind::Web => web::effect_of(&note.tool),
            CallKind::Besides => match note.tool.as_str() {
                children::CALL | skillset::SAVE | mailboxes::POST | mailboxes::RECEIVE => {
                    Effect::Write
                }
                minds::CALL => Effect::Idempotent,
                _ => Effect::Read,
            },
        }
    }

    fn effect_of_tool(&self, server: Option<&str>, tool: &str) -> Effect {
        let catalog = self.widest();
        let Ok(tool) = catalog.resolve(server, tool) else {
            return Effect::Write;
        };
        self.tools.said(tool.server(), tool.tool()).effect()
    }

    pub(crate) fn widest(&self) -> Arc<Catalog> {
        self.made.as_ref().map_or_else(|| self.tools.made().0, |made| Arc::clone(&made.0))
    }

    /// Counts calls that were answered in an earlier process.
    pub(crate) fn count_before<'a>(
        &self,
        calls: impl Iterator<Item = (&'a HostCall, &'a CallResult)>,
        behalf: &Behalf,
    ) {
        let catalog = self.widest();
        let is_counted = |call: &HostCall| [CALL, minds::CALL].contains(&call.name.as_str());
        for (call, answer) in calls.filter(|(call, _)| is_counted(call)) {
            if call.name == minds::CALL {
                let given = minds::given(call);
                self.tools.judge.made_before(&minds::wish(&given, behalf));
                let answer = answer.result.as_ref().ok();
                if let Some(used) = answer.and_then(|answer| minds::used_before(answer)) {
                    self.tally.models().add(&used);
                }
                continue;
            }
            let Ok(call) = serde_json::from_str::<ToolCall>(call.arguments.get()) else {
                continue;
            };
            let Ok(tool) = catalog.resolve(call.server.as_deref(), &call.tool) else { continue };
            if let Some(arguments) = call.arguments.as_object() {
                let said = self.tools.said(tool.server(), tool.tool());
                self.tools.judge.made_before(&wish((tool, &said), arguments, behalf));
            }
            let said = match &answer.result {
                Ok(value) => Some((tally::Said::kept(value), value.get().len())),
                Err(error) if error.kind == "ToolError" => {
                    let said = kept_words(&error.message);
                    Some((tally::Said::Text(said.to_owned()), said.len()))
                }
                Err(error) if crate::hearing::reached_nobody(&error.kind) => continue,
                Err(_never_came) => None,
            };
            let sent = self.tally.tokens(&call.arguments);
            self.tally.leaves(format!("{}.{}", tool.server(), tool.name()), sent);
            if let Some((said, bytes)) = said {
                self.tally.answered(said, bytes);
            }
        }
    }

    /// Carries out one call.
    pub async fn carry_out(&self, call: &HostCall, behalf: &Behalf) -> CallResult {
        let result = match call.name.as_str() {
            // Boxed, because what a desk holds for each call is moved about.
            CALL => Box::pin(self.call_tool(&call.arguments, behalf)).await,
            web::CALL => Box::pin(self.reach(call, behalf)).await,
            minds::CALL => Box::pin(self.think(call, behalf)).await,
            mailboxes::POST | mailboxes::RECEIVE => Box::pin(self.mail(call, behalf)).await,
            _ => Box::pin(self.ask(&call.name, &call.arguments, behalf)).await,
        };
        CallResult { id: call.id, result }
    }

    async fn call_tool(
        &self,
        arguments: &RawValue,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        // Before the numbers are read: some of them nothing of ours can hold.
        if let Ok(named) = serde_json::from_str::<Named<'_>>(arguments.get())
            && let Some(problem) = numbers::too_large(&named.tool, arguments)
        {
            return Err(fault("ArgumentError", problem));
        }
        let call: ToolCall = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", unreadable(arguments, &error)))?;
        let server = call.server.as_deref();
        match self.made.as_ref().map(|(catalog, _)| catalog.resolve(server, &call.tool)) {
            Some(Ok(tool)) => return self.send(tool, call.arguments, behalf).await,
            // It may have been accepted since the program started.
            Some(Err(ResolveError::Withheld(_))) => {
                let catalog = self.tools.made().0;
                let tool = catalog
                    .resolve(server, &call.tool)
                    .map_err(|error| fault("UnknownTool", error.to_string()))?;
                return self.send(tool, call.arguments, behalf).await;
            }
            // More servers would not make it clearer.
            Some(Err(
                error @ (ResolveError::Ambiguous { .. } | ResolveError::AmbiguousServer { .. }),
            )) => {
                return Err(fault("UnknownTool", error.to_string()));
            }
            Some(Err(_)) | None => {}
        }
        let within = self.unlisted_within(server, &call.tool);
        let asked = server.or(within.as_ref().map(|server| server.0.as_str()));
        let catalog = before_leaving(self.wider_catalog(asked)).await?;
        let tool = catalog.resolve(server, &call.tool).map_err(|error| {
            let missing = match error {
                ResolveError::NoSuchTool { .. } => missing::in_words(&self.tools.missing()),
                _ => String::new(),
            };
            fault("UnknownTool", format!("{error}{missing}"))
        })?;
        self.send(tool, call.arguments, behalf).await
    }

    /// Sends one call whose tool is known, and brings back its value.
    pub(super) async fn send(
        &self,
        tool: &CatalogTool,
        arguments: Value,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let cover = self.cover(tool.server(), Some(tool.name()), behalf);
        let name = format!("{}.{}", tool.server(), tool.name());
        // What is kept and shown of a call has tokens where the server gets values.
        let shown = arguments.as_object().cloned().unwrap_or_default();
        let arguments = before_leaving(cover.take_off(&name, arguments)).await;
        let arguments = arguments.map_err(|error| error.before())?;
        match self.send_uncovered(tool, arguments, (&shown, behalf), &cover).await {
            Ok(value) => Ok(value),
            // What cannot be looked through says so in words of ours, and which file is to blame.
            Err(Unsuccessful::Unseen(error)) => Err(error.after()),
            Err(Unsuccessful::Failed(error)) => Err(cover.fault(error).await),
        }
    }

    /// What there is to call after asking a server whose tool, as it is remembered, does not take these
    /// arguments; `None` where the tool takes them or the server was asked before.
    async fn asked_anew(&self, tool: &CatalogTool, arguments: &Value) -> Option<Arc<Catalog>> {
        if self.tools.upstreams.known_listing(tool.server()).is_some()
            || checked(tool, arguments.clone()).is_ok()
        {
            return None;
        }
        self.tools.catalog_after_asking(tool.server()).await
    }

    /// The same, with the arguments that the server gets. What is judged of them is judged here, and
    /// nothing of them is kept or told.
    async fn send_uncovered(
        &self,
        tool: &CatalogTool,
        arguments: Value,
        (shown, behalf): (&Map<String, Value>, &Behalf),
        cover: &Cover<'_>,
    ) -> Result<Box<RawValue>, Unsuccessful> {
        let anew = before_leaving(self.asked_anew(tool, &arguments)).await;
        let tool = match &anew {
            Some(catalog) => catalog
                .resolve(Some(&tool.server().0), &tool.name().0)
                .map_err(|error| fault("UnknownTool", error.to_string()))?,
            None => tool,
        };
        let arguments = checked(tool, arguments)?;
        before_leaving(self.tools.confirm(tool)).await?;
        before_leaving(self.permitted(tool, (&arguments, shown), behalf)).await?;
        let sent = self.tally.tokens(&arguments);
        let name = format!("{}.{}", tool.server(), tool.name());
        self.tally.leaves(name.clone(), sent);
        let mut counted = Counted { tool, outcome: "cancelled" };
        let result = self.tools.upstreams.call(tool.server(), tool.name(), arguments).await;
        counted.outcome = match &result {
            Ok(result) if !result.is_error => "ok",
            _ => "error",
        };
        drop(counted);
        if matches!(result, Err(CallFailure::NotConnected(_))) {
            self.tally.stays(&name, sent);
        }
        let result = result.map_err(|failure| from_failure(&failure))?;
        let result = Arc::new(cover.result(result).await.map_err(Unsuccessful::Unseen)?);
        let value = answer(&result).map_err(|error| fault("ServerError", error.to_string()))?;
        self.tally.answered(tally::Said::by(&result, &value), value.get().len());
        if result.is_error {
            return Err(fault("ToolError", words(&result).into_owned()).into());
        }
        self.tools.answered(tool, result, value.get().len(), behalf).await;
        Ok(value)
    }

    /// Asks a model, where rules let it be asked: `tidegate.ask_model`.
    async fn think(&self, call: &HostCall, behalf: &Behalf) -> Result<Box<RawValue>, CallError> {
        let given = minds::given(call);
        let wish = minds::wish(&given, behalf);
        before_leaving(self.tools.judge.permit(&wish)).await?;
        self.tools.judge.has_read(behalf, &wish.name()).await?;
        self.tools.minds.answer(&call.arguments, &behalf.run, self.tally.models()).await
    }

    /// The server that is named within a tool's name and has not said what it offers: why it has not is what
    /// the caller wants to know.
    fn unlisted_within(&self, server: Option<&str>, tool: &str) -> Option<ServerName> {
        if server.is_some() {
            return None;
        }
        let (policies, catalog) = (self.tools.policies(), self.tools.made().0);
        let is_listed = |name: &ServerName| catalog.servers().any(|server| server.name() == name);
        let meant = |part: &str| {
            let is_it = |name: &&ServerName| wanted::folded(&name.0) == wanted::folded(part);
            policies.keys().find(is_it).filter(|name| !is_listed(name)).cloned()
        };
        catalog::server_parts(tool).filter_map(meant).max_by_key(|name| name.0.len())
    }

    /// A catalog that may have a tool which was not known when the program started.
    async fn wider_catalog(&self, server: Option<&str>) -> Result<Arc<Catalog>, CallError> {
        let configured = server
            .map(|name| ServerName(name.to_owned()))
            .filter(|name| self.tools.policies().contains_key(name));
        if let Some(name) = configured {
            let asked = self.tools.ask_anew(&name).await;
            asked.map_err(|error| from_failure(&CallFailure::NotConnected(error)))?;
            return Ok(self.tools.made().0);
        }
        self.tools.ask_those_that_may_know().await;
        Ok(self.tools.made().0)
    }

    pub(super) fn cover<'a>(
        &'a self,
        server: &ServerName,
        tool: Option<&ToolName>,
        behalf: &'a Behalf,
    ) -> Cover<'a> {
        self.tools.cover(server, tool, &behalf.owner, &behalf.run)
    }

    async fn ask(
        &self,
        what: &str,
        arguments: &RawValue,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let asked: Asked = serde_json::from_str(arguments.get())
            .map_err(|error| fault("ArgumentError", error.to_string()))?;
        if let Some(problem) = numbers::too_large(asked.name.as_deref().unwrap_or(what), arguments)
        {
            return Err(fault("ArgumentError", problem));
        }
        let upstreams = &self.tools.upstreams;
        match what {
            "$resources" => {
                let list = |server: ServerName| async move { upstreams.resources(&server).await };
                self.gathered(&asked, (what, behalf), list).await
            }
            "$prompts" => {
                let list = |server: ServerName| async move { upstreams.prompts(&server).await };
                self.gathered(&asked, (what, behalf), list).await
            }
            "$resource" => {
                let uri = asked
                    .uri
                    .as_deref()
                    .ok_or_else(|| fault("ArgumentError", "read_resource needs a `uri`".into()))?;
                self.resource(&asked, uri, behalf).await
            }
            _ => {
                let name = asked
                    .name
                    .as_deref()
                    .ok_or_else(|| fault("ArgumentError", "get_prompt needs a `name`".into()))?;
                let server = self.one(&asked)?;
                self.may_read(&server, what, &asked, behalf).await?;
                self.prompt(&server, name, asked.arguments.clone(), behalf).await
            }
        }
    }

    async fn prompt(
        &self,
        server: &ServerName,
        name: &str,
        arguments: Map<String, Value>,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let cover = self.cover(server, None, behalf);
        let what = format!("{server}.{name}");
        let arguments = before_leaving(cover.take_off(&what, Value::Object(arguments))).await;
        let arguments = match arguments.map_err(|error| error.before())? {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        match self.tools.upstreams.prompt(server, name, arguments).await {
            Ok(prompt) => raw(&cover.prompt(prompt).await.map_err(|error| error.after())?),
            Err(failure) => Err(cover.fault(from_failure(&failure)).await),
        }
    }

    /// Lists from the server that was named, or from all that have any.
    async fn gathered<F>(
        &self,
        asked: &Asked,
        (what, behalf): (&str, &Behalf),
        list: impl Fn(ServerName) -> F,
    ) -> Result<Box<RawValue>, CallError>
    where
        F: Future<Output = Result<Vec<Value>, CallFailure>>,
    {
        if asked.server.is_some() {
            let server = self.one(asked)?;
            self.may_read(&server, what, asked, behalf).await?;
            let listed = list(server.clone()).await.map_err(|failure| from_failure(&failure))?;
            return raw(&self.covered_list(&server, listed, behalf).await?);
        }
        let Readable { servers, refused } = self.readable(what, asked, behalf).await;
        // All at once, each within the times that its settings give a call.
        let lists = join_all(servers.iter().map(|server| list(server.clone()))).await;
        let refused = refused.iter().map(|(server, why)| Unheard::new(server, &why.message));
        let (mut all, mut missing) = (Vec::new(), refused.collect::<Vec<_>>());
        for (server, listed) in servers.iter().zip(lists) {
            let listed = match listed {
                Ok(listed) => listed,
                Err(failure) => {
                    let cover = self.cover(server, None, behalf);
                    let fault = cover.fault(from_failure(&failure)).await;
                    missing.push(Unheard::new(server, &fault.message));
                    continue;
                }
            };
            for mut item in self.covered_list(server, listed, behalf).await? {
                if let Some(item) = item.as_object_mut() {
                    item.insert("server".into(), Value::String(server.0.clone()));
                }
                all.push(item);
            }
        }
        if missing.is_empty() { raw(&all) } else { raw(&Gathered { listed: all, missing }) }
    }

    /// A list as a program may see it.
    async fn covered_list(
        &self,
        server: &ServerName,
        listed: Vec<Value>,
        behalf: &Behalf,
    ) -> Result<Vec<Value>, CallError> {
        let cover = self.cover(server, None, behalf);
        match cover.data(Value::Array(listed)).await.map_err(|error| error.after())? {
            Value::Array(listed) => Ok(listed),
            _ => Ok(Vec::new()),
        }
    }

    /// One resource, from the server that was named or the only one that has it.
    async fn resource(
        &self,
        asked: &Asked,
        uri: &str,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let upstreams = &self.tools.upstreams;
        if asked.server.is_some() {
            let server = self.one(asked)?;
            self.may_read(&server, "$resource", asked, behalf).await?;
            let cover = self.cover(&server, None, behalf);
            let uri =
                before_leaving(cover.take_off_text(&format!("{server}.$resource"), uri)).await;
            let uri = uri.map_err(|error| error.before())?;
            return match upstreams.resource(&server, &uri).await {
                Ok(read) => raw(&cover.resources(read).await.map_err(|error| error.after())?),
                Err(failure) => Err(cover.fault(from_failure(&failure)).await),
            };
        }
        let Readable { servers, refused } = self.readable("$resource", asked, behalf).await;
        let anybody = self.tools.veil.over(Pii::Off, &behalf.owner, &behalf.run);
        let whole = before_leaving(anybody.take_off_text("$resource", uri)).await;
        let whole = &whole.map_err(|error| error.before())?;
        // One that does not answer soon does not hold up the others.
        let soon = |server| tokio::time::timeout(PATIENCE, upstreams.resource(server, whole));
        let tried = join_all(servers.iter().map(soon)).await;
        let (mut found, mut unheard) = (Vec::new(), Vec::new());
        for (server, read) in servers.iter().zip(tried) {
            match read {
                Ok(Ok(resource)) => found.push((server, resource)),
                // It has answered: it has no such resource.
                Ok(Err(CallFailure::Refused { .. })) => {}
                Ok(Err(_)) | Err(_) => unheard.push(server),
            }
        }
        let mut found = found.into_iter();
        let (first, resource) = found.next().ok_or_else(|| {
            // One that was not asked any more may have it.
            let refused = refused.into_iter().next().map(|(_, why)| why);
            let unknown = || fault("UnknownResource", gathered::without_resource(uri, &unheard));
            refused.unwrap_or_else(unknown)
        })?;
        let others: Vec<&str> = found.map(|(server, _)| server.0.as_str()).collect();
        if !others.is_empty() {
            return Err(fault(
                "ArgumentError",
                format!(
                    "several servers have a resource {uri:?}: {}, {}; name one: \
                     await read_resource({:?}, {uri:?})",
                    first.0,
                    others.join(", "),
                    first.0
                ),
            ));
        }
        self.tools.judge.reaches(behalf, &format!("{first}.$resource"), "$resource");
        let cover = self.cover(first, None, behalf);
        // What was put back for it is to be taken out of what it answers.
        let again = cover.take_off_text("$resource", uri).await;
        again.map_err(|error| error.after())?;
        raw(&cover.resources(resource).await.map_err(|error| error.after())?)
    }

    /// Servers that a program may read from without anybody being asked, where it names none.
    async fn readable(&self, what: &str, asked: &Asked, behalf: &Behalf) -> Readable {
        let mut readable = Readable::default();
        let judge = &self.tools.judge;
        let anybody = self.tools.veil.over(Pii::Off, &behalf.owner, &behalf.run);
        let given = anybody.take_off(what, Value::Object(asked.all()));
        let Ok(Value::Object(arguments)) = before_leaving(given).await else { return readable };
        for server in self.tools.names() {
            let wish = reading(&server, what, &arguments, behalf);
            match judge.permits_at_once(&wish).await {
                Ok(true) if judge.has_read(behalf, &wish.name()).await.is_ok() => {
                    readable.servers.push(server);
                }
                Ok(_) => {}
                Err(why) => readable.refused.push((server, why)),
            }
        }
        readable
    }

    /// The server that was named, by any of its names.
    pub(super) fn one(&self, asked: &Asked) -> Result<ServerName, CallError> {
        let policies = self.tools.policies();
        let names = policies.keys();
        let Some(wanted) = &asked.server else {
            return Err(fault(
                "ArgumentError",
                "name the server: its name is the first argument".into(),
            ));
        };
        let found = names.clone().find(|name| name.0 == *wanted).or_else(|| {
            names.clone().find(|name| wanted::folded(&name.0) == wanted::folded(wanted))
        });
        found.cloned().ok_or_else(|| {
            let all: Vec<&str> = names.map(|name| name.0.as_str()).collect();
            fault(
                "UnknownServer",
                format!("there is no server {wanted:?}; there are: {}", all.join(", ")),
            )
        })
    }
}

impl Asked {
    /// Everything that was said, as rules may speak of it.
    pub(super) fn all(&self) -> Map<String, Value> {
        let mut all = self.arguments.clone();
        for (key, value) in [("uri", &self.uri), ("name", &self.name)] {
            if let Some(value) = value {
                all.insert(key.to_owned(), Value::String(value.clone()));
            }
        }
        all
    }
}

/// Why a call cannot be read.
fn unreadable(arguments: &RawValue, error: &serde_json::Error) -> String {
    if upstream::whole_letters(arguments.get().as_bytes()).is_some() {
        return "a text in the arguments holds half a letter (a lone surrogate), which JSON cannot carry; \
                text.encode(\"utf-8\", \"replace\").decode() makes it whole"
            .to_owned();
    }
    format!("a call must name a tool: {error}")
}

/// Why a call brought no value.
enum Unsuccessful {
    /// It failed, in words that may have personal data.
    Failed(CallError),
    /// Its answer could not be looked through.
    Unseen(VeilError),
}

impl From<CallError> for Unsuccessful {
    fn from(error: CallError) -> Self {
        Self::Failed(error)
    }
}

/// Counts a call when it is over, however it ends.
struct Counted<'call> {
    tool: &'call CatalogTool,
    outcome: &'static str,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let (server, tool) = (self.tool.server().0.clone(), self.tool.name().0.clone());
        let outcome = self.outcome;
        counter!("tidegate_host_calls_total", "server" => server, "tool" => tool, "outcome" => outcome)
            .increment(1);
    }
}

/// What `summarize()` asks for.
#[derive(Deserialize)]
struct Summarize<'call> {
    #[serde(borrow)]
    value: &'call RawValue,
    strategy: budget::Strategy,
    max_tokens: usize,
}

fn summarized(arguments: &RawValue) -> Result<Box<RawValue>, CallError> {
    let wrong = |problem: String| fault("ArgumentError", format!("summarize(): {problem}"));
    let asked: Summarize<'_> =
        serde_json::from_str(arguments.get()).map_err(|error| wrong(error.to_string()))?;
    if asked.max_tokens < budget::LEAST_TOKENS {
        return Err(wrong(format!("max_tokens is at least {}", budget::LEAST_TOKENS)));
    }
    Ok(budget::fit(asked.value, asked.strategy, asked.max_tokens).value)
}

fn checked(tool: &CatalogTool, arguments: Value) -> Result<Map<String, Value>, CallError> {
    let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
    let checked = tool.check(&arguments).map(|fitting| match fitting {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed),
    });
    let changed = checked.map_err(|mistake| fault("ArgumentError", mistake.to_string()))?;
    match changed.unwrap_or(arguments) {
        Value::Object(arguments) => Ok(arguments),
        _ => Err(fault("ArgumentError", "arguments must be an object".into())),
    }
}

/// What the server wrote to standard error is told to who looks after it, not to programs.
fn not_connected(problem: &ConnectError) -> CallError {
    let said = problem.in_short();
    fault(
        "ServerError",
        match problem.server() {
            Some(server) => format!("{said}; `tidegate test {server}` shows more"),
            None => said,
        },
    )
}

fn from_failure(failure: &CallFailure) -> CallError {
    if let CallFailure::NotConnected(problem) = failure {
        return CallError { kind: UNSENT.to_owned(), ..not_connected(problem) };
    }
    let kind = match failure {
        CallFailure::Refused { .. } => "ToolError",
        // It left, and nobody knows what became of it.
        failure if failure.is_ambiguous() => UNANSWERED,
        _ => "ServerError",
    };
    fault(kind, failure.to_string())
}

pub(super) fn fault(kind: &str, message: String) -> CallError {
    CallError { kind: kind.into(), message }
}

pub(super) fn raw(value: &impl Serialize) -> Result<Box<RawValue>, CallError> {
    to_raw_value(value).map_err(|error| fault("ServerError", error.to_string()))
}
