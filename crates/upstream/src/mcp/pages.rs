//! Lists that come in pages.
//!
//! A server decides how many pages there are, so there is an end to how many are asked for, how
//! much they may hold together, and how often the same page may come.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, PaginatedRequestParams, RequestOptionalParam};
use serde_json::Value;

use super::McpConnection;
use crate::error::CallFailure;
use crate::feed::NoteKind;
use catalog::ToolName;

/// Pages of one list.
const PAGES: usize = 1_000;
/// Entries of one list.
const ENTRIES: usize = 10_000;

/// The lists of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl Kind {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
            Self::Prompts => "prompts/list",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    fn request(self, cursor: Option<String>) -> ClientRequest {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        match self {
            Self::Tools => ClientRequest::ListToolsRequest(RequestOptionalParam::with_param(page)),
            Self::Resources => {
                ClientRequest::ListResourcesRequest(RequestOptionalParam::with_param(page))
            }
            Self::Templates => {
                ClientRequest::ListResourceTemplatesRequest(RequestOptionalParam::with_param(page))
            }
            Self::Prompts => {
                ClientRequest::ListPromptsRequest(RequestOptionalParam::with_param(page))
            }
        }
    }
}

impl McpConnection {
    /// All entries of a list.
    pub(super) async fn pages(&self, kind: Kind) -> Result<Vec<Value>, CallFailure> {
        let mut entries = Vec::new();
        let mut bytes = 0;
        let mut seen = HashSet::new();
        let mut cursor = None;
        for _ in 0..PAGES {
            let mut page = self.ask(kind.method(), kind.request(cursor)).await?;
            let Some(Value::Array(found)) = page.get_mut(kind.key()).map(Value::take) else {
                return Err(self
                    .broken(kind.method(), &format!("the answer has no list of {}", kind.key())));
            };
            bytes += found.iter().map(size).sum::<usize>();
            if bytes > self.answer_bytes {
                let (server, tool) = (self.server.clone(), ToolName(kind.method().to_owned()));
                return Err(CallFailure::TooLarge { server, tool, allowed: self.answer_bytes });
            }
            entries.extend(found);
            if entries.len() > ENTRIES {
                self.cut(kind, &format!("more than {ENTRIES} entries; the rest is left out"));
                entries.truncate(ENTRIES);
                return Ok(entries);
            }
            match page.get("nextCursor").and_then(Value::as_str).filter(|next| !next.is_empty()) {
                None => return Ok(entries),
                Some(next) if !seen.insert(next.to_owned()) => {
                    self.cut(
                        kind,
                        "a page that leads back to itself; what came until then is used",
                    );
                    return Ok(entries);
                }
                Some(next) => cursor = Some(next.to_owned()),
            }
        }
        self.cut(kind, &format!("more than {PAGES} pages; the rest is left out"));
        Ok(entries)
    }

    fn cut(&self, kind: Kind, what: &str) {
        self.feed.note(NoteKind::Noticed, &format!("its list of {} has {what}", kind.key()));
    }
}

/// About how many bytes a value is.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| key.len() + size(value) + 4).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}
