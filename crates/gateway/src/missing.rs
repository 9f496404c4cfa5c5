//! Servers whose tools nobody knows: which, since when, and why.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use upstream::{ServerState, ServerStatus};

/// Letters of a reason that are told.
const REASON: usize = 300;
/// Servers that are told of where a tool is not found.
const LISTED: usize = 8;

/// A server that has not said what it offers, and of which nothing is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingServer {
    /// What it is called.
    pub server: String,
    /// What became of it.
    pub state: MissingState,
    /// Since when it is so, as 2026-11-15T12:00:00.000Z.
    pub since: String,
    /// Why, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of a server whose tools nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingState {
    /// It was asked, and its answer has not come yet.
    Connecting,
    /// It did not answer, and is tried again now and then.
    Failed,
    /// Somebody has to log in first.
    WantsLogin,
}

impl MissingServer {
    pub(crate) fn new(status: &ServerStatus) -> Self {
        let (state, since, reason) = match (&status.state, &status.failing) {
            (ServerState::WantsLogin { reason }, _) => {
                (MissingState::WantsLogin, status.since, Some(reason.as_str()))
            }
            // It failed before, whatever is being tried now.
            (_, Some((since, reason))) => (MissingState::Failed, *since, Some(reason.as_str())),
            (ServerState::NotConnected { last }, None) => {
                (MissingState::Connecting, status.since, last.as_deref())
            }
            _ => (MissingState::Connecting, status.since, None),
        };
        let reason = reason.map(|reason| reason.chars().take(REASON).collect());
        Self { server: status.name.0.clone(), state, since: written(since), reason }
    }
}

impl fmt::Display for MissingServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, state, since, reason } = self;
        match state {
            MissingState::Connecting => {
                write!(
                    f,
                    "{server} has not answered yet (asked at {since}); search again in a moment"
                )
            }
            MissingState::Failed => {
                let reason = reason.as_deref().unwrap_or("no more is known");
                write!(f, "{server} does not answer since {since} and cannot be used: {reason}")
            }
            MissingState::WantsLogin => {
                let reason = reason.as_deref().unwrap_or("somebody has to log in");
                write!(f, "{server} cannot be used before somebody has logged in: {reason}")
            }
        }
    }
}

/// What to say of them to whoever looks for a tool that no other server has.
pub(crate) fn in_words(missing: &[MissingServer]) -> String {
    if missing.is_empty() {
        return String::new();
    }
    let each = missing.iter().take(LISTED).map(|one| match one.state {
        MissingState::Connecting => format!("\"{}\" has not answered yet", one.server),
        MissingState::Failed => format!("\"{}\" cannot be used", one.server),
        MissingState::WantsLogin => format!("\"{}\" wants a log-in", one.server),
    });
    let each = each.collect::<Vec<_>>().join(", ");
    let more = match missing.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(" (what other servers have is not known: {each}{more})")
}

fn written(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    audit::iso(u64::try_from(since.as_millis()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use catalog::ServerName;
    use upstream::{Later, Options, ServerSettings, Source, Startup, Timeouts, Upstreams};

    use crate::{Detail, Memory, MissingState, Search, ServerPolicy, Tools};

    #[tokio::test]
    async fn a_search_says_which_server_did_not_answer_since_when_and_why() {
        let name = ServerName("dead-files".to_owned());
        let settings = ServerSettings {
            name: name.clone(),
            source: Source::Later(Later::new(|| Err("the keyring has no such key".to_owned()))),
            description: None,
            startup: Startup::Lazy,
            timeouts: Timeouts::default(),
            concurrency: 1,
            answer_bytes: 1 << 20,
        };
        let upstreams = Upstreams::new(vec![settings], Options::default());
        let policies = BTreeMap::from([(name, ServerPolicy::default())]);
        let tools = Tools::new(upstreams, policies, Memory::none());
        let search = |server: Option<&str>| Search {
            query: "anything".to_owned(),
            detail_level: Detail::Full,
            server: server.map(str::to_owned),
            limit: 5,
            language: engine::Language::default(),
        };
        let first = tools.find(&search(None)).unwrap().missing;
        assert_eq!(first[0].state, MissingState::Connecting);
        assert!(first[0].to_string().ends_with("search again in a moment"), "{first:?}");
        tools.know_all().await;
        let failed = tools.find(&search(None)).unwrap().missing;
        assert_eq!((failed.len(), failed[0].state), (1, MissingState::Failed));
        let told = failed[0].to_string();
        let since = format!("dead-files does not answer since {}", failed[0].since);
        assert!(told.starts_with(&since) && told.contains("no such key"), "{told}");
        // However often it is tried again, it is down since the first time.
        tools.know_all().await;
        let named = tools.find(&search(Some("dead_files"))).unwrap().missing;
        assert_eq!(named, failed);
        assert!(tools.find(&search(Some("nobody"))).is_err());
    }
}
