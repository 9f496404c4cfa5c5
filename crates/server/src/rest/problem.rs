//! Errors as the door tells them: a status, a word for programs and a sentence for people.

use std::time::Duration;

use axum::Json;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gateway::service::{NoEngine, Refusal};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use tracing::error;
use utoipa::ToSchema;

use super::serve::{HEADER_BYTES, HEADER_COUNT, URI_BYTES};

/// How long to wait for something that somebody has to mend first.
const MENDED: Duration = Duration::from_secs(30);

/// Why a request was not done.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    told: Told,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    /// The problem.
    error: Told,
}

/// A problem in words.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct Told {
    /// A word that stays the same.
    #[schema(example = "invalid_request")]
    code: &'static str,
    /// What went wrong.
    #[schema(example = "`code` is missing")]
    message: String,
    /// What to try next, where that is known.
    hint: Option<String>,
}

impl Problem {
    /// A problem without a hint.
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let told = Told { code, message: message.into(), hint: None };
        Self { status, told, headers: Vec::new() }
    }

    /// Something in the request is not as it must be.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message)
    }

    /// Something in the request is well-formed, and cannot be as it is here.
    pub(crate) fn unfit(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", message)
    }

    /// The same, with what to try next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.told.hint = Some(hint.into());
        self
    }

    /// The same, with one more header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Whether it is none of whoever asked.
    pub(crate) fn is_ours(&self) -> bool {
        self.status.is_server_error()
    }

    /// Its word and its sentences, for whoever is told without a status.
    pub(crate) fn words(self) -> (String, String) {
        let Told { code, message, hint } = self.told;
        let message = hint.map_or_else(|| message.clone(), |hint| format!("{message}; {hint}"));
        (code.to_owned(), message)
    }

    fn retry_after(self, time: Duration) -> Self {
        let seconds = time.as_secs().max(1);
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }
}

/// Refuses a request whose address or headers are larger than anybody needs.
pub(crate) async fn modest(request: Request, next: Next) -> Response {
    let uri = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
    let headers = request.headers();
    let bytes: usize =
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    let told = |status, code, message: String, hint| {
        Problem::new(status, code, message).hint(hint).into_response()
    };
    if uri > URI_BYTES {
        return told(
            StatusCode::URI_TOO_LONG,
            "uri_too_long",
            format!("the address has {uri} bytes, more than {URI_BYTES}"),
            "send what is long in the body",
        );
    }
    if bytes > HEADER_BYTES || headers.len() > HEADER_COUNT {
        let count = headers.len();
        return told(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "headers_too_large",
            format!(
                "the request has {count} headers of {bytes} bytes; at most {HEADER_COUNT} of {HEADER_BYTES} are read"
            ),
            "send fewer or shorter headers",
        );
    }
    next.run(request).await
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorBody { error: self.told })).into_response();
        response.headers_mut().extend(self.headers);
        response
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let (code, status) = (refusal.code(), status(&refusal));
        let problem = match &refusal {
            // What lies where on this machine is for whoever runs it.
            Refusal::Store(problem) if problem.is_full() => {
                error!(error = %problem, "a request failed, because there is no room left");
                Self::new(status, code, "what the gateway keeps could not be read or written, because its disk is full")
                    .hint("whoever runs the gateway has to free space in its data folder (setting `data`)")
            }
            Refusal::Store(problem) => {
                error!(error = %problem, "a request failed");
                Self::new(status, code, "what the gateway keeps could not be read or written")
                    .hint("the gateway's log says why")
            }
            Refusal::NoRun(_)
            | Refusal::NothingToApprove(_)
            | Refusal::NoArtifact { .. }
            | Refusal::NoPart { .. }
            | Refusal::Skill(_)
            | Refusal::File(_) => Self::new(status, code, refusal.to_string()),
            told => match told.to_string().rsplit_once("; ") {
                Some((message, hint)) => Self::new(status, code, message).hint(hint),
                None => Self::new(status, code, told.to_string()),
            },
        };
        match refusal.retry_after() {
            Some(time) => problem.retry_after(time),
            None if status == StatusCode::SERVICE_UNAVAILABLE => problem.retry_after(MENDED),
            None => problem,
        }
    }
}

fn status(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Invalid { .. } => StatusCode::BAD_REQUEST,
        // The API's description allows it, and this gateway, or this caller, does not.
        Refusal::NoEngine(NoEngine::NotOffered(_)) | Refusal::Unfit { .. } => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Refusal::NoEngine(_) | Refusal::Draining => StatusCode::SERVICE_UNAVAILABLE,
        Refusal::Gone { .. }
        | Refusal::GoneToShare { .. }
        | Refusal::Session(_)
        | Refusal::Unthawed(_) => StatusCode::GONE,
        Refusal::Busy(_)
        | Refusal::OtherLanguage { .. }
        | Refusal::NotResumable { .. }
        | Refusal::NotMovable { .. }
        | Refusal::Paused(_)
        | Refusal::Immovable(_) => StatusCode::CONFLICT,
        Refusal::Full(_) => StatusCode::TOO_MANY_REQUESTS,
        Refusal::Quota { .. } => StatusCode::FORBIDDEN,
        told => match told.code() {
            "file_refused" | "skill_refused" => StatusCode::UNPROCESSABLE_ENTITY,
            "storage_full" => StatusCode::INSUFFICIENT_STORAGE,
            "nothing_to_approve" => StatusCode::NOT_FOUND,
            code if code.starts_with("unknown_") => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

/// No route has this path.
pub(crate) async fn not_found(uri: http::Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", format!("there is nothing at {}", uri.path()))
        .hint("/docs lists what there is")
}

/// A route has this path, and not this method; axum adds which it has.
pub(crate) async fn wrong_method(method: http::Method) -> Problem {
    let message = format!("{method} cannot be used here");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
        .hint("the `Allow` header lists the methods that can")
}

#[cfg(test)]
mod tests {
    use gateway::service::ids::SessionId;

    use super::*;

    #[test]
    fn a_refusal_keeps_its_word_and_tells_apart_what_to_try() {
        let id: SessionId = "s_00000000000000000000000000000000".parse().unwrap();
        let problem = Problem::from(Refusal::NoSession(id.clone()));
        assert_eq!((problem.status, problem.told.code), (StatusCode::NOT_FOUND, "unknown_session"));
        assert_eq!(problem.told.message, format!("there is no session {id}"));
        assert_eq!(problem.told.hint.as_deref(), Some("leave `session` out to start a fresh one"));
        // A hint names the field that was wrong.
        let unshared = [
            (StatusCode::NOT_FOUND, Refusal::NoneToShare(id.clone())),
            (StatusCode::GONE, Refusal::GoneToShare { session: id, why: "it expired" }),
        ];
        for (status, refusal) in unshared {
            let problem = Problem::from(refusal);
            let hint = problem.told.hint.as_deref().unwrap();
            assert_eq!(problem.status, status, "{}", problem.told.message);
            assert!(hint.starts_with("leave `workspace_of` out"), "{hint}");
        }
    }

    #[test]
    fn what_is_well_formed_and_cannot_be_is_told_apart_from_what_is_malformed() {
        let problem = || "is not so".to_owned();
        let status = |refusal| Problem::from(refusal).status;
        let malformed = Refusal::Invalid { field: "timeout", problem: problem() };
        assert_eq!(status(malformed), StatusCode::BAD_REQUEST);
        let unfit = Refusal::Unfit { field: "scope", problem: problem() };
        assert_eq!(unfit.code(), "invalid_request");
        assert_eq!(status(unfit), StatusCode::UNPROCESSABLE_ENTITY);
        let absent = Refusal::NoEngine(NoEngine::NotOffered(engine::Language::TypeScript));
        assert_eq!(status(absent), StatusCode::UNPROCESSABLE_ENTITY);
    }

    #[test]
    fn a_full_disk_has_a_status_and_a_code_of_its_own() {
        let source = std::io::Error::from_raw_os_error(28);
        let path = std::path::PathBuf::from("/secret/place");
        let refusal = Refusal::Store(gateway::service::store::StoreError::File { path, source });
        let problem = Problem::from(refusal);
        let expected = (StatusCode::INSUFFICIENT_STORAGE, "storage_full");
        assert_eq!((problem.status, problem.told.code), expected);
        assert!(!problem.told.message.contains("secret"), "{}", problem.told.message);
    }

    #[test]
    fn what_passes_says_when_to_come_again() {
        let (language, reason) = (engine::Language::Python, "no disk".to_owned());
        let broken = Refusal::NoEngine(NoEngine::Failed { language, reason });
        for refusal in [Refusal::Draining, broken] {
            let response = Problem::from(refusal).into_response();
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert!(response.headers().contains_key(header::RETRY_AFTER));
        }
    }
}
