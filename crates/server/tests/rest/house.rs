//! A gateway that listens, for tests to ask.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use catalog::{Listing, ServerName, Tool, ToolName};
use engine::{Engine, Language};
use engine_wasm::cache::Cache;
use engine_wasm::install::{Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan_of};
use gateway::service::store::Store;
use gateway::service::{
    Caller, Engines, OnDemand, Parts, Readiness, Scope, Service, Settings, Spans,
};
use gateway::skillset::Sources;
use gateway::{Memory, ServerPolicy, Skillset, Tools};
use metrics_exporter_prometheus::PrometheusHandle;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use server::arriving::{Bodies, BodyRules};
use server::guidance::Guidance;
use server::mcp::{HttpOptions, Mcp, McpOptions};
use server::rest::{AccessRules, RestOptions, keep_figures, protect, router, serve};
use server::{Servers, Shared};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use upstream::Upstreams;

/// A gateway that listens.
pub(super) struct House {
    pub(super) address: SocketAddr,
    pub(super) client: Client,
    pub(super) service: Arc<Service>,
    pub(super) folder: TempDir,
}

impl House {
    pub(super) async fn new() -> Self {
        Self::with(Settings::default(), RestOptions::default()).await
    }

    pub(super) async fn guarded(access: AccessRules) -> Self {
        Self::with(Settings::default(), RestOptions { access, ..RestOptions::default() }).await
    }

    pub(super) async fn with(settings: Settings, rest: RestOptions) -> Self {
        Self::made(settings, rest, Readiness::Ready(sandbox())).await
    }

    pub(super) async fn made(settings: Settings, rest: RestOptions, readiness: Readiness) -> Self {
        let (service, folder) = Self::opened(settings, readiness).await;
        Self::serving(service, folder, rest).await
    }

    pub(super) async fn opened(
        settings: Settings,
        readiness: Readiness,
    ) -> (Arc<Service>, TempDir) {
        Self::opened_in(TempDir::new().unwrap(), settings, readiness, Sources::default()).await
    }

    /// One that finds its data where they are, and packs of skills where these sources say.
    pub(super) async fn opened_in(
        folder: TempDir,
        settings: Settings,
        readiness: Readiness,
        sources: Sources,
    ) -> (Arc<Service>, TempDir) {
        Self::opened_for(folder, settings, readiness, sources, None).await
    }

    /// The same, for somebody who takes the spans of runs.
    pub(super) async fn opened_for(
        folder: TempDir,
        settings: Settings,
        readiness: Readiness,
        sources: Sources,
        spans: Option<Arc<dyn Spans>>,
    ) -> (Arc<Service>, TempDir) {
        let skillset = Skillset::at(folder.path().join("skills"), sources);
        let parts = Parts {
            engines: engines(readiness),
            tools: shop(&folder).with_skills(skillset),
            checks: None,
            store: Store::open(folder.path()).await.unwrap(),
            guidance: "1".to_owned(),
            spans,
            trail: None,
            watching: None,
        };
        (Service::open(settings, parts).await.unwrap(), folder)
    }

    pub(super) async fn serving(service: Arc<Service>, folder: TempDir, rest: RestOptions) -> Self {
        let http = HttpOptions { bodies: rest.bodies.clone(), ..HttpOptions::default() };
        Self::serving_mcp(service, folder, rest, http).await
    }

    pub(super) async fn serving_mcp(
        service: Arc<Service>,
        folder: TempDir,
        rest: RestOptions,
        http: HttpOptions,
    ) -> Self {
        let shared = Shared {
            service: Arc::clone(&service),
            guidance: Arc::new(Guidance::default()),
            servers: Arc::new(Pretended),
            address: Arc::default(),
        };
        let rest = RestOptions { metrics: Some(figures()), ..rest };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mcp = Mcp::new(shared.clone(), McpOptions::default());
        let mcp = mcp.over_http(http, CancellationToken::new());
        let mcp = protect(mcp, &shared, rest.access.clone());
        let router = router(shared, rest).merge(mcp);
        tokio::spawn(serve(listener, None, router, std::future::pending()));
        Self { address, client: Client::new(), service, folder }
    }

    /// What every door needs.
    pub(super) fn shared(&self) -> Shared {
        Shared {
            service: Arc::clone(&self.service),
            guidance: Arc::new(Guidance::default()),
            servers: Arc::new(Pretended),
            address: Arc::default(),
        }
    }

    pub(super) fn asked(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    pub(super) async fn ask(&self, path: &str) -> Response {
        self.asked(Method::GET, path).send().await.unwrap()
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let response = self.ask(path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        response.json().await.unwrap()
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Response {
        self.asked(Method::POST, path).json(&body).send().await.unwrap()
    }

    pub(super) async fn run(&self, body: Value) -> Value {
        let response = self.post("/execute", body).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.json().await.unwrap()
    }

    pub(super) async fn create_session(&self) -> String {
        let session: Value = self.post("/api/v1/sessions", json!({})).await.json().await.unwrap();
        text(&session["id"]).to_owned()
    }

    /// Asks until the answer is as it must become.
    pub(super) async fn until(&self, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let answer = self.get(path).await;
            if is_so(&answer) {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(super) async fn token(&self, owner: &str, scopes: &[Scope]) -> String {
        let scopes = scopes.iter().copied().collect();
        let caller = Caller { owner: owner.to_owned(), teams: Vec::new(), scopes };
        self.service.store().create_token(&caller, None).await.unwrap().0
    }
}

/// Python as it is said to be, and TypeScript from when it is first asked for.
fn engines(readiness: Readiness) -> Engines {
    let python = watch::Sender::new(readiness).subscribe();
    let typescript =
        || watch::Sender::new(Readiness::Ready(sandbox_of(Language::TypeScript))).subscribe();
    let typescript = OnDemand::new(typescript);
    Engines::default().with(Language::Python, python).with(Language::TypeScript, typescript)
}

/// One installed runtime and one engine for all tests.
pub(super) fn sandbox() -> Arc<dyn Engine> {
    sandbox_of(Language::Python)
}

fn sandbox_of(language: Language) -> Arc<dyn Engine> {
    static PYTHON: OnceLock<Arc<WasmEngine>> = OnceLock::new();
    static TYPESCRIPT: OnceLock<Arc<WasmEngine>> = OnceLock::new();
    let engine = match language {
        Language::Python => &PYTHON,
        Language::TypeScript => &TYPESCRIPT,
    };
    let engine = engine.get_or_init(|| {
        let folder = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
            || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
            PathBuf::from,
        );
        let cache = Cache::at(folder);
        let source = Source::Registry;
        let installed =
            install(&cache, &source, &plan_of(language).unwrap(), &Builder, &Silent).unwrap();
        Arc::new(WasmEngine::open(installed, Options::default()).unwrap())
    });
    Arc::clone(engine) as Arc<dyn Engine>
}

/// Tools of a server that is remembered and never asked.
pub(super) fn shop(folder: &TempDir) -> Arc<Tools> {
    let tool = Tool {
        name: ToolName("refund-order".to_owned()),
        title: None,
        description: Some("Refunds an order.".to_owned()),
        input_schema: json!({"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}),
        output_schema: None,
        annotations: catalog::Annotations::default(),
    };
    let server = ServerName("shop".to_owned());
    let listing = Listing {
        server: server.clone(),
        title: None,
        version: None,
        description: Some("A shop.".to_owned()),
        tools: vec![tool],
    };
    let memory = Memory::at(folder.path().join("memory"));
    memory.keep_listing(&listing, "").unwrap();
    let policies = BTreeMap::from([(server, ServerPolicy::default())]);
    Tools::new(Upstreams::new(Vec::new(), upstream::Options::default()), policies, memory)
}

/// Room for bodies that have so many bytes at most.
pub(super) fn bodies_of(each: usize) -> Bodies {
    Bodies::new(BodyRules { each, ..BodyRules::default() })
}

pub(super) fn figures() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(|| keep_figures().unwrap()).clone()
}

/// Adds and removes nothing, and says so like one who does.
struct Pretended;

#[async_trait]
impl Servers for Pretended {
    async fn add(&self, _: &str, entry: Value) -> Result<(), String> {
        match entry.get("url") {
            None => Ok(()),
            Some(url) => Err(format!("{url} is no address")),
        }
    }

    async fn remove(&self, name: &str) -> Result<bool, String> {
        Ok(name == "new")
    }
}

/// The message and hint of a problem that is as it should be.
pub(super) async fn assert_problem(response: Response, status: u16, code: &str) -> String {
    let got = response.status().as_u16();
    assert_eq!(response.headers()["content-type"], "application/json");
    let body: Value = response.json().await.unwrap();
    assert_eq!((got, &body["error"]["code"]), (status, &json!(code)), "{body}");
    format!("{} {}", text(&body["error"]["message"]), body["error"]["hint"])
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}
