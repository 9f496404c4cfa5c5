//! `tidegate demo`: a question in words becomes a program, and the program an automation for a house.
//!
//! The house is three servers with example data, started like any others. The model is the one of `[ask]`, or
//! that of whoever has a key in the environment; without one, its messages are read from recordings. What
//! they hold is a program and a sentence: everything else is found in the data, whichever seed made it.

mod house;
mod model;

use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::{Agent, Answer, Ask, Event, Watched};
use anyhow::Context as _;
use clap::Args;
use gateway::service::{Caller, Receipt, Service};
use serde_json::Value;

use self::model::{Model, Wanted};
use crate::config::Config;
use crate::exit::Ending;
use crate::out::{self, BAD, DIM, GOOD, HINT, TITLE};
use crate::settings::{Given, Values};
use crate::{interrupt, runtime, service, show, units};

const QUESTION: &str = "Turn on the lights when motion is detected";

/// What every model is told with it.
const FORM: &str = "Let the program return Home Assistant automations as YAML text under `yaml`.";

/// How long what runs may take to end when the question is over.
const PARTING: Duration = Duration::from_secs(2);

const NEXT: [(&str, &str); 5] = [
    ("tidegate demo --seed 2", "another house, another automation"),
    ("examples/home/run", "the same over HTTP, \"Analyze power usage last week\", and more"),
    ("tidegate tour", "what the engine does, step by step"),
    ("tidegate import", "take over the servers of your other clients"),
    ("tidegate setup claude-code", "or cursor, vscode, codex, …: two tools instead of all of them"),
];

/// Options of `tidegate demo`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Makes another house, the same for the same number.
    #[arg(long, default_value_t = example_servers::SEED)]
    seed: u64,
    #[command(flatten)]
    wanted: Wanted,
}

/// Runs `tidegate demo`.
pub(crate) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<Ending> {
    runtime::ready(config).await?;
    let begun = Instant::now();
    let model = Model::choose(config, &arguments.wanted).await?;
    let house = house::config(config, arguments.seed)?;
    out::line(format_args!("{}\n", model.introduction())).context(show::LOST)?;
    let values = Values::resolve(&house, &Given::default())?;
    let place = service::Place::of_mcp(&house)?;
    let shared = service::open(&house, &values, &[], &place).await?;
    let agent = Agent::new(Arc::clone(&shared.service), model.settings.clone())?;
    let played = interrupt::unless_interrupted(play(&agent, &shared.service)).await?;
    let closing = async {
        agent.close().await;
        shared.service.close(PARTING).await;
    };
    interrupt::unless_interrupted(closing).await?;
    let Some(played) = played else {
        out::tell("cancelled");
        return Ok(Ending::Interrupted);
    };
    let ending = played?;
    if ending == Ending::Success {
        next(begun.elapsed()).context(show::LOST)?;
    } else if let Some(otherwise) = model.otherwise() {
        out::tell(format_args!("{HINT}hint:{HINT:#} {otherwise}"));
    }
    Ok(ending)
}

/// Asks the question, and shows what comes of it.
async fn play(agent: &Arc<Agent>, service: &Arc<Service>) -> anyhow::Result<Ending> {
    out::line(format_args!("{TITLE}question{TITLE:#}\n  {QUESTION}")).context(show::LOST)?;
    let ask = Ask { question: format!("{QUESTION}\n\n{FORM}"), ..Ask::default() };
    let live = Watched(agent.begin(&Caller::local(), ask).await?);
    match followed(&live).await? {
        Some(Event::Answer(answer)) => shown(service, &answer).await,
        Some(Event::Error { message, .. }) => {
            out::tell(format_args!("{BAD}error:{BAD:#} {}", out::clean(&message)));
            Ok(Ending::Broken)
        }
        _ => Ok(Ending::Broken),
    }
}

/// Shows each step; gives the last.
async fn followed(live: &Watched) -> anyhow::Result<Option<Event>> {
    let mut seen = 0;
    loop {
        let events = live.0.events_after(seen).await;
        if events.is_empty() {
            return Ok(None);
        }
        seen += events.len();
        for event in events {
            if event.is_last() {
                return Ok(Some(event));
            }
            step(&event).context(show::LOST)?;
        }
    }
}

fn step(event: &Event) -> std::io::Result<()> {
    match event {
        Event::Program { attempt: 1, code } => {
            out::line(format_args!("\n{TITLE}program{TITLE:#}, by the model"))?;
            indented(code)
        }
        Event::Program { code, .. } => {
            out::line(format_args!("\n{TITLE}program{TITLE:#}, mended by the model"))?;
            indented(code)
        }
        Event::Running { .. } => out::line(format_args!("\n{TITLE}calls{TITLE:#}")),
        Event::Call { tool } => out::line(format_args!("  {}", out::clean(tool))),
        Event::Failed { kind, message } => {
            out::line(format_args!("{HINT}failed{HINT:#} with {}", out::clean(kind)))?;
            indented(message)
        }
        _ => Ok(()),
    }
}

fn indented(text: &str) -> std::io::Result<()> {
    let text = out::clean(text.trim_end());
    text.lines().try_for_each(|line| out::line(format_args!("  {DIM}{line}{DIM:#}")))
}

/// The answer, the automation and the receipt.
async fn shown(service: &Arc<Service>, answer: &Answer) -> anyhow::Result<Ending> {
    out::line(format_args!("\n{TITLE}answer{TITLE:#}")).context(show::LOST)?;
    out::line(format_args!("  {}", out::clean(&answer.answer))).context(show::LOST)?;
    let run = answer.runs.last().context("no program ran")?.parse()?;
    let record = service.run(&Caller::local(), &run).await?;
    let ended = record.ended.context("the program did not end")?;
    let value: Value = serde_json::from_str(ended.return_value.get()).unwrap_or_default();
    let Some(yaml) = value["yaml"].as_str() else {
        out::tell(format_args!(
            "{BAD}error:{BAD:#} the program returned no YAML under `yaml`; try again, or another model"
        ));
        return Ok(Ending::Raised);
    };
    let mistakes = example_servers::mistakes(yaml);
    out::line(format_args!("\n{TITLE}automation{TITLE:#}")).context(show::LOST)?;
    out::foreign_line(yaml.trim_end()).context(show::LOST)?;
    for mistake in &mistakes {
        out::line(format_args!("{BAD}not valid:{BAD:#} {}", out::clean(mistake)))?;
    }
    if mistakes.is_empty() {
        out::line(format_args!("{GOOD}valid{GOOD:#} for Home Assistant, by our schema"))?;
    }
    if let Some(receipt) = &ended.receipt {
        itemized(receipt).context(show::LOST)?;
    }
    Ok(if mistakes.is_empty() { Ending::Success } else { Ending::Raised })
}

fn itemized(receipt: &Receipt) -> std::io::Result<()> {
    let ours = receipt.own_definitions + receipt.sent + receipt.received;
    #[expect(clippy::cast_precision_loss, reason = "a percentage, rounded anyway")]
    let share = 100.0 * receipt.tokens_saved as f64 / receipt.inline.max(1) as f64;
    out::line(format_args!("\n{TITLE}receipt{TITLE:#}, in tokens a model reads and writes"))?;
    for (label, figure, what) in [
        ("through the model", receipt.inline, "the tools' definitions, every call and answer"),
        ("with the program", ours, "our definitions, the program, its result"),
    ] {
        out::line(format_args!("  {label:<18}{figure:>9}  {DIM}{what}{DIM:#}"))?;
    }
    out::line(format_args!("  {:<18}{share:>8.2}%", "saved"))?;
    let kept = units::size(receipt.bytes_kept);
    out::line(format_args!("  {:<18}{kept:>9}", "never left"))
}

fn next(took: Duration) -> std::io::Result<()> {
    out::line(format_args!("\n{TITLE}try next{TITLE:#}"))?;
    for (command, what) in NEXT {
        out::line(format_args!("  {HINT}{command:<28}{HINT:#}{what}"))?;
    }
    out::line(format_args!("\n{:.2} s", took.as_secs_f64()))
}
