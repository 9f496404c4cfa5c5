//! A whole service, from the document to the answer.

mod answers;
mod connecting;
mod kennel;
mod large;
mod nasty;
mod requests;
pub(crate) mod service;

use catalog::{ServerName, Tool, ToolName};
use serde_json::{Map, Value};
use url::Url;

use super::base::Place;
use super::plan::{Plan, plan};
use super::request::Outgoing;

/// Reads a document whose service is at `https://api.example/v1`.
fn planned(document: &Value) -> Plan {
    planned_text(&document.to_string()).unwrap()
}

fn planned_text(text: &str) -> Result<Plan, String> {
    let base = Url::parse("https://api.example/v1").unwrap();
    let place = Place { base_url: Some(&base), document_url: None, has_headers: false };
    plan(&ServerName("api".to_owned()), text, place, &http::HeaderMap::new())
        .map_err(|problem| problem.to_string())
}

impl Plan {
    fn tool(&self, name: &str) -> &Tool {
        let found = self.listing.tools.iter().find(|tool| tool.name.0 == name);
        found.unwrap_or_else(|| panic!("there is no {name}, only {:?}", self.names()))
    }

    fn names(&self) -> Vec<&str> {
        self.listing.tools.iter().map(|tool| tool.name.0.as_str()).collect()
    }

    /// The request for a call, or why there is none.
    fn request(&self, tool: &str, arguments: Value) -> String {
        match self.operations[&ToolName(tool.to_owned())].request(object(arguments)) {
            Ok(outgoing) => shown(&outgoing),
            Err(invalid) => invalid.to_string(),
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("arguments are an object, not {value}") };
    map
}

fn shown(outgoing: &Outgoing) -> String {
    let first = format!("{} {}", outgoing.method, outgoing.url);
    let headers = outgoing
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())));
    let body = outgoing
        .body
        .as_deref()
        .map(|body| format!("\n{}", String::from_utf8_lossy(body).replace('\r', "")));
    std::iter::once(first).chain(headers).chain(body).collect::<Vec<_>>().join("\n")
}
