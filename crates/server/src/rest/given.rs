//! What a request gives: bodies, fields and parameters, read so that a mistake names its place.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::value::RawValue;
use tokio::sync::OwnedSemaphorePermit;

use super::problem::Problem;
use super::{Door, RestOptions};
use crate::arriving::{Bodies, LATER, Unread};

/// A body, no longer than is allowed and sent in time.
pub(crate) struct Body(pub(crate) axum::body::Bytes);

impl FromRequest<Door> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let bodies = &door.options.bodies;
        let most = bodies.rules().each;
        if length(&request).is_some_and(|bytes| bytes > most as u64) {
            return Err(too_large(most));
        }
        let read = bodies.read(request.into_body()).await;
        read.map(Self).map_err(|unread| problem(unread, bodies, too_large(most)))
    }
}

/// What another gateway exported. A session is larger than anything else that is sent, and whatever
/// leaves one gateway must be let into another; but one such at a time, because it is read into memory.
pub(crate) struct Brought {
    pub(crate) body: axum::body::Bytes,
    /// Held for as long as the body is there.
    pub(crate) turn: Option<OwnedSemaphorePermit>,
}

impl FromRequest<Door> for Brought {
    type Rejection = Problem;

    async fn from_request(request: Request, door: &Door) -> Result<Self, Problem> {
        let RestOptions { bodies, import_bytes: most, .. } = &*door.options;
        let told = length(&request);
        if told.is_some_and(|bytes| bytes > *most as u64) {
            return Err(too_large_to_import(*most));
        }
        let unread = |unread| problem(unread, bodies, too_large_to_import(*most));
        if told.is_some_and(|bytes| bytes <= bodies.rules().each as u64) {
            let body = bodies.read(request.into_body()).await.map_err(unread)?;
            return Ok(Self { body, turn: None });
        }
        // The semaphore is never closed.
        let turn = Arc::clone(&door.importing).acquire_owned().await.ok();
        let body = bodies.read_alone(request.into_body(), *most).await.map_err(unread)?;
        Ok(Self { body, turn })
    }
}

/// How long a body is, as its sender says.
fn length(request: &Request) -> Option<u64> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Why a body was not read, where `too_long` says that it is.
fn problem(unread: Unread, bodies: &Bodies, too_long: Problem) -> Problem {
    match unread {
        Unread::TooLong => too_long,
        Unread::Broken(error) => Problem::invalid(format!("the body broke off: {error}")),
        Unread::Late => {
            let status = StatusCode::REQUEST_TIMEOUT;
            Problem::new(status, "request_timeout", bodies.said_late())
                .hint("send it again; what is large, in several parts")
        }
        Unread::Full => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            Problem::new(status, "too_many_requests", bodies.said_full())
                .hint("try again in a few seconds, or send less at once")
                .header(header::RETRY_AFTER, HeaderValue::from(LATER))
        }
    }
}

fn too_large(most: usize) -> Problem {
    let message = format!("the body has more than {most} bytes (setting `body-bytes`)");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
        .hint("send less at once, such as a table in several files, or ask the operator for more")
}

fn too_large_to_import(most: usize) -> Problem {
    let message = format!("this has more than the {most} bytes that can be imported");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
        .hint("where it was exported, remove files and variables of the session that are not needed, and export it again")
}

/// The members of a JSON object, taken one by one.
pub(crate) struct Fields {
    given: BTreeMap<String, Box<RawValue>>,
    known: Vec<&'static str>,
}

impl Fields {
    /// Reads a body; an empty one or `null` is an object without members.
    pub(crate) fn read(headers: &HeaderMap, body: &[u8]) -> Result<Self, Problem> {
        json_or_unsaid(headers)?;
        let known = Vec::new();
        if body.is_empty() || body == b"null" {
            return Ok(Self { given: BTreeMap::new(), known });
        }
        let given = serde_json::from_slice(body).map_err(|error| match error.classify() {
            Category::Data => Problem::invalid(format!(
                "the body must be a JSON object: {}",
                without_place(&error)
            )),
            _ => Problem::new(
                StatusCode::BAD_REQUEST,
                "invalid_json",
                format!("the body is no JSON: {error}"),
            ),
        })?;
        Ok(Self { given, known })
    }

    /// Refuses whatever is in a body that is to say nothing.
    pub(crate) fn none(headers: &HeaderMap, body: &[u8]) -> Result<(), Problem> {
        if body.is_empty() { Ok(()) } else { Self::read(headers, body)?.end() }
    }

    /// A member that may be missing or null.
    pub(crate) fn take<T: DeserializeOwned>(
        &mut self,
        field: &'static str,
    ) -> Result<Option<T>, Problem> {
        self.known.push(field);
        let Some(raw) = self.given.remove(field) else { return Ok(None) };
        serde_json::from_str(raw.get())
            .map_err(|error| Problem::invalid(format!("`{field}`: {}", without_place(&error))))
    }

    /// A member that must be there. One that was misspelt is told of as such.
    pub(crate) fn need<T: DeserializeOwned>(&mut self, field: &'static str) -> Result<T, Problem> {
        self.take(field)?.ok_or_else(|| {
            let given: Vec<String> =
                self.given.keys().take(5).map(|name| format!("`{}`", cut(name))).collect();
            let missing = Problem::invalid(format!("`{field}` is missing"));
            if given.is_empty() {
                return missing;
            }
            missing.hint(format!("there are {}; was one of them meant?", given.join(", ")))
        })
    }

    /// A whole number of at least 1. `5.0` is one: to JSON it is the same number.
    pub(crate) fn count(&mut self, field: &'static str) -> Result<Option<u64>, Problem> {
        let Some(number) = self.take::<serde_json::Number>(field)? else { return Ok(None) };
        match whole(&number).filter(|whole| *whole >= 1) {
            Some(whole) => Ok(Some(whole)),
            None => {
                Err(Problem::invalid(format!("`{field}`: {number} is no whole number above 0")))
            }
        }
    }

    /// Whatever is left, for someone who knows more names.
    pub(crate) fn rest(self) -> BTreeMap<String, Box<RawValue>> {
        self.given
    }

    /// Refuses members that nobody took.
    pub(crate) fn end(self) -> Result<(), Problem> {
        match self.given.keys().next() {
            None => Ok(()),
            Some(name) => {
                let problem = Problem::invalid(format!("there is no field `{}`", cut(name)));
                Err(problem.hint(match self.known.as_slice() {
                    [] => "this takes no fields; send no body".to_owned(),
                    known => format!("there are: {}", known.join(", ")),
                }))
            }
        }
    }
}

/// Another type than JSON would be a form that some page sends, or a mistake.
fn json_or_unsaid(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let given = given.to_str().unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json")) {
        return Ok(());
    }
    let message = format!("the body is {:?}, and only JSON can be read", cut(&kind));
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
        .hint("send the header `Content-Type: application/json`"))
}

/// The query of an address, taken one parameter at a time.
pub(crate) struct Parameters {
    given: BTreeMap<String, String>,
    known: Vec<&'static str>,
}

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let pairs = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let Query(pairs) = pairs.map_err(|error| Problem::invalid(error.to_string()))?;
        let mut given = BTreeMap::new();
        for (name, value) in pairs {
            if given.contains_key(&name) {
                let message = format!("`{}` is given more than once", cut(&name));
                return Err(Problem::invalid(message));
            }
            given.insert(name, value);
        }
        Ok(Self { given, known: Vec::new() })
    }
}

impl Parameters {
    /// A parameter that may be missing.
    pub(crate) fn take<T: FromStr<Err: Display>>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, Problem> {
        self.known.push(name);
        let Some(value) = self.given.remove(name) else { return Ok(None) };
        let wrong = |error: T::Err| {
            Problem::invalid(format!("`{name}`: {:?} cannot be used: {error}", cut(&value)))
        };
        value.parse().map(Some).map_err(wrong)
    }

    /// How many are wanted.
    pub(crate) fn limit(&mut self, usual: u32, most: u32) -> Result<u32, Problem> {
        Ok(self.limit_if_said(most)?.unwrap_or(usual))
    }

    /// The same where something else decides if nothing is said.
    pub(crate) fn limit_if_said(&mut self, most: u32) -> Result<Option<u32>, Problem> {
        let Some(given) = self.take::<String>("limit")? else { return Ok(None) };
        let limit = given.parse::<serde_json::Number>().ok().and_then(|number| whole(&number));
        let limit = limit.and_then(|limit| u32::try_from(limit).ok());
        let limit = limit.filter(|limit| (1..=most).contains(limit)).ok_or_else(|| {
            let given = cut(&given);
            Problem::invalid(format!("`limit`: {given:?} is no whole number from 1 to {most}"))
        })?;
        Ok(Some(limit))
    }

    /// Refuses parameters that nobody took.
    pub(crate) fn end(self) -> Result<(), Problem> {
        let Some(name) = self.given.keys().next() else { return Ok(()) };
        let problem = Problem::invalid(format!("there is no parameter `{}`", cut(name)));
        if self.known.is_empty() {
            return Err(problem);
        }
        Err(problem.hint(format!("there are: {}", self.known.join(", "))))
    }
}

/// Names within the path.
pub(crate) struct At<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for At<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(names)) => Ok(Self(names)),
            Err(error) => Err(Problem::invalid(format!("the path: {error}"))),
        }
    }
}

/// A number that is whole, also if it is written as 60.0. One larger than any that we count to is the largest.
pub(crate) fn whole(number: &serde_json::Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0)?;
        Some(format!("{float:.0}").parse().unwrap_or(u64::MAX))
    })
}

/// A serde error about a part, without where in that part it is.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words);
    // As people call them.
    [("expected f64", "expected a number"), ("expected u64", "expected a whole number")]
        .iter()
        .fold(words.to_owned(), |words, (from, to)| words.replace(from, to))
}

/// What somebody sent, short enough to be sent back.
pub(crate) fn cut(given: &str) -> String {
    given.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &str) -> Result<Fields, String> {
        Fields::read(&HeaderMap::new(), body.as_bytes()).map_err(|problem| format!("{problem:?}"))
    }

    #[test]
    fn a_mistake_names_its_field() {
        let mut given = fields(r#"{"code": 5, "cod": "x"}"#).unwrap();
        let wrong = format!("{:?}", given.need::<String>("code").unwrap_err());
        assert!(wrong.contains("`code`: invalid type: integer `5`, expected a string"), "{wrong}");
        let unknown = format!("{:?}", given.end().unwrap_err());
        assert!(unknown.contains("there is no field `cod`"), "{unknown}");
    }

    #[test]
    fn broken_json_says_where() {
        let broken = fields("{\n  \"code\": }").err().unwrap();
        assert!(broken.contains("invalid_json"), "{broken}");
        assert!(broken.contains("line 2 column 11"), "{broken}");
        let list = fields("[]").err().unwrap();
        assert!(list.contains("must be a JSON object"), "{list}");
    }

    #[test]
    fn whole_numbers_may_be_written_as_fractions() {
        let mut given = fields(r#"{"a": 5.0, "b": 5.5, "c": 0}"#).unwrap();
        assert_eq!(given.count("a").unwrap(), Some(5));
        assert!(given.count("b").is_err() && given.count("c").is_err());
        let huge = serde_json::from_str("100000000000000000000000").unwrap();
        assert_eq!(whole(&huge), Some(u64::MAX));
    }
}
