//! Prompts and resources of the servers behind us, and which server a request is for.

use std::collections::HashMap;
use std::time::Duration;

use catalog::ServerName;
use futures_util::future::join_all;
use gateway::service::Caller;
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, InputRequiredResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tracing::debug;
use upstream::{Abilities, List, Upstreams};

use super::Mcp;
use super::relay::{asks, error, params, read};

/// How long one server may take to list something; what it has is left out after that.
const PATIENCE: Duration = Duration::from_secs(10);

/// An entry of a server's list.
struct Entry {
    server: ServerName,
    /// What the server calls it.
    name: String,
    /// What clients call it: the same, unless two servers use one name.
    shown: String,
    value: Value,
}

impl Mcp {
    fn upstreams(&self) -> &Upstreams {
        self.shared.service.tools().upstreams()
    }

    /// Entries of all servers, those of `only` where one is given, `key` being their name.
    async fn entries(&self, list: List, key: &str) -> Vec<Entry> {
        let upstreams = self.upstreams();
        let servers = upstreams.names();
        let lists = servers.iter().map(|server| async move {
            let listed = tokio::time::timeout(PATIENCE, upstreams.list(server, list)).await;
            match listed {
                Ok(Ok(listed)) => listed,
                Ok(Err(problem)) => {
                    debug!(%server, %problem, "server lists nothing");
                    Vec::new()
                }
                Err(_) => Vec::new(),
            }
        });
        let lists = join_all(lists).await;
        let all = servers.iter().zip(lists).flat_map(|(server, entries)| {
            entries.into_iter().filter_map(|value| {
                let name = value.get(key)?.as_str()?.to_owned();
                Some(Entry { server: server.clone(), shown: name.clone(), name, value })
            })
        });
        all.collect()
    }

    async fn prompts_behind(&self) -> Vec<Entry> {
        let mut prompts = self.entries(List::Prompts, "name").await;
        let mut count: HashMap<String, usize> = HashMap::new();
        for prompt in &prompts {
            *count.entry(prompt.name.clone()).or_default() += 1;
        }
        for prompt in &mut prompts {
            if count.get(&prompt.name).is_some_and(|count| *count > 1) {
                prompt.shown = format!("{}__{}", prompt.server, prompt.name);
                prompt.value["name"] = prompt.shown.clone().into();
            }
        }
        prompts
    }

    /// Entries of the servers whose lists rules let a caller see.
    async fn permitted(&self, entries: Vec<Entry>, what: &str, caller: &Caller) -> Vec<Entry> {
        let mut known: HashMap<ServerName, bool> = HashMap::new();
        for entry in &entries {
            if !known.contains_key(&entry.server) {
                let may = self.shared.service.may_list(caller, &entry.server, what).await;
                known.insert(entry.server.clone(), may);
            }
        }
        entries.into_iter().filter(|entry| known[&entry.server]).collect()
    }

    /// All prompts that a caller may see, as clients see them.
    pub(super) async fn listed_prompts<T: serde::de::DeserializeOwned>(
        &self,
        caller: &Caller,
    ) -> Vec<T> {
        // What they are called does not depend on who asks.
        let prompts = self.prompts_behind().await;
        let prompts = self.permitted(prompts, "$prompts", caller).await;
        prompts.into_iter().filter_map(Entry::read).collect()
    }

    /// All resources or templates that a caller may see, as clients see them. An address that two servers
    /// have is listed once, for the server that is asked for it.
    pub(super) async fn listed_resources<T>(&self, list: List, caller: &Caller) -> Vec<T>
    where
        T: serde::de::DeserializeOwned,
    {
        let key = if list == List::Templates { "uriTemplate" } else { "uri" };
        let mut seen = std::collections::HashSet::new();
        let entries = self.entries(list, key).await;
        let entries = self.permitted(entries, "$resources", caller).await;
        entries
            .into_iter()
            .filter(|entry| seen.insert(entry.name.clone()))
            .filter_map(Entry::read)
            .collect()
    }

    /// The only server that `can`, if there is only one.
    async fn only(&self, can: impl Fn(&Abilities) -> bool) -> Option<ServerName> {
        let upstreams = self.upstreams();
        let servers = upstreams.names();
        let abilities = servers.iter().map(|server| async move {
            tokio::time::timeout(PATIENCE, upstreams.abilities(server)).await.ok()?.ok()
        });
        let abilities = join_all(abilities).await;
        let mut able = servers.into_iter().zip(abilities).filter(|(_, abilities)| {
            // One that does not answer may be the one that is meant.
            abilities.as_ref().is_none_or(&can)
        });
        able.next().map(|(server, _)| server).filter(|_| able.next().is_none())
    }

    /// The server that has a prompt, and its name for it.
    async fn of_prompt(&self, name: &str) -> Result<(ServerName, String), ErrorData> {
        if let Some(server) = self.only(|abilities| abilities.prompts).await {
            return Ok((server, name.to_owned()));
        }
        let prompts = self.prompts_behind().await;
        let found = prompts.into_iter().find(|prompt| prompt.shown == name);
        found.map(|prompt| (prompt.server, prompt.name)).ok_or_else(|| {
            let message = format!("there is no prompt {name:?}; prompts/list has those there are");
            ErrorData::invalid_params(message, None)
        })
    }

    /// The server that has a resource.
    pub(super) async fn of_resource(&self, uri: &str) -> Result<ServerName, ErrorData> {
        if let Some(server) = self.only(|abilities| abilities.resources).await {
            return Ok(server);
        }
        let resources = self.entries(List::Resources, "uri").await;
        if let Some(found) = resources.into_iter().find(|resource| resource.name == uri) {
            return Ok(found.server);
        }
        let templates = self.entries(List::Templates, "uriTemplate").await;
        let found = templates.into_iter().find(|template| fits(uri, &template.name));
        found.map(|template| template.server).ok_or_else(|| {
            let message =
                format!("there is no resource {uri:?}; resources/list has those there are");
            ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
        })
    }

    /// A prompt of a server, filled in.
    pub(super) async fn prompt_behind(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (server, name) = self.of_prompt(&request.name).await?;
        let mut given = params(&request);
        given.insert("name".to_owned(), name.into());
        let value = self.relay(&server, "prompts/get", given, context).await.map_err(error)?;
        if asks(&value) {
            return read::<InputRequiredResult>(value).map(Into::into);
        }
        read::<GetPromptResult>(value).map(Into::into)
    }

    /// The content of a server's resource.
    pub(super) async fn resource_behind(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let server = self.of_resource(&request.uri).await?;
        let value = self
            .relay(&server, "resources/read", params(&request), context)
            .await
            .map_err(error)?;
        if asks(&value) {
            return read::<InputRequiredResult>(value).map(Into::into);
        }
        read::<ReadResourceResult>(value).map(Into::into)
    }

    /// Suggestions of a server for an argument.
    pub(super) async fn completed(
        &self,
        request: CompleteRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut given = params(&request);
        let server = match &request.r#ref {
            Reference::Prompt(prompt) => {
                let (server, name) = self.of_prompt(&prompt.name).await?;
                if let Some(reference) = given.get_mut("ref") {
                    reference["name"] = name.into();
                }
                server
            }
            Reference::Resource(resource) => self.of_template(&resource.uri).await?,
            _ => return Ok(CompleteResult::default()),
        };
        let abilities = self.upstreams().abilities(&server).await;
        if !abilities.is_ok_and(|abilities| abilities.completions) {
            // One server of many may have nothing to suggest.
            return Ok(CompleteResult::default());
        }
        let value = self.relay(&server, "completion/complete", given, context).await;
        read(value.map_err(error)?)
    }

    async fn of_template(&self, uri: &str) -> Result<ServerName, ErrorData> {
        if let Some(server) = self.only(|abilities| abilities.resources).await {
            return Ok(server);
        }
        let templates = self.entries(List::Templates, "uriTemplate").await;
        let found = templates.into_iter().find(|template| template.name == uri);
        match found {
            Some(template) => Ok(template.server),
            None => self.of_resource(uri).await,
        }
    }
}

impl Entry {
    /// In the type that the protocol has for it; one that no client could read is left out.
    fn read<T: serde::de::DeserializeOwned>(self) -> Option<T> {
        serde_json::from_value(self.value).ok()
    }
}

/// Whether an address may have been made from a template: the parts between the braces are there,
/// in their order.
fn fits(uri: &str, template: &str) -> bool {
    let mut rest = uri;
    let mut parts =
        template.split('{').map(|part| part.split_once('}').map_or(part, |(_, text)| text));
    let Some(start) = parts.next().and_then(|start| rest.strip_prefix(start)) else { return false };
    rest = start;
    let mut last = None;
    for part in parts {
        last = Some(part);
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    match last {
        None => rest.is_empty(),
        Some("") => true,
        Some(end) => rest.is_empty() || uri.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_fits_the_template_it_was_made_from() {
        assert!(fits("test://template/123/data", "test://template/{id}/data"));
        assert!(fits("file:///a/b", "file:///{+path}"));
        assert!(fits("x://one", "x://one"));
        assert!(!fits("x://one/more", "x://one"));
        assert!(!fits("test://other/123/data", "test://template/{id}/data"));
        assert!(!fits("test://template/123", "test://template/{id}/data"));
    }

    proptest! {
        #[test]
        fn no_template_makes_it_panic(uri in "\\PC{0,40}", template in "[a-z:/{}é]{0,40}") {
            fits(&uri, &template);
        }
    }
}
