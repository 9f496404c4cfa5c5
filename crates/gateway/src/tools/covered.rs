//! What of the servers' answers is hidden, and from whom.

use std::sync::Arc;

use catalog::{ServerName, ToolName};

use super::Tools;
use crate::veil::{Cover, Pii, Veil};

impl Tools {
    /// The same, with somebody who replaces personal data and secrets.
    #[must_use]
    pub fn with_veil(self: Arc<Self>, veil: Arc<Veil>) -> Arc<Self> {
        match Arc::try_unwrap(self) {
            Ok(tools) => Arc::new(Self { veil, ..tools }),
            // Somebody uses it already, with the usual settings.
            Err(shared) => shared,
        }
    }

    /// Who replaces personal data and secrets.
    #[must_use]
    pub fn veil(&self) -> &Arc<Veil> {
        &self.veil
    }

    /// Who does not see what a server answers with, or one of its tools.
    #[must_use]
    pub fn pii(&self, server: &ServerName, tool: Option<&ToolName>) -> Pii {
        let policies = self.policies();
        let Some(policy) = policies.get(server) else { return Pii::Off };
        tool.and_then(|tool| policy.tool_pii.get(tool)).copied().unwrap_or(policy.pii)
    }

    /// Whether logs, and what is stored of runs, have tokens in the place of personal data: as soon as
    /// one server wants that, since what it answered may be in any program's variables.
    #[must_use]
    pub fn hides(&self) -> bool {
        self.any(|pii| pii != Pii::Off)
    }

    /// Whether programs and models meet tokens.
    #[must_use]
    pub fn tokenizes(&self) -> bool {
        self.any(|pii| pii == Pii::Tokenize)
    }

    fn any(&self, is: impl Fn(Pii) -> bool) -> bool {
        let policies = self.policies();
        let mut all = policies.values();
        is(self.web_pii)
            || all.any(|policy| is(policy.pii) || policy.tool_pii.values().any(|pii| is(*pii)))
    }

    /// What stands between a request and its host.
    pub(super) fn web_cover<'a>(&'a self, owner: &'a str, run: &'a str) -> Cover<'a> {
        self.veil.over(self.web_pii, owner, run)
    }

    /// What stands between a call and its server.
    #[must_use]
    pub fn cover<'a>(
        &'a self,
        server: &ServerName,
        tool: Option<&ToolName>,
        owner: &'a str,
        run: &'a str,
    ) -> Cover<'a> {
        self.veil.over(self.pii(server, tool), owner, run)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use engine::{CallError, CallId, HostCall};
    use policy::Glob;
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};
    use upstream::{
        Hiding, Options, Secret, ServerSettings, Source, Startup, Stdio, Timeouts, Upstreams,
    };

    use super::*;
    use crate::veil::VeilSettings;
    use crate::{Behalf, Memory, Offer, ServerPolicy};

    const MAIL: &str = "zilpzalp@canary-mail.example.org";

    /// A server that answers with personal data, and writes down what it was given.
    struct Desk {
        tools: Arc<Tools>,
        received: PathBuf,
    }

    impl Desk {
        fn open(folder: &Path, policy: ServerPolicy) -> Self {
            Self::hiding(folder, policy, &[])
        }

        /// The same, with what was given to the server and must not come back.
        fn hiding(folder: &Path, policy: ServerPolicy, values: &[&str]) -> Self {
            let received = folder.join("received");
            let script =
                concat!(env!("CARGO_MANIFEST_DIR"), "/../tidegate/tests/durable/canaries.py");
            let name = ServerName("desk".to_owned());
            let source = Source::Stdio(Stdio {
                command: "python3".to_owned(),
                arguments: vec![script.to_owned(), received.display().to_string()],
                environment: BTreeMap::new(),
                folder: None,
                shown: None,
            });
            let values = values.iter().map(|value| Secret::new((*value).to_owned())).collect();
            let settings = ServerSettings {
                name: name.clone(),
                source: Source::Hiding(Hiding {
                    source: Box::new(source),
                    values,
                    perhaps: Vec::new(),
                }),
                description: None,
                startup: Startup::Lazy,
                timeouts: Timeouts::default(),
                concurrency: 4,
                answer_bytes: 1 << 20,
            };
            let options =
                Options { environment: std::env::vars_os().collect(), ..Options::default() };
            let upstreams = Upstreams::new(vec![settings], options);
            let memory = Memory::at(folder.join("servers"));
            let tools = Tools::new(upstreams, BTreeMap::from([(name, policy)]), memory);
            let allow = BTreeMap::from([("db".to_owned(), vec![Glob::new("desk.con*")])]);
            let settings = VeilSettings { allow, ..VeilSettings::default() };
            let veil = Veil::new(Some(folder.join("privacy")), settings).unwrap();
            Self { tools: tools.with_veil(veil), received }
        }

        async fn call(&self, tool: &str, arguments: Value) -> Result<Value, CallError> {
            let offer: Arc<Offer> = self.tools.offer("from servers import desk").await;
            let arguments = json!({ "server": "desk", "tool": tool, "arguments": arguments });
            let arguments = to_raw_value(&arguments).unwrap();
            let call = HostCall { id: CallId(1), name: "$call".to_owned(), arguments };
            let behalf =
                Behalf { owner: "ann".to_owned(), run: "r".to_owned(), ..Behalf::default() };
            let result = offer.carry_out(&call, &behalf).await.result;
            result.map(|value| serde_json::from_str::<Value>(value.get()).unwrap()["v"].take())
        }

        fn received(&self) -> String {
            std::fs::read_to_string(&self.received).unwrap_or_default()
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_program_has_tokens_and_the_server_values() {
        let folder = tempfile::tempdir().unwrap();
        let policy = ServerPolicy { pii: Pii::Tokenize, learn: true, ..ServerPolicy::default() };
        let desk = Desk::open(folder.path(), policy);
        let person = desk.call("person", json!({})).await.unwrap();
        let mail = person["email"].as_str().unwrap();
        assert!(mail.starts_with("EMAIL_") && !person.to_string().contains("Kanarienfeld"));
        let said = desk.call("tell", json!({ "text": format!("to {mail}") })).await.unwrap();
        assert!(said.to_string().contains(mail), "{said}");
        assert!(desk.received().contains(&format!("to {MAIL}")));
        let error = desk.call("complain", json!({ "text": person["name"] })).await.unwrap_err();
        assert_eq!(error.kind, "ToolError");
        assert!(
            error.message.starts_with(mail) && !error.message.contains("Wilhelmine"),
            "{error:?}"
        );
        // What is wrong with arguments is told of the token, not of what it stands for.
        let wrong = desk.call("connect", json!({ mail: 1 })).await.unwrap_err();
        assert!(!wrong.message.contains(MAIL), "{wrong:?}");
        // Fields are kept when they come back.
        for _ in 0..5 {
            desk.call("person", json!({})).await.unwrap();
        }
        desk.tools.close().await;
        let learned = folder.path().join("servers/learned");
        let learned = std::fs::read_dir(learned).unwrap().flatten();
        let learned: Vec<String> =
            learned.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
        assert!(learned.iter().any(|text| text.contains("\"email\"")), "nothing was learned");
        assert!(learned.iter().all(|text| !text.contains("EMAIL_") && !text.contains(MAIL)));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_learned_of_what_may_not_go_everywhere() {
        let flow = |from: &str| {
            let rule = json!({ "flow": [{ "from": from, "to": "mail.*", "action": "deny" }] });
            policy::Policy::new(serde_json::from_value(rule).unwrap(), &crate::judge::LEVELS)
        };
        for (from, read, learns) in
            [("hr.*", None, true), ("hr.*", Some("hr.salaries"), false), ("desk.*", None, false)]
        {
            let folder = tempfile::tempdir().unwrap();
            let policy = ServerPolicy { learn: true, ..ServerPolicy::default() };
            let desk = Desk::open(folder.path(), policy);
            desk.tools.judge().follow(flow(from).unwrap());
            let labels: Vec<String> = read.map(str::to_owned).into_iter().collect();
            let session = Behalf::default().session;
            desk.tools.judge().takes_on(&session, &labels).await.unwrap();
            for _ in 0..5 {
                desk.call("person", json!({})).await.unwrap();
            }
            desk.tools.close().await;
            let (server, tool) = (ServerName("desk".into()), catalog::ToolName("person".into()));
            let learned = desk.tools.learning.about(&server, &tool);
            assert_eq!(learned.is_some(), learns, "{from} {read:?}");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_answer_that_cannot_be_hidden_names_the_file_that_is_to_blame() {
        for (file, words) in
            [("key", "is no key of 32 bytes"), ("values.db", "the database of values")]
        {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("privacy")).unwrap();
            std::fs::write(folder.path().join("privacy").join(file), "short".repeat(99)).unwrap();
            let policy = ServerPolicy { pii: Pii::Tokenize, ..ServerPolicy::default() };
            let desk = Desk::open(folder.path(), policy);
            let error = desk.call("person", json!({})).await.unwrap_err();
            assert!(error.message.starts_with("the call was carried out"), "{error:?}");
            assert!(error.message.contains(words) && !error.message.contains(MAIL), "{error:?}");
            let error = desk.call("complain", json!({ "text": "x" })).await.unwrap_err();
            assert!(error.message.contains(words) && !error.message.contains(MAIL), "{error:?}");
            desk.tools.close().await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_call_whose_answer_never_came_was_made_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk::open(folder.path(), ServerPolicy::default());
        let offer: Arc<Offer> = desk.tools.offer("from servers import desk").await;
        let behalf = Behalf { owner: "ann".to_owned(), ..Behalf::default() };
        let call = |tool: &str, arguments: Value| {
            let arguments = json!({ "server": "desk", "tool": tool, "arguments": arguments });
            let arguments = to_raw_value(&arguments).unwrap();
            HostCall { id: CallId(1), name: "$call".to_owned(), arguments }
        };
        let endless = call("wait", json!({ "seconds": 600 }));
        let arrived = async {
            while !desk.received().contains("wait") {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            answered = offer.carry_out(&endless, &behalf) => panic!("{answered:?}"),
            () = arrived => {}
        }
        // One that is refused before it leaves is none.
        assert!(offer.carry_out(&call("wait", json!({})), &behalf).await.result.is_err());
        let counts = offer.tally().settled().await;
        assert_eq!(counts.tools, BTreeMap::from([("desk.wait".to_owned(), 1)]));
        assert!(counts.argument_tokens > 0 && counts.result_tokens == 0, "{counts:?}");
        desk.tools.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_servers_own_credential_comes_back_neither_in_answers_nor_in_errors() {
        let folder = tempfile::tempdir().unwrap();
        let policy = ServerPolicy { learn: true, ..ServerPolicy::default() };
        let desk = Desk::hiding(folder.path(), policy, &["ghp_0123456789", "short"]);
        let said = desk.call("tell", json!({ "text": "Bearer ghp_0123456789, short" })).await;
        let said = said.unwrap().to_string();
        assert!(said.contains("Bearer ***, short") && !said.contains("ghp_"), "{said}");
        let error = desk.call("complain", json!({ "text": "ghp_0123456789" })).await.unwrap_err();
        assert!(error.message.contains("***") && !error.message.contains("ghp_"), "{error:?}");
        desk.tools.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn one_tool_may_be_told_otherwise_and_secrets_go_where_they_may() {
        let folder = tempfile::tempdir().unwrap();
        let tool_pii = BTreeMap::from([(ToolName("person".to_owned()), Pii::Off)]);
        let policy = ServerPolicy { pii: Pii::Tokenize, tool_pii, ..ServerPolicy::default() };
        let desk = Desk::open(folder.path(), policy);
        assert!(desk.tools.hides() && desk.tools.tokenizes());
        assert_eq!(desk.call("person", json!({})).await.unwrap()["email"], MAIL);
        let mut context =
            serde_json::from_value(json!({ "db": { "$secret": "s3cret-pass" } })).unwrap();
        let held = desk.tools.veil().take_secrets("ann", &mut context).await.unwrap();
        desk.tools.veil().hold("r", held);
        let handles: Value = serde_json::from_str(context["secrets"].get()).unwrap();
        let opened = desk.call("connect", json!({ "password": handles["db"] })).await.unwrap();
        assert_eq!(opened["with"], handles["db"]);
        let refused = desk.call("tell", json!({ "text": handles["db"] })).await.unwrap_err();
        assert_eq!(refused.kind, "SecretRefused");
        let received = desk.received();
        assert!(received.contains("connect {\"password\": \"s3cret-pass\"}"), "{received}");
        assert!(!received.contains("tell"), "{received}");
        desk.tools.close().await;
    }
}
