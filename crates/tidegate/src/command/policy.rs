//! `tidegate policy`: which rules there are, and which of them decides about a call.

use std::borrow::Cow;

use anyhow::Context as _;
use catalog::{Annotations, ToolName};
use clap::{Args, Subcommand};
use engine::Level;
use gateway::judge::{self, Wish};
use gateway::{Behalf, Effect, Said};
use policy::{Action, Verdict};
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::config::section::ServerSection;
use crate::exit::{Ending, Misuse};
use crate::{out, show};

/// Options of `tidegate policy`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say which rule decides about a call, and what it decides; nothing is called.
    Explain {
        /// The tool, as SERVER.TOOL.
        tool: String,
        /// Its arguments: a JSON object.
        #[arg(default_value = "{}", allow_hyphen_values = true)]
        arguments: String,
        /// On whose behalf.
        #[arg(long, default_value = "local")]
        owner: String,
        /// By an agent of this name.
        #[arg(long, default_value = "")]
        agent: String,
        /// In a session of this level.
        #[arg(long, default_value = "production")]
        level: String,
        /// In a session that has read from these tools.
        #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
        after: Vec<String>,
        /// Print a JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Print the rules in force, and what holds where none fits.
    Show,
}

/// Runs `tidegate policy`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    match arguments.action {
        Command::Explain { tool, arguments, owner, agent, level, after, json } => {
            let asked = Asked { tool, arguments, owner, agent, level, after };
            explain(config, &asked, json).await
        }
        Command::Show => print(config),
    }
}

struct Asked {
    tool: String,
    arguments: String,
    owner: String,
    agent: String,
    level: String,
    after: Vec<String>,
}

async fn explain(config: &Config, asked: &Asked, json: bool) -> anyhow::Result<Ending> {
    let policy = config.policy()?;
    let (server, tool) = asked.tool.split_once('.').ok_or_else(|| {
        Misuse::error(format!("{:?} names no tool; write SERVER.TOOL", asked.tool))
    })?;
    let arguments: Map<String, Value> = serde_json::from_str(&asked.arguments)
        .map_err(|error| Misuse::error(format!("the arguments are no JSON object: {error}")))?;
    let levels = [Level::Development, Level::Production, Level::Hardened];
    let level = levels.into_iter().find(|level| level.name() == asked.level).ok_or_else(|| {
        Misuse::error(format!(
            "there is no level {:?}; there are {}",
            asked.level,
            judge::LEVELS.join(", ")
        ))
    })?;
    let known = Known::of(config, server, tool).await?;
    let (owner, agent) = (asked.owner.clone(), asked.agent.clone());
    let behalf = Behalf { owner, agent, level, ..Behalf::default() };
    let annotations = known.counted();
    let (arguments, shown, is_trusted) = (&arguments, &arguments, known.is_believed());
    let wish = Wish { behalf: &behalf, server, tool, annotations, is_trusted, arguments, shown };
    let mut decision = judge::explain(&policy, &wish);
    if decision.verdict != Verdict::Deny {
        let seen = asked.after.iter().map(String::as_str);
        if let Some(flow) = policy.flow().decide(&seen, &wish.name()) {
            decision = decision.and(flow);
        }
    }
    if json {
        let text = serde_json::to_string(&json!({
            "tool": wish.name(),
            "decision": decision.verdict,
            "rule": decision.rule,
            "reason": decision.reason,
            "limits": decision.limits,
            "trusted": is_trusted,
            "annotations": annotations,
            "effect": known.effect().map(Effect::setting),
            "effect_by": known.by.as_ref().map(|(setting, _)| setting),
        }));
        out::line(text.context("could not write the decision as JSON")?).context(show::LOST)?;
    } else {
        tell(&wish.name(), &decision, &known).context(show::LOST)?;
    }
    Ok(Ending::Success)
}

fn tell(name: &str, decision: &policy::Decision, known: &Known) -> std::io::Result<()> {
    let verdict = match decision.verdict {
        Verdict::Allow => "allowed",
        Verdict::Deny => "denied",
        Verdict::Ask => "asked about",
    };
    let line = |text: String| out::line(out::clean(&text));
    line(format!("{name} is {verdict}"))?;
    line(format!("  by {}: {}", decision.rule, decision.reason))?;
    for limit in &decision.limits {
        line(format!("  at most {} {} ({})", limit.most, limit.per.setting(), limit.rule))?;
    }
    if !known.said.is_empty() {
        let said = serde_json::to_string(&known.said).unwrap_or_default();
        let trust = match &known.by {
            Some((setting, pattern)) => format!("overruled by `{setting}` with {pattern:?}"),
            None if known.is_trusted => "believed".to_owned(),
            None => "not believed: the server is not `trusted`".to_owned(),
        };
        line(format!("  its server says {said}, which is {trust}"))?;
    } else if let Some((setting, pattern)) = &known.by {
        line(format!(
            "  its server says nothing of what it does, and `{setting}` has {pattern:?}"
        ))?;
    }
    let Some(effect) = known.effect() else { return Ok(()) };
    let repeated = if effect.may_be_repeated() { "may be" } else { "is not" };
    line(format!("  a call of which nobody knows whether it was carried out {repeated} repeated"))
}

/// What a tool does, as far as anybody says it.
struct Known {
    /// Its server has such a tool, or the operator says something of it.
    is_there: bool,
    /// Its server.
    said: Annotations,
    /// Whether that is believed.
    is_trusted: bool,
    /// The operator, by which setting and pattern.
    by: Option<(String, String)>,
    over: Option<Annotations>,
    /// What everybody believes of what is no tool: a request, a message, a resource.
    besides: Option<&'static Annotations>,
}

impl Known {
    async fn of(config: &Config, server: &str, tool: &str) -> anyhow::Result<Self> {
        let configured = config.servers()?.into_iter().find(|one| one.name.0 == server);
        let said = annotations(config, server, tool).await?;
        let besides = gateway::said_of(server, tool).filter(|_| said.is_none());
        if besides.is_some() {
            // There is no more to know of it.
        } else if configured.is_none() {
            out::warn(format_args!(
                "no server `{server}` is configured; its tools are judged by name"
            ));
        } else if said.is_none() {
            out::warn(format_args!(
                "nothing is known about the tool `{tool}` of `{server}`; `tidegate test {server}` asks"
            ));
        }
        let is_listed = said.is_some();
        let (said, tool) = (said.unwrap_or_default(), ToolName(tool.to_owned()));
        let section = configured.map(|one| one.section);
        let effects = section.as_ref().map(ServerSection::effects).unwrap_or_default();
        let named = |(effect, glob): (Effect, &policy::Glob)| {
            (format!("servers.{server}.{}", effect.setting()), glob.as_str().to_owned())
        };
        Ok(Self {
            is_there: is_listed || effects.of(&tool).is_some(),
            is_trusted: section.is_some_and(|section| section.is_trusted()),
            by: effects.of(&tool).map(named),
            over: effects.over(&tool, &said),
            said,
            besides,
        })
    }

    fn counted(&self) -> &Annotations {
        self.besides.or(self.over.as_ref()).unwrap_or(&self.said)
    }

    fn is_believed(&self) -> bool {
        self.is_trusted || self.over.is_some() || self.besides.is_some()
    }

    /// What a call of it may do; nothing is said of what is no tool, as requests and resources are none.
    fn effect(&self) -> Option<Effect> {
        let annotations = Cow::Borrowed(self.counted());
        self.is_there.then(|| Said { annotations, is_believed: self.is_believed() }.effect())
    }
}

/// What is known of a tool, without asking its server.
async fn annotations(
    config: &Config,
    server: &str,
    tool: &str,
) -> anyhow::Result<Option<Annotations>> {
    let tools = crate::tools::open_all(config, &[], config.upstream_options()?).await?;
    let listings = tools.listings();
    let listing = listings.iter().find(|listing| listing.server.0 == server);
    let known = listing.and_then(|listing| listing.tools.iter().find(|one| one.name.0 == tool));
    Ok(known.map(|tool| tool.annotations.clone()))
}

fn print(config: &Config) -> anyhow::Result<Ending> {
    let policy = config.policy()?;
    let settings = policy.settings();
    let mut table = show::table(["where no rule fits", "otherwise", "hardened"]);
    let (usual, hardened) = (settings.defaults(false), settings.defaults(true));
    for (name, usual, hardened) in [
        ("reads", usual.reads, hardened.reads),
        ("writes", usual.writes, hardened.writes),
        ("destructive", usual.destructive, hardened.destructive),
        ("unannotated", usual.unannotated, hardened.unannotated),
        ("models", usual.models, hardened.models),
    ] {
        table.add_row([name, word(usual), word(hardened)]);
    }
    out::line(table.trim_fmt()).context(show::LOST)?;
    for (title, text) in [
        (
            "rules, of which the first that fits decides:",
            toml::to_string(&Rules { rules: &settings.rules }),
        ),
        ("flow:", toml::to_string(&Flow { flow: &settings.flow })),
    ] {
        let text = text.context("could not write the rules")?;
        if !text.trim().is_empty() && text.contains("[[") {
            out::line(format_args!("\n{title}\n\n{}", text.trim_end())).context(show::LOST)?;
        }
    }
    Ok(Ending::Success)
}

#[derive(serde::Serialize)]
struct Rules<'a> {
    rules: &'a [policy::RuleSettings],
}

#[derive(serde::Serialize)]
struct Flow<'a> {
    flow: &'a [policy::FlowSettings],
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Deny => "deny",
        Action::Ask => "ask",
    }
}
