//! Where a service is: its `servers`, or what the operator says instead.

use serde_json::Value;
use url::Url;

use super::document::{Document, shortened};

/// Why it is not clear where to send requests.
#[derive(Debug, thiserror::Error)]
pub(super) enum BaseProblem {
    #[error("{0} is not an http or https address (setting `base-url`)")]
    NotHttp(String),
    #[error("the document does not say where the service is{0}; set `base-url`")]
    Nowhere(String),
    #[error(
        "the document comes from {document} and names {server} as the service; since `headers` would be sent there, confirm it by setting `base-url`"
    )]
    OtherOrigin { document: String, server: String },
}

/// An operation whose `servers` are all at another origin than the service itself.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is at {address} and not at {base}, and requests go to one host only; \
     a server of its own, with the same document and `base-url = {address:?}`, offers it"
)]
pub(super) struct Elsewhere {
    address: String,
    base: String,
}

/// What the operator says about a service's place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'s> {
    /// Overrides the document.
    pub(super) base_url: Option<&'s Url>,
    /// Where the document came from.
    pub(super) document_url: Option<&'s Url>,
    /// Requests carry configured headers, which may be secrets.
    pub(super) has_headers: bool,
}

impl Place<'_> {
    /// The address in front of every path.
    pub(super) fn base(self, document: &Document) -> Result<Url, BaseProblem> {
        if let Some(url) = self.base_url {
            let is_usable = is_http(url);
            return if is_usable {
                Ok(without_fragment(url.clone()))
            } else {
                Err(BaseProblem::NotHttp(shown(url)))
            };
        }
        let listed = servers(document.get("servers"));
        let named = if listed.is_empty() { first_below(document) } else { listed };
        let mut candidates = named.iter().map(|server| expanded(server));
        let found = if named.is_empty() {
            self.document_url.and_then(|url| url.join("/").ok())
        } else {
            candidates.find_map(|server| self.absolute(&server))
        };
        let Some(base) = found.map(without_credentials) else {
            let said: Vec<String> =
                named.iter().map(|server| shortened(&expanded(server), 100)).collect();
            let said = if said.is_empty() {
                String::new()
            } else {
                format!(" (only {})", said.join(", "))
            };
            return Err(BaseProblem::Nowhere(shortened(&said, 400)));
        };
        match self.document_url {
            Some(url) if self.has_headers && url.origin() != base.origin() => {
                Err(BaseProblem::OtherOrigin { document: shown(url), server: shown(&base) })
            }
            _ => Ok(base),
        }
    }

    /// The address for an operation that has `servers` of its own. They may all be elsewhere, but
    /// requests go to one origin only, the one the operator knows of.
    pub(super) fn special(self, base: &Url, list: Option<&Value>) -> Result<Url, Elsewhere> {
        let named = servers(list);
        if self.base_url.is_some() || named.is_empty() {
            return Ok(base.clone());
        }
        let addresses = named.iter().filter_map(|server| {
            let server = expanded(server);
            self.absolute(&server).or_else(|| base.join(&server).ok())
        });
        let addresses: Vec<Url> = addresses.collect();
        let here = addresses.iter().find(|url| url.origin() == base.origin());
        here.cloned().map(without_credentials).ok_or_else(|| Elsewhere {
            address: addresses.first().map(|url| shortened(&shown(url), 200)).unwrap_or_default(),
            base: shown(base),
        })
    }

    fn absolute(self, server: &str) -> Option<Url> {
        let url = match self.document_url {
            Some(document) => document.join(server).ok()?,
            None => Url::parse(server).ok()?,
        };
        is_http(&url).then_some(url)
    }
}

/// An address without what may be secret in it.
pub(super) fn shown(url: &Url) -> String {
    let mut url = without_credentials(url.clone());
    url.set_query(None);
    url.to_string()
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

fn without_credentials(url: Url) -> Url {
    let mut url = without_fragment(url);
    // Both fail only for addresses without a host, which have no credentials either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

fn servers(list: Option<&Value>) -> Vec<&Value> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter(|server| server.get("url").is_some_and(Value::is_string)).take(20).collect()
}

/// The first `servers` of any path: some documents say it there only.
fn first_below(document: &Document) -> Vec<&Value> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let below = paths.flat_map(|(_, item)| {
        let operations =
            item.as_object().into_iter().flatten().map(|(_, operation)| operation.get("servers"));
        std::iter::once(item.get("servers")).chain(operations)
    });
    below.map(servers).find(|list| !list.is_empty()).unwrap_or_default()
}

/// A server's address with the defaults of its variables.
fn expanded(server: &Value) -> String {
    let template = server.get("url").and_then(Value::as_str).unwrap_or_default();
    let mut address = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        let variable = server.get("variables").and_then(|variables| variables.get(name));
        let default = variable
            .and_then(|variable| variable.get("default").or_else(|| variable.get("enum")?.get(0)));
        address.push_str(before);
        match default {
            Some(Value::String(text)) => address.push_str(text),
            // A port written without quotes.
            Some(Value::Number(number)) => address.push_str(&number.to_string()),
            _ => address.extend(["{", name, "}"]),
        }
        rest = after;
    }
    address + rest
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    #[test]
    fn servers_are_found_wherever_the_document_names_them() {
        let cases = [
            (r#"{"servers":[{"url":"https://api.example/v1"}]}"#, None),
            (r#"{"servers":[{"url":"/v2"}]}"#, Some("https://docs.example/spec/openapi.json")),
            (r#"{"servers":[{"url":"v2/"}]}"#, Some("https://docs.example/spec/openapi.json")),
            ("{}", Some("https://docs.example/spec/openapi.json")),
            (r#"{"servers":[]}"#, None),
            (r#"{"servers":[{"url":"/v2"}]}"#, None),
            (r#"{"servers":[{"url":"ftp://x/"},{"url":"http://user:pw@y.example/#z"}]}"#, None),
            (
                r#"{"servers":[{"url":"https://{region}.example:{port}/{path}","variables":{"region":{"default":"eu"},"port":{"enum":["8443"]},"path":{"default":"a/b"}}}]}"#,
                None,
            ),
            (r#"{"paths":{"/a":{"get":{"servers":[{"url":"https://deep.example"}]}}}}"#, None),
        ];
        let lines: Vec<String> = cases
            .iter()
            .map(|(document, url)| {
                format!("{document} {} -> {}", url.unwrap_or("-"), base(document, *url, false))
            })
            .collect();
        assert_snapshot!(lines.join("\n"), @r#"
        {"servers":[{"url":"https://api.example/v1"}]} - -> https://api.example/v1
        {"servers":[{"url":"/v2"}]} https://docs.example/spec/openapi.json -> https://docs.example/v2
        {"servers":[{"url":"v2/"}]} https://docs.example/spec/openapi.json -> https://docs.example/spec/v2/
        {} https://docs.example/spec/openapi.json -> https://docs.example/
        {"servers":[]} - -> the document does not say where the service is; set `base-url`
        {"servers":[{"url":"/v2"}]} - -> the document does not say where the service is (only /v2); set `base-url`
        {"servers":[{"url":"ftp://x/"},{"url":"http://user:pw@y.example/#z"}]} - -> http://y.example/
        {"servers":[{"url":"https://{region}.example:{port}/{path}","variables":{"region":{"default":"eu"},"port":{"enum":["8443"]},"path":{"default":"a/b"}}}]} - -> https://eu.example:8443/a/b
        {"paths":{"/a":{"get":{"servers":[{"url":"https://deep.example"}]}}}} - -> https://deep.example/
        "#);
    }

    #[test]
    fn configured_headers_do_not_follow_a_document_to_another_host() {
        let elsewhere = r#"{"servers":[{"url":"https://evil.example/"}]}"#;
        assert_snapshot!(base(elsewhere, Some("https://docs.example/openapi.json"), true), @"the document comes from https://docs.example/openapi.json and names https://evil.example/ as the service; since `headers` would be sent there, confirm it by setting `base-url`");
        let same = r#"{"servers":[{"url":"https://docs.example/api"}]}"#;
        assert_snapshot!(base(same, Some("https://docs.example/openapi.json"), true), @"https://docs.example/api");
    }

    #[test]
    fn an_operation_keeps_to_the_origin() {
        let base = Url::parse("https://api.example/v1").unwrap();
        let place = Place { base_url: None, document_url: None, has_headers: false };
        let special = |list| {
            place
                .special(&base, Some(&serde_json::from_str(list).unwrap()))
                .map_or_else(|elsewhere| elsewhere.to_string(), String::from)
        };
        assert_eq!(special("[]"), "https://api.example/v1");
        assert_eq!(special(r#"[{"url":"https://api.example/v2"}]"#), "https://api.example/v2");
        assert_eq!(special(r#"[{"url":"/v3"}]"#), "https://api.example/v3");
        assert_snapshot!(
            special(r#"[{"url":"https://me:pw@api.example:444/v2"},{"url":"http://127.0.0.1/"}]"#),
            @r#"it is at https://api.example:444/v2 and not at https://api.example/v1, and requests go to one host only; a server of its own, with the same document and `base-url = "https://api.example:444/v2"`, offers it"#
        );
    }

    fn base(document: &str, document_url: Option<&str>, has_headers: bool) -> String {
        let mut value: Value = serde_json::from_str(document).unwrap();
        value["openapi"] = "3.1.0".into();
        let document = Document::parse(&value.to_string()).unwrap();
        let document_url = document_url.map(|url| Url::parse(url).unwrap());
        let place = Place { base_url: None, document_url: document_url.as_ref(), has_headers };
        place.base(&document).map_or_else(|problem| problem.to_string(), String::from)
    }
}
