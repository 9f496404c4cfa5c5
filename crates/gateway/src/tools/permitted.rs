//! Whether what a program wants of a server may be done: as rules look at it, and as it was approved.

use catalog::{CatalogTool, Listing, ServerName};
use engine::CallError;
use serde_json::{Map, Value};
use upstream::before_leaving;

use super::offer::{Asked, Offer, fault};
use crate::behalf::Behalf;
use crate::besides;
use crate::effects::Said;
use crate::judge::{NOT_APPROVED, Wish};

impl Offer {
    /// Comes back when rules let a tool be called, and its answer be read.
    pub(super) async fn permitted(
        &self,
        tool: &CatalogTool,
        (arguments, shown): (&Map<String, Value>, &Map<String, Value>),
        behalf: &Behalf,
    ) -> Result<(), CallError> {
        let said = self.tools.said(tool.server(), tool.tool());
        let wish = Wish { shown, ..wish((tool, &said), arguments, behalf) };
        let before = self.tools.upstreams.known_listing(tool.server());
        if self.tools.judge.permit(&wish).await? {
            self.is_as_approved(tool, before.as_deref()).await?;
        }
        self.tools.judge.has_read(behalf, &wish.name()).await
    }

    /// Refuses a call that somebody has approved when the tool has become another one since it was asked
    /// about.
    async fn is_as_approved(
        &self,
        tool: &CatalogTool,
        before: Option<&Listing>,
    ) -> Result<(), CallError> {
        self.tools.confirm(tool).await?;
        let now = self.tools.upstreams.known_listing(tool.server());
        let (Some(before), Some(now)) = (before, now) else { return Ok(()) };
        let of = |listing: &Listing| {
            listing.tools.iter().find(|listed| listed.name == *tool.name()).cloned()
        };
        if of(before) == of(&now) {
            return Ok(());
        }
        let name = format!("{}.{}", tool.server(), tool.name());
        Err(fault(
            NOT_APPROVED,
            format!(
                "{name} was not called: its server has changed what it says of the tool since somebody was asked about the call. Call it again, and the question is asked again"
            ),
        ))
    }

    /// The same of what a server has besides tools, which only reads.
    pub(super) async fn may_read(
        &self,
        server: &ServerName,
        what: &str,
        asked: &Asked,
        behalf: &Behalf,
    ) -> Result<(), CallError> {
        let (cover, shown) = (self.cover(server, None, behalf), asked.all());
        // As it is called where the values are put back for the server.
        let named = asked.name.as_deref().filter(|_| what == "$prompt").unwrap_or(what);
        let tool = format!("{server}.{named}");
        let given = cover.take_off(&tool, Value::Object(shown.clone()));
        let values = before_leaving(given).await.map_err(|error| error.before())?;
        let values = values.as_object().cloned().unwrap_or_default();
        let wish = Wish { shown: &shown, ..reading(server, what, &values, behalf) };
        self.tools.judge.permit(&wish).await?;
        self.tools.judge.has_read(behalf, &wish.name()).await
    }
}

/// A call as rules look at it.
pub(super) fn wish<'a>(
    (tool, said): (&'a CatalogTool, &'a Said<'_>),
    arguments: &'a Map<String, Value>,
    behalf: &'a Behalf,
) -> Wish<'a> {
    Wish {
        behalf,
        server: &tool.server().0,
        tool: &tool.name().0,
        annotations: &said.annotations,
        is_trusted: said.is_believed,
        arguments,
        shown: arguments,
    }
}

/// Somebody wants to read what a server has besides tools: `server.$resource`.
pub(crate) fn reading<'a>(
    server: &'a ServerName,
    what: &'a str,
    arguments: &'a Map<String, Value>,
    behalf: &'a Behalf,
) -> Wish<'a> {
    let (annotations, is_trusted) = (&besides::READS, true);
    let (server, tool, shown) = (&server.0, what, arguments);
    Wish { behalf, server, tool, annotations, is_trusted, arguments, shown }
}
