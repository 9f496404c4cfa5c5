//! An `OpenAPI` document: text in, JSON with resolvable references out.
//!
//! A reference is only ever followed inside the document. One that points elsewhere is reported
//! as [`Unresolved::Remote`] and never fetched: a document may not make us open connections.

use std::time::Duration;

use futures_util::StreamExt as _;
use http::HeaderMap;
use http::header::ACCEPT;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use url::Url;

use super::answer;

/// Bytes a document may have.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// References that may point to references, one after the other.
const MOST_HOPS: usize = 16;

/// Why a text is not a document we can use.
#[derive(Debug, thiserror::Error)]
pub(super) enum DocumentProblem {
    #[error("the document is larger than {} MB", MOST_BYTES >> 20)]
    TooLarge,
    #[error("the document is not UTF-8 text")]
    NotText,
    #[error(
        "this is a page of HTML, not an OpenAPI document; give the address of the JSON or YAML itself"
    )]
    Html,
    #[error("the document is not valid JSON: {0}")]
    Json(serde_json::Error),
    #[error("the document is neither JSON nor valid YAML: {0}")]
    Yaml(String),
    #[error(
        "this is a Swagger {0} document; only OpenAPI 3 is read, so convert it first (many tools do)"
    )]
    Swagger(String),
    #[error(
        "this is no OpenAPI document: the key `openapi` with a version such as \"3.1.0\" is missing"
    )]
    NoVersion,
    #[error("OpenAPI version {0:?} is not known; versions 3.0 and 3.1 are")]
    OtherVersion(String),
    #[error("the document could not be fetched: {0}")]
    Unreachable(String),
    #[error("the document could not be fetched: HTTP {0}")]
    Status(http::StatusCode),
    #[error("fetching the document took longer than {} s (setting `connect-timeout`)", .0.as_secs_f64())]
    Late(Duration),
}

/// Which rules its schemas follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `OpenAPI` 3.0: its own variation of an early JSON Schema.
    V30,
    /// `OpenAPI` 3.1 and later: JSON Schema 2020-12.
    V31,
}

/// Why a reference leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unresolved {
    #[error("`{0}` is outside the document, and other documents are not fetched")]
    Remote(String),
    #[error("`{0}` is not in the document")]
    Missing(String),
    #[error("`{0}` refers to itself")]
    Circular(String),
}

/// A document, parsed.
#[derive(Debug)]
pub(super) struct Document {
    root: Value,
    dialect: Dialect,
}

impl Document {
    /// Reads JSON or YAML, whichever the text is.
    pub(super) fn parse(text: &str) -> Result<Self, DocumentProblem> {
        if text.len() > MOST_BYTES {
            return Err(DocumentProblem::TooLarge);
        }
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let root = match text.as_bytes().first() {
            Some(b'<') => return Err(DocumentProblem::Html),
            // A flow mapping of YAML begins the same way, so both get a try.
            Some(b'{') => serde_json::from_str(text)
                .or_else(|error| yaml(text).map_err(|_| DocumentProblem::Json(error)))?,
            _ => yaml(text).map_err(DocumentProblem::Yaml)?,
        };
        Self::from_json(root)
    }

    fn from_json(root: Value) -> Result<Self, DocumentProblem> {
        if let Some(version) = root.get("swagger") {
            return Err(DocumentProblem::Swagger(plain(version)));
        }
        // YAML authors forget the quotes, and then `3.1` is a number.
        let version = root.get("openapi").map(plain).ok_or(DocumentProblem::NoVersion)?;
        let dialect = match version.trim().split('.').next().zip(version.trim().split('.').nth(1)) {
            Some(("3", "0")) => Dialect::V30,
            Some(("3", minor)) if minor.parse::<u8>().is_ok() => Dialect::V31,
            _ => return Err(DocumentProblem::OtherVersion(shortened(&version, 40))),
        };
        Ok(Self { root, dialect })
    }

    /// Which rules its schemas follow.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// A key of the root.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.root.get(key)
    }

    /// What a reference points at.
    pub(super) fn at(&self, reference: &str) -> Result<&Value, Unresolved> {
        let shown = || shortened(reference, 200);
        let pointer = reference.strip_prefix('#').ok_or_else(|| Unresolved::Remote(shown()))?;
        let pointer = percent_decode_str(pointer).decode_utf8_lossy();
        let found = if pointer.is_empty() { None } else { self.root.pointer(&pointer) };
        found.ok_or_else(|| Unresolved::Missing(shown()))
    }

    /// What a reference to a schema leads to in the end, and the reference that says so.
    pub(super) fn schema_at<'a>(
        &'a self,
        mut name: &'a str,
    ) -> Result<(&'a str, &'a Value), Unresolved> {
        for _ in 0..MOST_HOPS {
            let schema = self.at(name)?;
            match reference(schema) {
                // In the newer dialect a reference may have something to add, and is then a
                // schema of its own.
                Some(next) if self.dialect == Dialect::V30 || is_bare(schema) => name = next,
                _ => return Ok((name, schema)),
            }
        }
        Err(Unresolved::Circular(shortened(name, 200)))
    }

    /// The value itself, or what its `$ref` leads to in the end.
    pub(super) fn resolve<'a>(&'a self, mut value: &'a Value) -> Result<&'a Value, Unresolved> {
        for _ in 0..MOST_HOPS {
            let Some(reference) = reference(value) else { return Ok(value) };
            value = self.at(reference)?;
        }
        Err(Unresolved::Circular(
            reference(value).map_or_else(String::new, |found| shortened(found, 200)),
        ))
    }
}

/// The reference a value consists of.
pub(super) fn reference(value: &Value) -> Option<&str> {
    value.as_object()?.get("$ref")?.as_str()
}

fn is_bare(schema: &Value) -> bool {
    schema.as_object().is_some_and(|object| object.len() == 1)
}

/// Fetches a document, and no more of it than is allowed.
pub(super) async fn fetch(
    http: &reqwest::Client,
    url: &Url,
    headers: HeaderMap,
    allowed: Duration,
) -> Result<String, DocumentProblem> {
    let whole = async {
        let accept = "application/json, application/yaml, */*;q=0.5";
        // The configured headers come last, so that they win over ours.
        let request = http.get(url.clone()).header(ACCEPT, accept).headers(headers);
        let response = request.send().await.map_err(unreachable)?;
        if !response.status().is_success() {
            return Err(DocumentProblem::Status(response.status()));
        }
        let mut bytes = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(unreachable)?;
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(DocumentProblem::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        String::from_utf8(bytes).map_err(|_| DocumentProblem::NotText)
    };
    tokio::time::timeout(allowed, whole).await.unwrap_or(Err(DocumentProblem::Late(allowed)))
}

fn unreachable(error: reqwest::Error) -> DocumentProblem {
    DocumentProblem::Unreachable(answer::reason(error))
}

/// YAML 1.2: `no` is the word no, and a country, but not `false`.
fn yaml(text: &str) -> Result<Value, String> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 20_000_000,
            max_nodes: 10_000_000,
            max_depth: 128,
            max_documents: 1,
        },
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| shortened(&error.to_string(), 400))
}

/// A scalar as text, without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// At most so many bytes of a text, and a sign that there were more.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)])
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    #[test]
    fn json_and_yaml_give_the_same_document() {
        let yaml = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: no}\n";
        let json = r#"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"no"}}}}}}"#;
        let (yaml, json) = (Document::parse(yaml).unwrap(), Document::parse(json).unwrap());
        assert_eq!(yaml.root, json.root);
        assert_eq!(yaml.dialect, Dialect::V30);
    }

    #[test]
    fn a_version_without_quotes_is_understood() {
        assert_eq!(Document::parse("openapi: 3.1\n").unwrap().dialect, Dialect::V31);
        assert_eq!(Document::parse("\u{feff}{openapi: 3.1.1}").unwrap().dialect, Dialect::V31);
    }

    #[test]
    fn what_is_no_openapi_document_is_refused_with_the_reason() {
        let texts = [
            r#"{"swagger":"2.0","paths":{}}"#,
            "swagger: 2.0\n",
            "<!doctype html><title>Docs</title>",
            "hello",
            "",
            "openapi: 4.0.0\n",
            "openapi: [3]\n",
            r#"{"openapi": "3.0.0", "#,
            "a: b: c\n",
        ];
        let answers: Vec<String> =
            texts.iter().map(|text| Document::parse(text).unwrap_err().to_string()).collect();
        assert_snapshot!(answers.join("\n"), @r#"
        this is a Swagger 2.0 document; only OpenAPI 3 is read, so convert it first (many tools do)
        this is a Swagger 2.0 document; only OpenAPI 3 is read, so convert it first (many tools do)
        this is a page of HTML, not an OpenAPI document; give the address of the JSON or YAML itself
        this is no OpenAPI document: the key `openapi` with a version such as "3.1.0" is missing
        this is no OpenAPI document: the key `openapi` with a version such as "3.1.0" is missing
        OpenAPI version "4.0.0" is not known; versions 3.0 and 3.1 are
        OpenAPI version "[3]" is not known; versions 3.0 and 3.1 are
        the document is not valid JSON: EOF while parsing a value at line 1 column 21
        the document is neither JSON nor valid YAML: mapping values are not allowed in this context at line 1, column 5
        "#);
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let line = |level: usize| {
            let inner = vec![format!("*a{}", level - 1); 10].join(", ");
            format!("a{level}: &a{level} [{inner}]")
        };
        let mut lines = vec!["openapi: 3.0.0".to_owned(), "a0: &a0 [x, x, x, x]".to_owned()];
        lines.extend((1..12).map(line));
        let text = lines.join("\n");
        assert!(matches!(Document::parse(&text), Err(DocumentProblem::Yaml(_))));
    }

    #[test]
    fn references_stay_inside_the_document() {
        let document = Document::parse(
            r##"{"openapi":"3.1.0","a/b":{"c d":1},"x":{"$ref":"#/y"},"y":{"$ref":"#/x"},"z":{"$ref":"#/a~1b"}}"##,
        )
        .unwrap();
        assert_eq!(document.at("#/a~1b/c%20d").unwrap(), 1);
        assert!(document.resolve(document.get("z").unwrap()).unwrap().get("c d").is_some());
        let circular = document.resolve(document.get("x").unwrap());
        assert!(matches!(circular, Err(Unresolved::Circular(_))));
        for outside in ["https://other.example/x.json#/y", "other.yaml", "other.yaml#/y"] {
            assert!(matches!(document.at(outside), Err(Unresolved::Remote(_))), "{outside}");
        }
        for missing in ["#", "#/nothing", "#anchor"] {
            assert!(matches!(document.at(missing), Err(Unresolved::Missing(_))), "{missing}");
        }
    }
}
