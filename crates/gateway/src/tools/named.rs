//! A call in the names that its server has, whatever the program called it.
//!
//! A program may write `servers.up.write`, `call_mcp_tool("mcp__up__write")` or what another language
//! makes of it. Whoever has to know whether a call was made before compares what they all mean.

use std::borrow::Cow;

use catalog::CatalogTool;
use engine::HostCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::Offer;

/// The host call that calls a tool.
pub(crate) const CALL: &str = "$call";

/// A call as a program spells it.
#[derive(Deserialize)]
struct Spelled<'call> {
    #[serde(borrow, default)]
    server: Option<Cow<'call, str>>,
    #[serde(borrow)]
    tool: Cow<'call, str>,
    #[serde(borrow, default)]
    arguments: Option<&'call RawValue>,
}

/// The same as it is written down.
#[derive(Serialize)]
struct Meant<'call> {
    server: &'call str,
    tool: &'call str,
    arguments: &'call RawValue,
}

impl Offer {
    /// A call in the names that its server has. One of a tool that nobody knows stays as it is.
    pub(crate) fn named<'call>(&self, call: &'call HostCall) -> Cow<'call, HostCall> {
        let arguments = if call.name == CALL { self.meant(&call.arguments) } else { None };
        match arguments {
            Some(arguments) => Cow::Owned(HostCall { arguments, ..call.clone() }),
            None => Cow::Borrowed(call),
        }
    }

    /// What a call means; `None` if that is what it says.
    fn meant(&self, call: &RawValue) -> Option<Box<RawValue>> {
        let spelled: Spelled<'_> = serde_json::from_str(call.get()).ok()?;
        let catalog = self.widest();
        let tool = catalog.resolve(spelled.server.as_deref(), &spelled.tool).ok()?;
        let given = spelled.arguments.filter(|given| given.get() != "null");
        let fitting = match given {
            Some(given) => fitting(tool, given),
            None => RawValue::from_string("{}".to_owned()).ok(),
        };
        let (server, name) = (tool.server().0.as_str(), tool.name().0.as_str());
        let is_meant = spelled.server.as_deref() == Some(server) && spelled.tool == name;
        if is_meant && fitting.is_none() {
            return None;
        }
        let arguments = fitting.as_deref().or(given)?;
        to_raw_value(&Meant { server, tool: name, arguments }).ok()
    }
}

/// The arguments that are sent; `None` if they are those that were given. Only what is `null` and may
/// not be is left out.
fn fitting(tool: &CatalogTool, given: &RawValue) -> Option<Box<RawValue>> {
    if !given.get().contains("null") {
        return None;
    }
    let given: Value = serde_json::from_str(given.get()).ok()?;
    match tool.check(&given) {
        Ok(Cow::Owned(sent)) => to_raw_value(&sent).ok(),
        _ => None,
    }
}
