//! Logging in against a real authorization server (oidc-provider, installed from npm) that
//! protects a small MCP server. The person at the browser is played by plain HTTP requests.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "support/npm.rs"]
mod npm;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use catalog::{ServerName, ToolName};
use insta::assert_snapshot;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use upstream::{
    Auth, CallFailure, ClientCredentials, ConnectError, Credentials, FileTokens, Http, LoginDone,
    LoginError, LoginKey, LoginOptions, LogoutDone, OAuth, Options, Part, Secret, ServerSettings,
    Source, Startup, StoredLogin, Timeouts, TokenStore, ToolResult, Upstreams, Wire, bearer, login,
    logout,
};
use url::Url;

#[tokio::test]
async fn a_person_logs_in_once_and_calls_carry_the_token() {
    let place = Place::start(3600);
    let (done, page) = place.log_in().await;
    let done = done.unwrap();
    assert!(done.is_renewable);
    assert_eq!(done.issuer.as_deref(), Some(place.base.as_str().trim_end_matches('/')));
    assert_eq!(done.scopes, ["tools:read"]);
    assert!(page.contains("You are logged in") && page.contains("protected"), "{page}");

    let token = place.bearer().await.unwrap().unwrap();
    assert_eq!(place.call("whoami", &token).await, (200, "ann may tools:read".to_owned()));
    assert_eq!(token.to_string(), "***");
    let grants = place.grants().await;
    assert_eq!(
        grants,
        [json!({"type": "authorization_code", "resource": place.http.url, "how": "given"})]
    );
}

#[tokio::test]
async fn only_the_owner_can_read_what_is_stored() {
    let place = Place::start(3600);
    place.log_in().await.0.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = place.folder.path().join("logins");
    assert_eq!(mode(&folder), 0o700);
    for file in fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }

    let file = place.store().path(&place.key());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let refusal = place.bearer().await.unwrap_err().to_string();
    let wanted = format!("may be used by others (mode 644); run `chmod 600 {}`", file.display());
    assert!(refusal.contains(&wanted), "{refusal}");
}

#[tokio::test]
async fn a_token_about_to_expire_is_renewed_and_the_refresh_token_replaced() {
    // Half of one second is left for nothing: such a token is due as soon as it is there.
    let place = Place::start(1);
    place.log_in().await.0.unwrap();
    let before = place.stored().await.tokens.unwrap();
    let token = place.bearer().await.unwrap().unwrap();
    assert!(token != before.access);

    let after = place.stored().await.tokens.unwrap();
    assert!(token == after.access && after.refresh != before.refresh);
    assert_eq!(place.kinds().await, ["authorization_code given", "refresh_token given"]);
    assert_eq!(place.grants().await[1]["resource"], place.http.url.as_str());
}

#[tokio::test]
async fn two_processes_renew_a_log_in_once() {
    let place = Place::start(3600);
    place.log_in().await.0.unwrap();
    place.make_due().await;
    let (one, other) = (place.credentials(), place.credentials());
    let (first, second) = tokio::join!(one.token(), other.token());
    assert!(first.unwrap() == second.unwrap());
    assert_eq!(place.kinds().await, ["authorization_code given", "refresh_token given"]);
}

#[tokio::test]
async fn a_revoked_log_in_is_reported_with_the_command_that_helps() {
    let place = Place::start(3600);
    place.log_in().await.0.unwrap();
    let credentials = place.credentials();
    let token = credentials.token().await.unwrap().unwrap();
    assert_eq!(place.call("whoami", &token).await.0, 200);

    place.revoke().await;
    assert_eq!(place.call("whoami", &token).await.0, 401);
    let problem = credentials.renewed(Some(&token), None).await.unwrap_err();
    assert_snapshot!(advice(&problem), @"run `tidegate login protected`: the stored log-in was refused (revoked or expired)");
    assert!(matches!(credentials.problem(), Some(ConnectError::LoginNeeded { .. })));
    // What was refused is not tried again, and is not forgotten by the next process.
    assert!(matches!(place.bearer().await, Err(ConnectError::LoginNeeded { .. })));
    assert_eq!(place.kinds().await, ["authorization_code given", "refresh_token invalid_grant"]);

    place.log_in().await.0.unwrap();
    let token = credentials.renewed(Some(&token), None).await.unwrap();
    assert_eq!(place.call("whoami", &token).await.0, 200);
    assert!(credentials.problem().is_none());
}

#[tokio::test]
async fn nobody_logged_in_means_no_token_and_then_the_command() {
    let place = Place::start(3600);
    let credentials = place.credentials();
    assert!(credentials.token().await.unwrap().is_none());
    let problem = credentials.renewed(None, None).await.unwrap_err();
    assert_snapshot!(advice(&problem), @"run `tidegate login protected`");
}

#[tokio::test]
async fn a_call_that_wants_more_names_the_scope_and_the_next_log_in_asks_for_it() {
    let place = Place::start(3600);
    place.log_in().await.0.unwrap();
    let credentials = place.credentials();
    let token = credentials.token().await.unwrap().unwrap();
    assert_eq!(place.call("write", &token).await.0, 403);
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"tools:write\"";
    let problem = credentials.widened(Some(&token), challenge).await.unwrap_err();
    assert_snapshot!(
        advice(&problem),
        @"run `tidegate login protected`: it wants the scope \"tools:write\", which the stored log-in does not have"
    );

    let done = place.log_in().await.0.unwrap();
    assert_eq!(done.scopes, ["tools:read", "tools:write"]);
    assert!(done.is_renewable);
    let token = credentials.widened(Some(&token), challenge).await.unwrap();
    assert_eq!(
        place.call("write", &token).await,
        (200, "ann may tools:read tools:write".to_owned())
    );
}

#[tokio::test]
async fn a_machine_gets_its_token_without_a_person() {
    let mut place = Place::start(3600);
    let machine = |secret: &str| {
        Auth::ClientCredentials(ClientCredentials {
            client_id: "machine".to_owned(),
            client_secret: Secret::new(secret.to_owned()),
            scopes: vec!["tools:write".to_owned()],
        })
    };
    place.http.auth = machine("machine-secret");
    let credentials = place.credentials();
    let token = credentials.token().await.unwrap().unwrap();
    assert_eq!(place.call("write", &token).await, (200, "machine may tools:write".to_owned()));
    assert!(
        credentials.token().await.unwrap().as_ref() == Some(&token),
        "one token serves many calls"
    );
    let next = credentials.renewed(Some(&token), None).await.unwrap();
    assert!(next != token);
    assert_eq!(place.call("write", &next).await.0, 200);
    assert!(matches!(place.log_in().await.0, Err(LoginError::Configured { .. })));

    place.http.auth = machine("a wrong one");
    let refusal = place.bearer().await.unwrap_err().to_string();
    assert!(
        refusal.contains("its client credentials were refused")
            && refusal.contains("invalid_client"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_client_registered_by_hand_logs_in_and_renews_with_its_secret() {
    let mut place = Place::start(3600);
    place.http.auth = Auth::OAuth(OAuth {
        client_id: Some("by-hand".to_owned()),
        client_secret: Some(Secret::new("by hand: 100 % secret".to_owned())),
        scopes: vec!["tools:write".to_owned()],
        ..OAuth::default()
    });
    let done = place.log_in().await.0.unwrap();
    assert_eq!(done.scopes, ["tools:write"]);
    place.make_due().await;
    let token = place.bearer().await.unwrap().unwrap();
    assert_eq!(place.call("write", &token).await.0, 200);
    assert_eq!(
        logout(&place.name, &place.http, &place.store()).await.unwrap(),
        LogoutDone::Revoked
    );
    assert_eq!(place.call("write", &token).await.0, 401);
}

#[tokio::test]
async fn a_return_with_another_state_is_turned_away_and_the_log_in_goes_on() {
    let place = Place::start(3600);
    let (done, _) = place
        .log_in_with(|browser, url| async move {
            let field =
                |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
            let mut forged = Url::parse(&field("redirect_uri")).unwrap();
            forged.query_pairs_mut().append_pair("code", "stolen").append_pair("state", "guessed");
            let (status, page) = browser.open(&forged).await;
            assert_eq!(status, 400);
            assert!(page.contains("Not part of this log-in"));
            assert_eq!(field("code_challenge_method"), "S256");
            browser.open(&url).await.1
        })
        .await;
    done.unwrap();
    assert_eq!(place.kinds().await, ["authorization_code given"]);
}

#[tokio::test]
async fn an_answer_in_the_name_of_another_authorization_server_is_refused() {
    let place = Place::start(3600);
    let (done, page) = place
        .log_in_with(|browser, url| async move {
            let mut back = browser.last_redirect(&url).await;
            let fields = back.query_pairs().into_owned().collect::<Vec<_>>();
            back.query_pairs_mut().clear().extend_pairs(fields.into_iter().map(|(name, value)| {
                let value = if name == "iss" { "https://mix-up.example".to_owned() } else { value };
                (name, value)
            }));
            browser.open(&back).await.1
        })
        .await;
    let refusal = done.unwrap_err().to_string();
    assert!(refusal.contains("the answer came from https://mix-up.example"), "{refusal}");
    assert!(page.contains("The log-in did not work"), "{page}");
    assert!(place.kinds().await.is_empty(), "the code is not given to anybody");
}

#[tokio::test]
async fn a_person_may_say_no() {
    let place = Place::start(3600);
    place.control(json!({"deny": true})).await;
    let (done, page) = place.log_in().await;
    assert_snapshot!(
        done.unwrap_err(),
        @"server \"protected\": the log-in was refused (access_denied): Ann does not want to"
    );
    assert!(page.contains("Ann does not want to"), "{page}");
}

#[tokio::test]
async fn nobody_coming_back_ends_the_wait() {
    let place = Place::start(3600);
    let options = LoginOptions { timeout: Duration::from_millis(50), ..LoginOptions::new(|_| ()) };
    let done = login(&place.name, &place.http, &place.store(), options).await;
    assert!(matches!(done, Err(LoginError::Late { .. })));
}

#[tokio::test]
async fn a_token_is_not_sent_to_another_address_of_the_same_name() {
    let place = Place::start(3600);
    place.log_in().await.0.unwrap();
    let moved = Http { url: place.base.join("elsewhere").unwrap(), ..place.http.clone() };
    assert!(bearer(&place.name, &moved, place.shared()).await.unwrap().is_none());
    let other = ServerName("other".to_owned());
    assert!(bearer(&other, &place.http, place.shared()).await.unwrap().is_none());

    let mut place = place;
    let own = std::mem::replace(&mut place.http, moved.clone());
    let problem = place.upstreams().listing(&place.name).await.unwrap_err();
    assert_snapshot!(advice(&problem), @"run `tidegate login protected`");
    let sent = place.seen().await["elsewhere"].clone();
    assert!(!sent.as_array().unwrap().is_empty());
    assert!(sent.as_array().unwrap().iter().all(Value::is_null), "{sent}");
    place.http = own;

    // Even a file put in the place of another is recognised.
    let store = place.store();
    fs::copy(store.path(&place.key()), store.path(&LoginKey::new(&place.name, &moved))).unwrap();
    let refusal = bearer(&place.name, &moved, place.shared()).await.unwrap_err().to_string();
    assert!(refusal.contains("it belongs to another server or address"), "{refusal}");
}

#[tokio::test]
async fn a_configured_authorization_header_takes_the_place_of_a_log_in() {
    let mut place = Place::start(3600);
    place.log_in().await.0.unwrap();
    place.http.headers =
        BTreeMap::from([("authorization".to_owned(), Secret::new("Bearer mine".to_owned()))]);
    assert!(place.bearer().await.unwrap().is_none());
}

#[tokio::test]
async fn logging_out_forgets_and_revokes() {
    let place = Place::start(3600);
    place.log_in().await.0.unwrap();
    let token = place.bearer().await.unwrap().unwrap();
    assert_eq!(
        logout(&place.name, &place.http, &place.store()).await.unwrap(),
        LogoutDone::Revoked
    );
    assert_eq!(place.call("whoami", &token).await.0, 401);
    assert!(place.bearer().await.unwrap().is_none());
    assert_eq!(
        logout(&place.name, &place.http, &place.store()).await.unwrap(),
        LogoutDone::NotLoggedIn
    );
}

#[tokio::test]
async fn a_server_that_wants_a_key_is_not_logged_in_to() {
    let refusal = refused_log_in(answering(401).await).await;
    assert!(refusal.contains("does not say where to log in"), "{refusal}");
    assert!(
        refusal.ends_with("if it wants a key, set it in `headers` of server \"open\""),
        "{refusal}"
    );

    let refusal = refused_log_in(answering(200).await).await;
    assert!(refusal.ends_with("asks for no log-in"), "{refusal}");
}

#[tokio::test]
async fn an_authorization_server_without_pkce_is_refused_before_anybody_logs_in() {
    let refusal = refused_log_in(publishing(json!({})).await).await;
    assert_snapshot!(
        without_port(&refusal),
        @r#"server "open": its authorization server http://127.0.0.1:PORT does not say that it supports PKCE (`code_challenge_methods_supported` in its metadata), and without it MCP clients must refuse to log in; whoever runs it has to switch on PKCE with S256 and publish it, or a token from elsewhere can be set in `headers` of server "open""#
    );
    let plain = json!({"code_challenge_methods_supported": ["plain"]});
    let refusal = refused_log_in(publishing(plain).await).await;
    assert!(refusal.contains("does not support PKCE with S256 (only \"plain\")"), "{refusal}");
    // With it, the log-in goes on to where this one ends.
    let proper = json!({"code_challenge_methods_supported": ["S256"]});
    let refusal = refused_log_in(publishing(proper).await).await;
    assert!(refusal.contains("did not register us as a client"), "{refusal}");
}

fn without_port(text: &str) -> String {
    let (before, rest) = text.split_once("127.0.0.1:").unwrap();
    format!(
        "{before}127.0.0.1:PORT{}",
        rest.trim_start_matches(|letter: char| letter.is_ascii_digit())
    )
}

/// The address of a server whose authorization server publishes this and what it must.
async fn publishing(metadata: Value) -> Url {
    let told = move |headers: axum::http::HeaderMap, uri: axum::http::Uri| async move {
        let place = uri.path();
        if place == "/mcp" {
            return Err(axum::http::StatusCode::UNAUTHORIZED);
        }
        if place != "/.well-known/oauth-authorization-server" {
            return Err(axum::http::StatusCode::NOT_FOUND);
        }
        let base = format!("http://{}", headers["host"].to_str().unwrap());
        let mut all = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "response_types_supported": ["code"],
        });
        all.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        Ok(axum::Json(all))
    };
    served(axum::Router::new().fallback(told)).await
}

/// The address of a server that knows one thing to say at one address.
async fn answering(status: u16) -> Url {
    let status = axum::http::StatusCode::from_u16(status).unwrap();
    served(axum::Router::new().route("/mcp", axum::routing::any(move || async move { status })))
        .await
}

async fn served(router: axum::Router) -> Url {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    Url::parse(&format!("http://{address}/mcp")).unwrap()
}

async fn refused_log_in(url: Url) -> String {
    let http = Http { url, headers: BTreeMap::new(), auth: Auth::default(), wire: Wire::Auto };
    let folder = tempfile::tempdir().unwrap();
    let store = FileTokens::new(folder.path().join("logins"));
    let server = ServerName("open".to_owned());
    login(&server, &http, &store, LoginOptions::new(|_| ())).await.unwrap_err().to_string()
}

#[tokio::test]
async fn log_ins_in_the_clear_are_refused() {
    let refusal = refused_log_in(Url::parse("http://mcp.example/mcp").unwrap()).await;
    assert_snapshot!(
        refusal,
        @"server \"open\": where to log in cannot be found out: http://mcp.example/mcp is refused: log-ins need https, except between programs on this machine"
    );
}

#[tokio::test]
async fn a_connection_uses_the_log_in_and_reports_when_it_ends() {
    let place = Place::start(3600);
    let problem = place.upstreams().listing(&place.name).await.unwrap_err();
    assert_snapshot!(advice(&problem), @"run `tidegate login protected`");

    place.log_in().await.0.unwrap();
    let upstreams = place.upstreams();
    assert_eq!(upstreams.listing(&place.name).await.unwrap().tools.len(), 2);
    assert_eq!(text(&called(&upstreams, &place, "whoami").await.unwrap()), "ann may tools:read");
    let Err(CallFailure::NotConnected(problem)) = called(&upstreams, &place, "write").await else {
        panic!("a log-in should be wanted")
    };
    assert_snapshot!(
        advice(&problem),
        @r#"run `tidegate login protected`: it wants the scope "tools:write", which the stored log-in does not have"#
    );
    // The same connection goes on with what somebody logs in for in the meantime.
    place.log_in().await.0.unwrap();
    assert_eq!(
        text(&called(&upstreams, &place, "write").await.unwrap()),
        "ann may tools:read tools:write"
    );

    place.revoke().await;
    let Err(CallFailure::NotConnected(problem)) = called(&upstreams, &place, "whoami").await else {
        panic!("a log-in should be wanted")
    };
    assert_snapshot!(advice(&problem), @"run `tidegate login protected`: the stored log-in was refused (revoked or expired)");
    upstreams.close().await;
}

#[tokio::test]
async fn a_connection_renews_a_token_that_is_due_or_refused() {
    let place = Place::start(3600);
    place.log_in().await.0.unwrap();
    place.make_due().await;
    let upstreams = place.upstreams();
    assert_eq!(text(&called(&upstreams, &place, "whoami").await.unwrap()), "ann may tools:read");
    assert_eq!(place.kinds().await, ["authorization_code given", "refresh_token given"]);

    let refused = place.stored().await.tokens.unwrap().access;
    place.control(json!({"refused": refused.reveal()})).await;
    assert_eq!(text(&called(&upstreams, &place, "whoami").await.unwrap()), "ann may tools:read");
    assert_eq!(
        place.kinds().await,
        ["authorization_code given", "refresh_token given", "refresh_token given"]
    );
    upstreams.close().await;
}

async fn called(
    upstreams: &Upstreams,
    place: &Place,
    tool: &str,
) -> Result<ToolResult, CallFailure> {
    upstreams.call(&place.name, &ToolName(tool.to_owned()), Map::new()).await
}

fn text(result: &ToolResult) -> &str {
    match result.content.as_slice() {
        [Part::Text { text }] => text,
        other => panic!("{other:?}"),
    }
}

/// What somebody is told to do about a missing log-in.
fn advice(problem: &ConnectError) -> String {
    assert!(matches!(problem, ConnectError::LoginNeeded { .. }), "{problem}");
    problem.to_string().split_once("wants a log-in; ").unwrap().1.to_owned()
}

/// A running authorization server, the server it protects, and a folder for log-ins.
struct Place {
    process: Child,
    base: Url,
    name: ServerName,
    http: Http,
    folder: TempDir,
    client: reqwest::Client,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Place {
    fn start(access_ttl: u32) -> Self {
        let fixtures = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap())
            .join("tests/fixtures/oauth");
        let mut process = Command::new("node")
            .arg(fixtures.join("server.mjs"))
            .arg(npm::install("oidc-provider", "oidc-provider@9.13.3"))
            .env("ACCESS_TTL", access_ttl.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        // Put back, because the server writes more and must not find nobody there.
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        process.stdout = Some(output.into_inner());
        let port = line.trim().strip_prefix("listening on ").unwrap();
        let base = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
        let url = base.join("mcp").unwrap();
        Self {
            process,
            base,
            name: ServerName("protected".to_owned()),
            http: Http { url, headers: BTreeMap::new(), auth: Auth::default(), wire: Wire::Auto },
            folder: tempfile::tempdir().unwrap(),
            // The server closes idle connections, and may do so just when one is used again.
            client: reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap(),
        }
    }

    fn store(&self) -> FileTokens {
        FileTokens::new(self.folder.path().join("logins"))
    }

    fn shared(&self) -> Arc<dyn TokenStore> {
        Arc::new(self.store())
    }

    fn key(&self) -> LoginKey {
        LoginKey::new(&self.name, &self.http)
    }

    fn credentials(&self) -> Credentials {
        Credentials::new(&self.name, &self.http, self.shared())
    }

    /// Connections like those of a gateway.
    fn upstreams(&self) -> Arc<Upstreams> {
        let settings = ServerSettings {
            name: self.name.clone(),
            source: Source::Http(self.http.clone()),
            description: None,
            startup: Startup::Lazy,
            timeouts: Timeouts::default(),
            concurrency: 4,
            answer_bytes: 1 << 20,
        };
        Upstreams::new(vec![settings], Options { tokens: self.shared(), ..Options::default() })
    }

    async fn stored(&self) -> StoredLogin {
        self.store().load(&self.key()).await.unwrap().unwrap()
    }

    /// Makes the stored token one that must be renewed before its next use.
    async fn make_due(&self) {
        let mut login = self.stored().await;
        login.tokens.as_mut().unwrap().renew_at = Some(0);
        self.store().save(&self.key(), &login).await.unwrap();
    }

    async fn bearer(&self) -> Result<Option<Secret<String>>, ConnectError> {
        bearer(&self.name, &self.http, self.shared()).await
    }

    async fn log_in(&self) -> (Result<LoginDone, LoginError>, String) {
        self.log_in_with(|browser, url| async move { browser.open(&url).await.1 }).await
    }

    /// Logs in with a person who does `visit`; also returns the page that person saw last.
    async fn log_in_with<F, Fut>(&self, visit: F) -> (Result<LoginDone, LoginError>, String)
    where
        F: FnOnce(Browser, Url) -> Fut + Send + 'static,
        Fut: Future<Output = String> + Send,
    {
        let (sender, page) = oneshot::channel();
        let options = LoginOptions::new(move |url| {
            let url = url.clone();
            tokio::spawn(async move { sender.send(visit(Browser::new(), url).await) });
        });
        let done = login(&self.name, &self.http, &self.store(), options).await;
        (done, page.await.unwrap_or_default())
    }

    /// Calls a tool as a client would: the status, and the text of the result.
    async fn call(&self, tool: &str, token: &Secret<String>) -> (u16, String) {
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool}});
        let request =
            self.client.post(self.http.url.clone()).bearer_auth(token.reveal()).json(&message);
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let answer: Value = answer.json().await.unwrap();
        (status, answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned())
    }

    /// Revokes the log-in behind our back, as an administrator would.
    async fn revoke(&self) {
        let login = self.stored().await;
        let refresh = login.tokens.unwrap().refresh.unwrap();
        let form = [("token", refresh.reveal().as_str()), ("client_id", login.client_id.as_str())];
        let url = self.base.join("token/revocation").unwrap();
        let answer = self.client.post(url).form(&form).send().await.unwrap();
        assert!(answer.status().is_success());
    }

    async fn control(&self, body: Value) {
        self.client.post(self.base.join("control").unwrap()).json(&body).send().await.unwrap();
    }

    async fn grants(&self) -> Vec<Value> {
        self.seen().await["grants"].as_array().unwrap().clone()
    }

    /// What happened at the servers so far.
    async fn seen(&self) -> Value {
        let answer = self.client.get(self.base.join("control").unwrap()).send().await.unwrap();
        answer.json().await.unwrap()
    }

    async fn kinds(&self) -> Vec<String> {
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        self.grants()
            .await
            .iter()
            .map(|grant| word(&grant["type"]) + " " + &word(&grant["how"]))
            .collect()
    }
}

/// Follows redirects and keeps cookies.
struct Browser {
    client: reqwest::Client,
    cookies: std::sync::Mutex<HashMap<String, String>>,
}

impl Browser {
    fn new() -> Self {
        let client =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { client, cookies: std::sync::Mutex::default() }
    }

    /// Opens a page: the last status, and what it shows.
    async fn open(&self, url: &Url) -> (u16, String) {
        let mut answer = self.request(url).await;
        while let Some(next) = target(&answer) {
            answer = self.request(&next).await;
        }
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Goes to the end without taking the last step, which leads back to the program.
    async fn last_redirect(&self, url: &Url) -> Url {
        let mut url = url.clone();
        while url.path() != "/callback" {
            let answer = self.request(&url).await;
            url = target(&answer).unwrap();
        }
        url
    }

    async fn request(&self, url: &Url) -> reqwest::Response {
        let cookies = self
            .cookies
            .lock()
            .unwrap()
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>();
        let answer =
            self.client.get(url.clone()).header("cookie", cookies.join("; ")).send().await.unwrap();
        for cookie in answer.headers().get_all("set-cookie") {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.lock().unwrap().insert(name.to_owned(), value.to_owned());
        }
        answer
    }
}

fn target(answer: &reqwest::Response) -> Option<Url> {
    let location = answer.headers().get("location")?.to_str().unwrap();
    Some(answer.url().join(location).unwrap())
}
