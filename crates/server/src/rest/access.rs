//! Who may come in: tokens, and protection against pages that reach for local services.
//!
//! A page in somebody's browser can send requests to this machine, and with a DNS name of its
//! own that leads here (DNS rebinding) it could read the answers. Such requests carry the page's
//! name in `Host` or `Origin`, so both are checked before anything else.

mod names;
mod peer;
mod tokens;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use gateway::service::{Caller, Scope, Trail};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use self::names::{host_allowed, names_this_machine, origin_allowed};
use self::tokens::Tokens;
use super::leftover::Leftover;
use super::problem::Problem;
use crate::Shared;

/// What can be asked without being anybody: nothing that belongs to anyone.
const OPEN: [&str; 5] = ["/", "/health", "/health/ready", "/docs", "/openapi.json"];

/// Asked by machines that know an address and no name.
const PROBES: [&str; 2] = ["/health", "/health/ready"];

/// What only one who looks after the gateway may change.
const SERVERS: &str = "/api/v1/servers";

/// Headers that a proxy adds, whose peer address says nothing about who asks; and all that begin
/// with [`FORWARDED_BY`].
const FORWARDED: [&str; 7] = [
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "fly-client-ip",
];
const FORWARDED_BY: &str = "x-forwarded-";

/// Who may come in.
#[derive(Debug, Clone)]
pub struct AccessRules {
    /// Serve everybody who has no token; those who are not on this machine share one owner.
    pub allow_anonymous: bool,
    /// Serve those on this machine without a token. A request that came through a proxy, or that
    /// calls us by another name than a machine's own, is not from this machine.
    pub loopback_without_token: bool,
    /// Names in `Host` that are ours, besides those of the loopback; `*` for any.
    pub hosts: Vec<String>,
    /// Origins of pages that may use us, such as `https://app.example`; `*` for any.
    pub cors_origins: Vec<String>,
}

impl AccessRules {
    /// What lets pages of anybody in where no token is asked for, in words for the operator.
    #[must_use]
    pub fn open_to_pages(&self) -> Vec<&'static str> {
        let any = |names: &[String]| names.iter().any(|name| name == "*");
        let mut open = Vec::new();
        if any(&self.cors_origins) && (self.allow_anonymous || self.loopback_without_token) {
            open.push(
                "`cors-origins` is `*`, and requests without a token are served: any web page that somebody here looks at may run programs and add servers; name the origins, or set `loopback-without-token = false` and `allow-anonymous = false`",
            );
        }
        if any(&self.hosts) && self.allow_anonymous {
            open.push(
                "`hosts` is `*`, and requests without a token are served (`allow-anonymous`): a web page whose name leads here (DNS rebinding) may run programs; name the hosts, or set `allow-anonymous = false`",
            );
        }
        open
    }
}

impl Default for AccessRules {
    fn default() -> Self {
        Self {
            allow_anonymous: false,
            loopback_without_token: true,
            hosts: Vec::new(),
            cors_origins: Vec::new(),
        }
    }
}

struct Guard {
    rules: AccessRules,
    tokens: Tokens,
    /// Whoever is not let in is written down there.
    trail: Option<Arc<Trail>>,
}

/// Whether somebody was not let in, or not let do something.
fn is_refusal(status: StatusCode) -> bool {
    [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::MISDIRECTED_REQUEST]
        .contains(&status)
}

/// Lets only those through who may come in; the handlers find the [`Caller`] in the request's
/// extensions. The listener must tell the peer's address, as [`serve`](super::serve) does.
pub fn protect(router: Router, shared: &Shared, rules: AccessRules) -> Router {
    let cors = cors(&rules.cors_origins);
    let tokens = Tokens::new(Arc::clone(&shared.service));
    let trail = shared.service.trail().cloned();
    let guard = Arc::new(Guard { rules, tokens, trail });
    let router = router.layer(from_fn_with_state(guard, admit));
    let router = match cors {
        Some(cors) => router.layer(cors),
        None => router,
    };
    router.layer(from_fn(super::problem::modest))
}

async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let (body, left) = Leftover::of(&parts.headers, body);
    let asked = format!("{} {}", parts.method, super::given::cut(parts.uri.path()));
    let refused = |owner: &str, status: StatusCode| {
        if let Some(trail) = guard.trail.as_ref().filter(|_| is_refusal(status)) {
            trail.refused(owner, &asked, status.as_str());
        }
    };
    let response = match guard.caller(&parts).await {
        Err(problem) => {
            let response = problem.into_response();
            refused("", response.status());
            response
        }
        Ok(caller) => {
            let owner = caller.as_ref().map(|caller| caller.owner.clone()).unwrap_or_default();
            if let Some(caller) = caller {
                let token = parts.headers.get(header::AUTHORIZATION).cloned();
                let guard = Arc::clone(&guard);
                parts.extensions.insert(Standing { guard, token, caller: caller.clone() });
                parts.extensions.insert(caller);
            }
            let response = next.run(Request::from_parts(parts, body)).await;
            refused(&owner, response.status());
            response
        }
    };
    left.drain(response.status()).await;
    response
}

impl Guard {
    /// Who asks; nobody where nobody need be.
    async fn caller(&self, request: &Parts) -> Result<Option<Caller>, Problem> {
        match self.known(request).await {
            // Whoever watches us is answered as long as we live, also when nobody can be looked up.
            Err(problem) if problem.is_ours() && OPEN.contains(&request.uri.path()) => Ok(None),
            known => known,
        }
    }

    async fn known(&self, request: &Parts) -> Result<Option<Caller>, Problem> {
        let path = request.uri.path();
        if let Err(problem) = self.check_names(request) {
            let is_probe = PROBES.contains(&path);
            if !is_probe {
                return Err(problem);
            }
            if !request.headers.contains_key(header::AUTHORIZATION) {
                // A page that had its name point at us would ask like this: it is nobody.
                return Ok(None);
            }
        }
        if let Some(given) = request.headers.get(header::AUTHORIZATION) {
            return self.of_token(given).await.map(Some);
        }
        let is_local = self.is_local(request);
        if self.rules.allow_anonymous || is_local {
            // Whoever adds a server runs a command, so that it must be whoever runs us.
            return Ok(Some(if !is_local {
                Caller::anonymous()
            } else if is_our_user(request) {
                self.tokens.nobody().await?
            } else {
                Caller::guest()
            }));
        }
        if OPEN.contains(&path) || is_page_of_approvals(path) {
            return Ok(None);
        }
        Err(unauthorized("this needs a token", "Bearer realm=\"tidegate\""))
    }

    fn check_names(&self, request: &Parts) -> Result<(), Problem> {
        let host = host(request);
        if !host.is_some_and(|host| host_allowed(host, &self.rules.hosts)) {
            let message = format!(
                "the name {:?} is none of this gateway's",
                super::given::cut(host.unwrap_or_default())
            );
            return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "host_not_allowed", message)
                .hint("an operator can allow it with the setting `hosts`"));
        }
        let Some(origin) = request.headers.get(header::ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or("null");
        if origin_allowed(origin, host.unwrap_or_default(), &self.rules.cors_origins) {
            return Ok(());
        }
        let message = format!("pages of {:?} may not use this gateway", super::given::cut(origin));
        Err(Problem::new(StatusCode::FORBIDDEN, "origin_not_allowed", message)
            .hint("an operator can allow it with the setting `cors-origins`"))
    }

    async fn of_token(&self, given: &HeaderValue) -> Result<Caller, Problem> {
        let text = given.to_str().unwrap_or_default();
        let (kind, secret) = text.split_once(' ').unwrap_or((text, ""));
        let known = if kind.eq_ignore_ascii_case("bearer") {
            self.tokens.caller(secret.trim()).await?
        } else {
            None
        };
        known.ok_or_else(|| {
            let challenge = "Bearer realm=\"tidegate\", error=\"invalid_token\"";
            unauthorized("this token is unknown or over", challenge)
        })
    }

    fn is_local(&self, request: &Parts) -> bool {
        let peer = request.extensions.get::<ConnectInfo<SocketAddr>>();
        // A proxy that adds no header passes on the name it was called by: one of `hosts`.
        self.rules.loopback_without_token
            && peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback())
            && host(request).is_some_and(names_this_machine)
            && !was_forwarded(&request.headers)
    }
}

/// Whether a request came through a proxy that says so.
fn was_forwarded(headers: &HeaderMap) -> bool {
    let by_proxy = |name: &str| FORWARDED.contains(&name) || name.starts_with(FORWARDED_BY);
    headers.keys().any(|name| by_proxy(name.as_str()))
}

/// Whether the user who runs us asks; looked up only where that decides something.
fn is_our_user(request: &Parts) -> bool {
    let changes = request.method != Method::GET && request.uri.path().starts_with(SERVERS);
    let peer = request.extensions.get::<ConnectInfo<SocketAddr>>();
    !changes || peer.is_some_and(|ConnectInfo(peer)| peer::is_our_user(*peer))
}

/// The name we were called by; nothing when it is missing or there are two.
fn host(request: &Parts) -> Option<&str> {
    let mut given = request.headers.get_all(header::HOST).iter();
    match (given.next(), given.next()) {
        (Some(host), None) => host.to_str().ok(),
        (Some(_), Some(_)) => None,
        (None, _) => request.uri.authority().map(http::uri::Authority::as_str),
    }
}

fn unauthorized(message: &str, challenge: &'static str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
        .hint("send `Authorization: Bearer TOKEN`; `tidegate token create` makes one")
        .header(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
}

/// What browsers are told; nothing unless the operator names origins.
fn cors(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let listed = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    let origin = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(listed)
    };
    let own = |name: &'static str| HeaderName::from_static(name);
    let layer = CorsLayer::new()
        .allow_origin(origin)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::ACCEPT,
            own("last-event-id"),
            own("mcp-session-id"),
            own("mcp-protocol-version"),
            own("mcp-method"),
            own("mcp-name"),
            own("traceparent"),
            own("tracestate"),
        ])
        .expose_headers([header::LOCATION, header::RETRY_AFTER, own("mcp-session-id")]);
    Some(layer)
}

/// Who somebody is for as long as their connection is open: tokens are removed and expire meanwhile.
#[derive(Clone)]
pub(crate) struct Standing {
    guard: Arc<Guard>,
    /// What they came in with; nothing for those who need no token.
    token: Option<HeaderValue>,
    caller: Caller,
}

impl Standing {
    /// Who that is now, if they may still run programs.
    pub(crate) async fn now(&self) -> Result<Caller, Problem> {
        let caller = match &self.token {
            Some(token) => self.guard.of_token(token).await?,
            None => self.caller.clone(),
        };
        has_any(caller, &[Scope::Execute])
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Standing {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        allowed(parts, &[Scope::Execute])?;
        let standing = parts.extensions.get::<Self>().cloned();
        standing.ok_or_else(|| unauthorized("this needs a token", "Bearer"))
    }
}

/// One who may run programs.
pub(crate) struct Runner(pub(crate) Caller);

/// One who may look at things.
pub(crate) struct Reader;

/// One who may look at their own sessions and runs: whoever may run programs may follow them.
pub(crate) struct Follower(pub(crate) Caller);

/// One who may change servers.
pub(crate) struct Admin;

/// One who may approve calls.
pub(crate) struct Approver(pub(crate) Caller);

/// A page that shows nothing by itself: it asks, with the token of whoever looks at it.
fn is_page_of_approvals(path: &str) -> bool {
    path == "/approvals" || path.starts_with("/approvals/")
}

fn allowed(parts: &Parts, any_of: &[Scope]) -> Result<Caller, Problem> {
    let caller = parts.extensions.get::<Caller>();
    let caller = caller.ok_or_else(|| unauthorized("this needs a token", "Bearer"))?;
    has_any(caller.clone(), any_of)
}

fn has_any(caller: Caller, any_of: &[Scope]) -> Result<Caller, Problem> {
    if any_of.iter().any(|scope| caller.may(*scope)) {
        return Ok(caller);
    }
    let wanted: Vec<&str> = any_of.iter().map(|scope| scope.name()).collect();
    let message = format!("this needs the scope {}", wanted.join(" or "));
    Err(Problem::new(StatusCode::FORBIDDEN, "scope_missing", message)
        .hint("`tidegate token create OWNER --scopes ...` makes a token with other scopes; without one, only the user who runs the gateway changes servers, from this machine"))
}

macro_rules! callers {
    ($($name:ident $build:expr => [$($scope:ident),+]),+ $(,)?) => {$(
        impl<S: Send + Sync> FromRequestParts<S> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
                allowed(parts, &[$(Scope::$scope),+]).map($build)
            }
        }
    )+};
}

callers! {
    Runner Self => [Execute],
    Reader |_| Self => [Read],
    Follower Self => [Read, Execute],
    Admin |_| Self => [Admin],
    Approver Self => [Approve],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_proxy_says_is_heard() {
        let of = |name: &'static str| {
            was_forwarded(&HeaderMap::from_iter([(
                HeaderName::from_static(name),
                HeaderValue::from_static("1"),
            )]))
        };
        for name in ["via", "x-forwarded-proto", "x-forwarded-host", "cf-connecting-ip"] {
            assert!(of(name), "{name}");
        }
        assert!(!of("accept") && !of("x-request-id"));
    }

    #[test]
    fn an_operator_is_told_where_any_page_may_come_in() {
        let any = || vec!["*".to_owned()];
        let pages = AccessRules { cors_origins: any(), ..AccessRules::default() };
        assert!(pages.open_to_pages()[0].contains("`cors-origins` is `*`"));
        let asked = AccessRules { loopback_without_token: false, ..pages };
        assert!(asked.open_to_pages().is_empty());
        // A name that is not the machine's own needs a token anyway.
        let named = AccessRules { hosts: any(), ..AccessRules::default() };
        assert!(named.open_to_pages().is_empty());
        let anonymous = AccessRules { allow_anonymous: true, ..named };
        assert!(anonymous.open_to_pages()[0].contains("`hosts` is `*`"));
        assert!(AccessRules::default().open_to_pages().is_empty());
    }
}
