//! Log-ins at authorization servers that forget their clients, say no in words of their own, or
//! have clients say who they are in a certain way.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use catalog::ServerName;
use serde_json::{Value, json};
use upstream::{
    Auth, ConnectError, Http, LoginKey, LoginOptions, LogoutDone, MemoryTokens, TokenStore, Wire,
    bearer, login, logout,
};
use url::Url;

#[tokio::test]
async fn a_log_in_that_is_over_is_told_with_the_command_that_helps() {
    let unknown = "our client is not known any more: ";
    for (status, error, reason) in [
        (401, "invalid_client", format!("{unknown}invalid_client")),
        (400, "unauthorized_client", format!("{unknown}unauthorized_client")),
        (400, "invalid_grant", "revoked or expired".to_owned()),
        (200, "bad_refresh_token", "bad_refresh_token".to_owned()),
        (200, "invalid_grant", "revoked or expired".to_owned()),
    ] {
        let place = Place::start(json!({})).await;
        place.log_in().await;
        place.make_over().await;
        place.will_answer(status, json!({"error": error, "error_description": null}));
        let problem = place.bearer().await.unwrap_err();
        assert!(matches!(problem, ConnectError::LoginNeeded { .. }), "{problem}");
        let wanted = format!("run `tidegate login odd`: the stored log-in was refused ({reason})");
        assert!(problem.to_string().ends_with(&wanted), "{problem}");
        // Nothing is asked again until somebody logs in.
        assert!(matches!(place.bearer().await, Err(ConnectError::LoginNeeded { .. })));
        assert_eq!(place.seen("/token").len(), 2);
        place.log_in().await;
        assert_eq!(place.bearer().await.unwrap(), Some("token".to_owned()));
    }
}

#[tokio::test]
async fn a_no_that_may_pass_leaves_the_log_in_and_names_the_command_too() {
    let place = Place::start(json!({})).await;
    place.log_in().await;
    place.make_over().await;
    place.will_answer(429, json!({"error": "slow_down", "error_description": "later"}));
    let problem = place.bearer().await.unwrap_err();
    assert!(matches!(problem, ConnectError::Unusable { .. }), "{problem}");
    let said = problem.to_string();
    assert!(said.ends_with("slow_down: later; if it stays so, run `tidegate login odd`"), "{said}");
    assert_eq!(place.bearer().await.unwrap(), Some("token".to_owned()));
}

#[tokio::test]
async fn a_client_says_who_it_is_in_the_way_it_was_registered_for() {
    let all = json!(["none", "client_secret_post", "client_secret_basic"]);
    let only_basic = json!(["client_secret_basic"]);
    for (method, offered, (in_header, in_form)) in [
        (json!("client_secret_post"), &all, (false, true)),
        (json!("client_secret_basic"), &all, (true, false)),
        (json!("none"), &all, (false, false)),
        (json!("client_secret_post"), &Value::Null, (false, true)),
        // What is not offered, or is nothing we know, counts for nothing.
        (json!("client_secret_post"), &only_basic, (true, false)),
        (json!("none"), &only_basic, (true, false)),
        (json!("private_key_jwt"), &all, (true, false)),
        (Value::Null, &all, (true, false)),
    ] {
        let place = Place::start(json!({
            "metadata": {"token_endpoint_auth_methods_supported": offered},
            "registration": {"client_secret": "hidden", "token_endpoint_auth_method": method},
        }));
        let place = place.await;
        place.log_in().await;
        place.make_over().await;
        place.bearer().await.unwrap();
        let done = logout(&place.name, &place.http, &*place.store).await.unwrap();
        assert_eq!(done, LogoutDone::Revoked);
        let seen = [place.seen("/token"), place.seen("/revoke")].concat();
        // The log-in, its renewal, and both tokens revoked.
        assert_eq!(seen.len(), 4);
        for (header, form) in seen {
            let said = (header.starts_with("Basic "), form.contains("client_secret=hidden"));
            assert_eq!(said, (in_header, in_form), "{method} of {offered}: {header} {form}");
        }
    }
}

#[tokio::test]
async fn tokens_that_come_as_text_are_tokens() {
    let place = Place::start(json!({"kind": "text/html; charset=utf-8"})).await;
    place.log_in().await;
    place.make_over().await;
    assert_eq!(place.bearer().await.unwrap(), Some("token".to_owned()));
}

/// A server and its authorization server in one, and what is kept of log-ins to it.
struct Place {
    name: ServerName,
    http: Http,
    store: Arc<MemoryTokens>,
    says: Arc<Mutex<Says>>,
}

/// What the authorization server was asked, and will say.
#[derive(Default)]
struct Says {
    /// Beyond what it has to say.
    more: Value,
    /// In place of tokens, once.
    next: Option<(u16, Value)>,
    /// Paths, `Authorization` headers and bodies.
    seen: Vec<(String, String, String)>,
}

impl Place {
    async fn start(more: Value) -> Self {
        let says = Arc::new(Mutex::new(Says { more, ..Says::default() }));
        let heard = Arc::clone(&says);
        let answer = move |headers: HeaderMap, uri: Uri, body: String| async move {
            answered(&mut heard.lock().unwrap(), &headers, uri.path(), body)
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/mcp", listener.local_addr().unwrap())).unwrap();
        let router = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            name: ServerName("odd".to_owned()),
            http: Http { url, headers: BTreeMap::new(), auth: Auth::default(), wire: Wire::Auto },
            store: Arc::default(),
            says,
        }
    }

    /// Logs in with a person who agrees at once.
    async fn log_in(&self) {
        let options = LoginOptions::new(|url| {
            let field =
                |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
            let mut back = Url::parse(&field("redirect_uri")).unwrap();
            let state = field("state");
            back.query_pairs_mut().append_pair("code", "code").append_pair("state", &state);
            tokio::spawn(reqwest::get(back));
        });
        login(&self.name, &self.http, &*self.store, options).await.unwrap();
    }

    /// Makes the stored token one of no use.
    async fn make_over(&self) {
        let key = LoginKey::new(&self.name, &self.http);
        let mut login = self.store.load(&key).await.unwrap().unwrap();
        let tokens = login.tokens.as_mut().unwrap();
        (tokens.renew_at, tokens.expires_at) = (Some(0), Some(0));
        self.store.save(&key, &login).await.unwrap();
    }

    async fn bearer(&self) -> Result<Option<String>, ConnectError> {
        let store = Arc::clone(&self.store) as Arc<dyn TokenStore>;
        let token = bearer(&self.name, &self.http, store).await?;
        Ok(token.map(|token| token.reveal().clone()))
    }

    fn will_answer(&self, status: u16, answer: Value) {
        self.says.lock().unwrap().next = Some((status, answer));
    }

    /// The headers and bodies that came to a path.
    fn seen(&self, path: &str) -> Vec<(String, String)> {
        let says = self.says.lock().unwrap();
        let there = says.seen.iter().filter(|(at, ..)| at == path);
        there.map(|(_, header, body)| (header.clone(), body.clone())).collect()
    }
}

fn answered(says: &mut Says, headers: &HeaderMap, path: &str, body: String) -> Response {
    let header = headers.get("authorization").map(|text| text.to_str().unwrap().to_owned());
    says.seen.push((path.to_owned(), header.unwrap_or_default(), body));
    let base = format!("http://{}", headers["host"].to_str().unwrap());
    let with = |mut all: Value, more: &Value| {
        let more = more.as_object().cloned().unwrap_or_default();
        all.as_object_mut().unwrap().extend(more.into_iter().filter(|(_, value)| !value.is_null()));
        axum::Json(all).into_response()
    };
    match path {
        "/mcp" => StatusCode::UNAUTHORIZED.into_response(),
        "/.well-known/oauth-authorization-server" => {
            let metadata = json!({
                "issuer": base,
                "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"),
                "registration_endpoint": format!("{base}/register"),
                "revocation_endpoint": format!("{base}/revoke"),
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            });
            with(metadata, &says.more["metadata"])
        }
        "/register" => {
            let client = json!({"client_id": "us", "redirect_uris": []});
            with(client, &says.more["registration"])
        }
        "/token" => {
            if let Some((status, answer)) = says.next.take() {
                (StatusCode::from_u16(status).unwrap(), axum::Json(answer)).into_response()
            } else {
                let tokens = json!({
                    "access_token": "token",
                    "token_type": "bearer",
                    "refresh_token": "next",
                    "expires_in": 3600,
                });
                let kind = says.more["kind"].as_str().unwrap_or("application/json").to_owned();
                ([("content-type", kind)], tokens.to_string()).into_response()
            }
        }
        "/revoke" => StatusCode::OK.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
