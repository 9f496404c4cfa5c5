//! What several servers have together, and which of them did not say.

use catalog::ServerName;
use serde::Serialize;
use serde_json::Value;

/// Letters of a reason that are told.
const REASON: usize = 300;

/// Lists of several servers where some are missing; the guest makes a list of it that says so.
#[derive(Serialize)]
pub(super) struct Gathered {
    pub(super) listed: Vec<Value>,
    pub(super) missing: Vec<Unheard>,
}

/// A server that did not say what it has.
#[derive(Serialize)]
pub(super) struct Unheard {
    server: String,
    reason: String,
}

impl Unheard {
    pub(super) fn new(server: &ServerName, reason: &str) -> Self {
        Self { server: server.0.clone(), reason: reason.chars().take(REASON).collect() }
    }
}

/// That no server has a resource, as far as they answered.
pub(super) fn without_resource(uri: &str, unheard: &[&ServerName]) -> String {
    let Some(first) = unheard.first() else {
        return format!("no server has a resource {uri:?}; `await list_resources()` lists them");
    };
    let names: Vec<&str> = unheard.iter().map(|server| server.0.as_str()).collect();
    format!(
        "no server that answered has a resource {uri:?}; did not answer: {}; one that is named is waited for: \
         await read_resource({:?}, {uri:?})",
        names.join(", "),
        first.0
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use catalog::ServerName;
    use engine::{CallError, CallId, HostCall};
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};
    use upstream::{Later, Options, ServerSettings, Source, Startup, Stdio, Timeouts, Upstreams};

    use crate::behalf::Behalf;
    use crate::{Memory, ServerPolicy, Tools};

    fn settings(name: &str, source: Source) -> ServerSettings {
        ServerSettings {
            name: ServerName(name.to_owned()),
            source,
            description: None,
            startup: Startup::Lazy,
            timeouts: Timeouts::default(),
            concurrency: 1,
            answer_bytes: 1 << 20,
        }
    }

    /// A server that is there only after longer than a search would wait for it.
    fn slow() -> Source {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../upstream/tests/fixtures/server.py");
        let arguments = ["-c", "sleep 3; exec python3 \"$0\" normal", script];
        Source::Stdio(Stdio {
            command: "sh".to_owned(),
            arguments: arguments.map(str::to_owned).to_vec(),
            environment: BTreeMap::new(),
            folder: None,
            shown: None,
        })
    }

    fn dead() -> Source {
        Source::Later(Later::new(|| Err("the keyring has no such key".to_owned())))
    }

    async fn ask(
        servers: Vec<ServerSettings>,
        what: &str,
        asked: &Value,
    ) -> Result<Value, CallError> {
        let policies =
            servers.iter().map(|server| (server.name.clone(), ServerPolicy::default())).collect();
        let options = Options { environment: std::env::vars_os().collect(), ..Options::default() };
        let tools = Tools::new(Upstreams::new(servers, options), policies, Memory::none());
        let offer = tools.offer("1").await;
        let arguments = to_raw_value(asked).unwrap();
        let call = HostCall { id: CallId(1), name: what.to_owned(), arguments };
        let result = offer.carry_out(&call, &Behalf::default()).await.result;
        tools.close().await;
        result.map(|value| serde_json::from_str(value.get()).unwrap())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn lists_of_all_wait_for_slow_servers_and_name_those_that_failed() {
        let servers = vec![settings("dead", dead()), settings("slow", slow())];
        let asked = ask(servers, "$resources", &json!({})).await.unwrap();
        let listed = asked["listed"].as_array().unwrap();
        assert!(listed.iter().any(|one| one["uri"] == "test://one" && one["server"] == "slow"));
        let missing = asked["missing"].as_array().unwrap();
        assert_eq!((missing.len(), &missing[0]["server"]), (1, &json!("dead")), "{asked}");
        assert!(missing[0]["reason"].to_string().contains("no such key"), "{asked}");
        // Where all have answered, it is the list alone.
        let asked = ask(vec![settings("slow", slow())], "$prompts", &json!({})).await.unwrap();
        assert_eq!(asked[0]["name"], "greet", "{asked}");
    }

    #[tokio::test]
    async fn a_resource_that_nobody_has_names_who_was_not_heard() {
        let asked = json!({"uri": "test://one"});
        let error = ask(vec![settings("dead", dead())], "$resource", &asked).await.unwrap_err();
        assert_eq!(error.kind, "UnknownResource");
        assert!(error.message.contains("did not answer: dead;"), "{error:?}");
        let error = ask(Vec::new(), "$resource", &asked).await.unwrap_err();
        assert!(error.message.starts_with("no server has a resource"), "{error:?}");
    }
}
