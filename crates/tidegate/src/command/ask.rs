//! `tidegate ask`: a question in words, answered by a model, a program and its result.
//!
//! The answer goes to standard output, the steps towards it to standard error. The gateway is one of this
//! process's own, with the configuration that `serve` has.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, Answer, Ask, Event, Form, Schema, Template, TemplateFormat, Watched};
use anyhow::Context as _;
use clap::Args;
use engine::Language;
use gateway::service::Caller;
use gateway::service::ids::ConversationId;
use serde_json::{Value, json};

use super::run::{read_context, read_input};
use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::out::{self, BAD, DIM, HINT, TITLE};
use crate::settings::{Given, Values};
use crate::{interrupt, runtime, service, show};

/// How long what runs may take to end when the question is over.
const PARTING: Duration = Duration::from_secs(2);

/// Options of `tidegate ask`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The question, or `-` for standard input.
    question: String,
    /// Variables for programs: a JSON object, or `@file` with one. No model sees their values.
    #[arg(long, value_name = "JSON|@FILE", allow_hyphen_values = true)]
    context: Option<String>,
    /// Answer with JSON that fits the JSON Schema in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    schema: Option<PathBuf>,
    /// Answer with the document in this file, its places such as {{ total }} filled.
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// Go on with this conversation.
    #[arg(long, value_name = "ID")]
    conversation: Option<ConversationId>,
    /// One of `[ask] models` instead of `[ask] model`.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// What programs are written in, instead of `[ask] language`: python or typescript.
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<Language>,
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
    /// Print one JSON object, with what the answer used, instead of text for people.
    #[arg(long)]
    json: bool,
}

/// Runs `tidegate ask`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let in_json = arguments.json;
    let ended = match answer(config, arguments).await {
        Ok(ended) => ended,
        Err(error) if in_json => {
            print_failure("unavailable", &format!("{error:#}"))?;
            out::problem(&error);
            return Ok(Ending::of_error(&error));
        }
        Err(error) => return Err(error),
    };
    match ended {
        Event::Answer(answer) if in_json => {
            out::line(serde_json::to_string(&answer)?).context(show::LOST)?;
            Ok(Ending::Success)
        }
        Event::Answer(answer) => {
            out::foreign_line(answer.answer.trim_end_matches('\n')).context(show::LOST)?;
            out::tell(format_args!("{DIM}{}{DIM:#}", used(&answer)));
            Ok(Ending::Success)
        }
        Event::Error { code, message } => {
            if in_json {
                print_failure(code, &message)?;
            }
            out::tell(format_args!("{BAD}error:{BAD:#} {}", out::clean(&message)));
            Ok(ending(code))
        }
        _ => Ok(Ending::Broken),
    }
}

/// The last event of a question: its answer, or why there is none.
async fn answer(config: &Config, arguments: Arguments) -> anyhow::Result<Event> {
    let values = Values::resolve(config, &Given::default())?;
    let direct = service::mcp_options(config, &values)?.direct;
    let Some(settings) = config.ask(direct)? else {
        return Err(Misuse::error(
            "no model is set that could answer; set `provider` and `model` under `[ask]` in tidegate.toml",
        ));
    };
    let (in_json, mcp_config) = (arguments.json, arguments.mcp_config.clone());
    let ask = question(arguments)?;
    // Otherwise the question would be refused while the runtime is made.
    runtime::ready(config).await?;
    let place = service::Place::of_mcp(config)?;
    let shared = service::open(config, &values, &mcp_config, &place).await?;
    let running = Arc::clone(&shared.service);
    let agent = Agent::new(Arc::clone(&running), settings)?;
    let asked = interrupt::unless_interrupted(async {
        let live = match agent.begin(&Caller::local(), ask).await {
            Ok(live) => Watched(live),
            Err(error) => return Event::Error { code: error.code(), message: error.to_string() },
        };
        followed(&live, in_json).await
    });
    let ended = asked.await?;
    let closing = async {
        agent.close().await;
        running.close(PARTING).await;
    };
    interrupt::unless_interrupted(closing).await?;
    let cancelled =
        || Event::Error { code: "cancelled", message: "the question was cancelled".to_owned() };
    Ok(ended.unwrap_or_else(cancelled))
}

/// Shows the steps of a question until it is over.
async fn followed(live: &Watched, is_quiet: bool) -> Event {
    let mut seen = 0;
    loop {
        let events = live.0.events_after(seen).await;
        if events.is_empty() {
            let message = "the question ended without an answer; ask again".to_owned();
            return Event::Error { code: "cancelled", message };
        }
        seen += events.len();
        for event in events {
            if event.is_last() {
                return event;
            }
            if !is_quiet {
                step(&event);
            }
        }
    }
}

/// One step, for people.
fn step(event: &Event) {
    match event {
        Event::Found { tools } if tools.is_empty() => {
            out::tell(format_args!("{DIM}no tools fit the question{DIM:#}"));
        }
        Event::Found { tools } => {
            out::tell(format_args!("{DIM}tools: {}{DIM:#}", out::clean(&tools.join(", "))));
        }
        Event::Program { attempt, code } => {
            let again = if *attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
            out::tell(format_args!("{TITLE}program{TITLE:#}{again}"));
            indented(code);
        }
        Event::Running { run_id, .. } => {
            out::tell(format_args!("{TITLE}running{TITLE:#} {DIM}{run_id}{DIM:#}"));
        }
        Event::Output { text, .. } => indented(text),
        Event::Call { tool } => out::tell(format_args!("  {DIM}calls {}{DIM:#}", out::clean(tool))),
        Event::Tool { name } => {
            out::tell(format_args!("{TITLE}tool{TITLE:#} {}", out::clean(name)));
        }
        Event::Approval { run_id } => out::tell(format_args!(
            "{HINT}waiting for an approval:{HINT:#} `tidegate approvals approve {run_id}` in another terminal gives it"
        )),
        Event::Failed { kind, message } => {
            out::tell(format_args!("{HINT}failed{HINT:#} with {}", out::clean(kind)));
            indented(message);
        }
        _ => {}
    }
}

fn indented(text: &str) {
    for line in out::clean(text.trim_end()).lines() {
        out::tell(format_args!("  {line}"));
    }
}

/// What an answer used, in one line.
fn used(answer: &Answer) -> String {
    let (usage, runs) = (&answer.usage, answer.runs.len());
    let programs = if runs == 1 { "1 program".to_owned() } else { format!("{runs} programs") };
    let cost = if usage.cost > 0.0 { format!(" for {:.4}", usage.cost) } else { String::new() };
    let totals = &answer.totals;
    // Of the first question it would say the same twice.
    let whole = if totals.tokens > usage.tokens() {
        let cost =
            if totals.cost > 0.0 { format!(" for {:.4}", totals.cost) } else { String::new() };
        format!(
            ", the conversation {} tokens{cost} (with tools {})",
            totals.tokens, totals.direct_tokens
        )
    } else {
        String::new()
    };
    format!(
        "{programs}, {} tokens{cost} (with tools instead of programs {}){whole}; go on with --conversation {}",
        usage.tokens(),
        usage.direct_tokens,
        answer.conversation
    )
}

fn question(arguments: Arguments) -> anyhow::Result<Ask> {
    let form = form(&arguments)?;
    // What cannot be a variable of its programs, the question is told.
    let language = arguments.language.unwrap_or_default();
    let context = read_context(arguments.context.as_deref(), language)?;
    let question = match arguments.question.as_str() {
        "-" => read_input(Path::new("-"), "the question")?,
        _ => arguments.question,
    };
    let Arguments { conversation, model, language, .. } = arguments;
    Ok(Ask { question, context, conversation, form, model, language, ..Ask::default() })
}

fn form(arguments: &Arguments) -> anyhow::Result<Form> {
    if let Some(file) = &arguments.schema {
        let wrong = |words: String| Misuse::error(format!("--schema {}: {words}", file.display()));
        let text = read_input(file, "the --schema file")?;
        let schema: Value = serde_json::from_str(&text)
            .map_err(|error| wrong(format!("this is no JSON ({error}); write a JSON Schema")))?;
        return Schema::new(&schema).map(Form::Json).map_err(|error| wrong(error.to_string()));
    }
    let Some(file) = &arguments.template else { return Ok(Form::Text) };
    let text = read_input(file, "the --template file")?;
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    // Whatever is neither YAML nor JSON is text.
    let format: TemplateFormat = ending.to_ascii_lowercase().parse().unwrap_or_default();
    Template::new(&text, format)
        .map(Form::Document)
        .map_err(|error| Misuse::error(format!("--template {}: {error}", file.display())))
}

fn print_failure(code: &str, message: &str) -> anyhow::Result<()> {
    let told = json!({ "error": { "code": code, "message": message } });
    out::line(told).context(show::LOST)
}

/// How the command ends where there is no answer.
fn ending(code: &str) -> Ending {
    match code {
        "invalid_request" | "unknown_conversation" => Ending::Misused,
        "programs_failed" | "wrong_form" | "model_refused" | "reply_too_long" => Ending::Raised,
        "budget_exceeded" => Ending::Limited,
        "cancelled" => Ending::Interrupted,
        _ => Ending::Broken,
    }
}
