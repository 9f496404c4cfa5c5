//! `tidegate tools learn` and `forget`: types of results, learned on purpose and thrown away.
//!
//! Learning calls tools, so it is careful about which. A server's word that a tool changes
//! nothing counts when the operator trusts the server or names it here; any other tool is called
//! only when it is named itself, with `--yes`.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use catalog::schema::{Field, Shape};
use catalog::{Catalog, CatalogTool, ServerName, ToolName};
use clap::Args;
use gateway::Tools;
use serde_json::{Map, Value};

use super::known;
use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::gatekeeper::{self, ApproveOptions};
use crate::out::{self, BAD, DIM, GOOD};
use crate::show;

/// Options of `tidegate tools learn`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Only this server's tools, or this tool: `github`, `github.list_issues`.
    #[arg(value_name = "SERVER[.TOOL]")]
    what: Option<String>,
    /// Arguments for the tool, a JSON object; otherwise examples, defaults and first choices from
    /// its schema, where those are enough.
    #[arg(long, value_name = "JSON", requires = "what")]
    args: Option<String>,
    /// Call the named tool although its server does not say that it changes nothing.
    #[arg(long)]
    yes: bool,
}

/// What the command is about.
#[derive(Debug, PartialEq, Eq)]
enum What {
    All,
    Server(ServerName),
    Tool(ServerName, ToolName),
}

/// What came of one tool.
enum Came {
    /// So many results are known by now.
    Learned(u64),
    /// It was not called.
    Skipped(String),
    /// It was, and failed.
    Failed(String),
}

/// Runs `tidegate tools learn`.
pub(super) async fn run(
    config: &Config,
    tools: &Arc<Tools>,
    arguments: &Arguments,
) -> anyhow::Result<Ending> {
    let (catalog, what, mut ending) = find(tools, arguments.what.as_deref()).await?;
    let given = given(arguments.args.as_deref(), &what)?;
    if let (What::Tool(server, tool), true) = (&what, arguments.yes) {
        // Whoever names a tool and says yes has been asked about this call of it.
        let approved = ApproveOptions::only(&server.0, &tool.0);
        gatekeeper::employ(config, tools, &approved, false);
    }
    let (mut learned, mut skipped) = (0, 0);
    let mut alike: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for tool in catalog.tools().filter(|tool| what.means(tool)) {
        let arguments = may_call(tools, tool, &what, arguments.yes)
            .and_then(|()| given.clone().map_or_else(|| example(tool), Ok));
        let came = match arguments {
            Ok(arguments) => call(tools, tool, arguments).await,
            Err(reason) => Came::Skipped(reason),
        };
        match &came {
            Came::Learned(_) => learned += 1,
            Came::Skipped(_) => skipped += 1,
            Came::Failed(_) => ending = Ending::Raised,
        }
        match came {
            Came::Skipped(reason) if what == What::All => {
                *alike.entry((&tool.server().0, reason)).or_default() += 1;
            }
            came => tell(tools, tool, &came).context(show::LOST)?,
        }
    }
    for ((server, reason), count) in alike {
        let (server, reason) = (out::clean(server), out::clean(&reason));
        let tools = if count == 1 { "1 tool" } else { &format!("{count} tools") };
        out::line(format_args!("{DIM}{server}: {tools} skipped: {reason}{DIM:#}"))
            .context(show::LOST)?;
    }
    out::tell(format_args!("{DIM}learned about {learned}, skipped {skipped}{DIM:#}"));
    // Who names one tool wants that one called.
    let refused = skipped > 0 && matches!(what, What::Tool(..));
    Ok(if refused { Ending::Raised } else { ending })
}

/// Runs `tidegate tools forget`.
pub(super) async fn forget(tools: &Arc<Tools>, what: &str) -> anyhow::Result<Ending> {
    let server = tools.names().into_iter().find(|name| name.0 == what);
    let count = if let Some(server) = server {
        tools.forget_learned(&server, None)?
    } else {
        // A server need not run to be forgotten about.
        let mut catalog = tools.catalog();
        if catalog.resolve(None, what).is_err() {
            catalog = known(tools, None).await?.0;
        }
        let tool = catalog.resolve(None, what).map_err(|error| Misuse::error(error.to_string()))?;
        tools.forget_learned(tool.server(), Some(tool.name()))?
    };
    let said = match count {
        0 => "nothing had been learned".to_owned(),
        1 => "forgot what was learned about 1 tool".to_owned(),
        count => format!("forgot what was learned about {count} tools"),
    };
    out::line(said).context(show::LOST)?;
    Ok(Ending::Success)
}

/// Asks the servers that are meant what they offer, and finds what was named.
async fn find(
    tools: &Arc<Tools>,
    what: Option<&str>,
) -> anyhow::Result<(Arc<Catalog>, What, Ending)> {
    let server = what.filter(|what| tools.names().iter().any(|name| name.0 == **what));
    let (catalog, ending) = known(tools, server).await?;
    let what = match (server, what) {
        (Some(server), _) => What::Server(ServerName(server.to_owned())),
        (None, None) => What::All,
        (None, Some(what)) => {
            let tool =
                catalog.resolve(None, what).map_err(|error| Misuse::error(error.to_string()))?;
            What::Tool(tool.server().clone(), tool.name().clone())
        }
    };
    Ok((catalog, what, ending))
}

/// The arguments on the command line.
fn given(text: Option<&str>, what: &What) -> anyhow::Result<Option<Value>> {
    let Some(text) = text else { return Ok(None) };
    if !matches!(what, What::Tool(..)) {
        return Err(Misuse::error(
            "--args are for one tool; name it: `tidegate tools learn SERVER.TOOL --args JSON`",
        ));
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(Some(Value::Object(arguments))),
        Ok(_) => Err(Misuse::error(r#"--args wants a JSON object, such as {"query": "tide"}"#)),
        Err(error) => {
            Err(Misuse::error(format!("--args is not JSON ({error}); quote it for the shell")))
        }
    }
}

impl What {
    fn means(&self, tool: &CatalogTool) -> bool {
        match self {
            Self::All => true,
            Self::Server(server) => tool.server() == server,
            Self::Tool(server, name) => tool.server() == server && tool.name() == name,
        }
    }
}

/// Why a tool is not called, if so.
fn may_call(tools: &Tools, tool: &CatalogTool, what: &What, yes: bool) -> Result<(), String> {
    if tool.output().is_some() {
        return Err("its server says what it returns".to_owned());
    }
    if !tools.learns(tool.server()) {
        return Err("`learn = false` is set for its server".to_owned());
    }
    let named = matches!(what, What::Tool(..));
    if named && yes {
        return Ok(());
    }
    let said = tools.said(tool.server(), tool.tool());
    if said.annotations.read_only_hint != Some(true) {
        let advice = if named { "--yes calls it all the same" } else { "name it to call it" };
        let overruled = tool.tool().annotations.read_only_hint == Some(true);
        let who = if overruled {
            "the operator says that it changes something"
        } else {
            "its server does not say that it changes nothing"
        };
        return Err(format!("{who}; {advice}"));
    }
    if *what == What::All && !said.is_believed {
        return Err(format!(
            "only its server says that it changes nothing; `tidegate tools learn {}` takes its word, so do `trusted = true` and `read-only`",
            tool.server()
        ));
    }
    Ok(())
}

/// Arguments made of nothing but what the schema itself gives.
fn example(tool: &CatalogTool) -> Result<Value, String> {
    let input = tool.input();
    let fields = match &input.root {
        Shape::Object(index) => &input.definitions[*index].fields[..],
        Shape::Union(_) => {
            return Err("there are several ways to call it; choose one with --args".to_owned());
        }
        _ => &[],
    };
    let mut arguments = Map::new();
    for field in fields.iter().filter(|field| field.required) {
        let Some(value) = suggested(field) else {
            return Err(format!(
                "it needs `{}`, for which its schema has no example; give --args",
                field.name
            ));
        };
        arguments.insert(field.name.clone(), value);
    }
    let arguments = Value::Object(arguments);
    match tool.check(&arguments) {
        Ok(_) => Ok(arguments),
        Err(_) => Err("the examples in its schema do not fit it; give --args".to_owned()),
    }
}

fn suggested(field: &Field) -> Option<Value> {
    let default = field.default.as_ref().filter(|value| !value.is_null());
    let choice = match &field.shape {
        Shape::Literal(values) => values.first(),
        _ => None,
    };
    field.examples.first().or(default).or(choice).cloned()
}

async fn call(tools: &Arc<Tools>, tool: &CatalogTool, arguments: Value) -> Came {
    match tools.learn_from(tool, arguments).await {
        Ok(Some(learned)) => Came::Learned(learned.seen()),
        Ok(None) => Came::Skipped("its result was not looked at; try again".to_owned()),
        Err(error) => Came::Failed(error.message),
    }
}

fn tell(tools: &Tools, tool: &CatalogTool, came: &Came) -> std::io::Result<()> {
    let name = format!("{}.{}", tool.server(), tool.name());
    let name = out::clean(&name);
    match came {
        Came::Skipped(reason) => {
            out::line(format_args!("{DIM}{name}: skipped: {}{DIM:#}", out::clean(reason)))
        }
        Came::Failed(message) => {
            out::line(format_args!("{BAD}{name}: failed:{BAD:#} {}", out::clean(message)))
        }
        Came::Learned(seen) => {
            let results = if *seen == 1 { "1 result" } else { &format!("{seen} results") };
            out::line(format_args!("{GOOD}{name}: learned from {results}{GOOD:#}"))?;
            let catalog = tools.catalog();
            let now = catalog.resolve(Some(&tool.server().0), &tool.name().0);
            now.map_or(Ok(()), |now| {
                out::line(format_args!("    {}", out::clean(&bindings::signature(now))))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::Listing;
    use serde_json::json;

    use super::*;

    fn example_of(input: &Value) -> Result<Value, String> {
        let listing = json!({"server": "s", "tools": [{"name": "f", "inputSchema": input}]});
        let listing: Listing = serde_json::from_value(listing).unwrap();
        let catalog = Catalog::new(vec![Arc::new(listing)]);
        let tool = catalog.tools().next().unwrap();
        example(tool)
    }

    #[test]
    fn arguments_come_from_the_schema_or_not_at_all() {
        assert_eq!(example_of(&json!({"type": "object"})), Ok(json!({})));
        let enough = json!({
            "type": "object",
            "required": ["a", "b", "c"],
            "properties": {
                "a": {"type": "string", "examples": ["x"], "default": "y"},
                "b": {"type": "integer", "default": 3},
                "c": {"enum": ["low", "high"]},
                "d": {"type": "string", "default": "not sent"},
            },
        });
        assert_eq!(example_of(&enough), Ok(json!({"a": "x", "b": 3, "c": "low"})));
        let lacking = json!({"required": ["q"], "properties": {"q": {"type": "string"}}});
        assert!(example_of(&lacking).is_err_and(|reason| reason.contains("needs `q`")));
        let wrong =
            json!({"required": ["q"], "properties": {"q": {"type": "string", "examples": [1]}}});
        assert!(example_of(&wrong).is_err_and(|reason| reason.contains("do not fit")));
    }
}
