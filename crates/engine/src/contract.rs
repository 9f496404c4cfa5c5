//! The suite every engine passes: guest programs as files, each saying how it must end.
//!
//! The programs live in `crates/engine/cases` and, in TypeScript, in `crates/engine/cases-typescript`;
//! the README of the first describes the format.
//! An engine's own tests load them with [`load`] and run each with [`check`].

mod case;
mod tools;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

pub use self::case::{Case, CaseError, Expect, Part};
pub use self::tools::{ToolHost, Tools};

use crate::guest::{Engine, Input, Start, Step, StepError};
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::session::{Calls, Session};

/// Strings that exist on the host and must never reach a program.
#[derive(Debug, Clone, Default)]
pub struct Canaries(pub Vec<String>);

/// The folder beside cases that has the bindings of the servers they may ask for.
const SERVERS: &str = "_servers";

/// Reads all cases below `folder`, in the order of their paths.
///
/// # Errors
/// When a file cannot be read or its header makes no sense.
pub fn load(folder: &Path) -> Result<Vec<Case>, CaseError> {
    let (given, written): (Vec<_>, Vec<_>) = files_below(folder)?
        .into_iter()
        .map(|path| (path.strip_prefix(folder).unwrap_or(&path).display().to_string(), path))
        .partition(|(name, _)| name.starts_with(SERVERS));
    let mut servers = BTreeMap::new();
    for (name, path) in given {
        let below = name[SERVERS.len()..].trim_start_matches('/').to_owned();
        servers.insert(below, Arc::from(std::fs::read(path)?));
    }
    let read = |(name, path): (String, PathBuf)| {
        Case::parse(&name, &std::fs::read_to_string(path)?, &servers)
    };
    let programs = written.into_iter().filter(|(_, path)| {
        path.extension().is_some_and(|ending| ending == "py" || ending == "ts")
    });
    let mut cases = programs.map(read).collect::<Result<Vec<_>, _>>()?;
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    Ok(files)
}

/// Runs one case and says what was wrong, if anything.
///
/// # Errors
/// A sentence for the person who reads the test's output.
pub async fn check(
    engine: &Arc<dyn Engine>,
    case: &Case,
    canaries: &Canaries,
) -> Result<(), String> {
    let ways: &[bool] = if case.freeze { &[false, true] } else { &[false] };
    for &freezing in ways {
        let way = if freezing { " (frozen and thawed at every wait)" } else { "" };
        run(engine, case, canaries, freezing)
            .await
            .map_err(|problem| format!("{}{way}: {problem}", case.name))?;
    }
    Ok(())
}

async fn run(
    engine: &Arc<dyn Engine>,
    case: &Case,
    canaries: &Canaries,
    freezing: bool,
) -> Result<(), String> {
    let mut session = Session::new(Arc::clone(engine), start(&case.parts[0], case.seed));
    for (index, part) in case.parts.iter().enumerate() {
        session.configure(start(part, case.seed));
        let (source, context) = (part.source.clone(), part.context.clone());
        let program = Program { source, language: engine.language(), context };
        let outcome = if freezing {
            run_frozen(engine, &mut session, program, part).await?
        } else {
            session.run(program, calls()).await.map_err(|error| error.to_string())?
        };
        part.judge(&outcome)
            .map_err(|problem| format!("program {}: {problem}\n{outcome:#?}", index + 1))?;
        leaks(&outcome, canaries)?;
    }
    let last = &case.parts[case.parts.len() - 1];
    session.configure(Start { limits: relaxed(&last.limits), ..start(last, None) });
    let probe = session
        .run(Program::new("6*7").in_language(engine.language()), calls())
        .await
        .map_err(|error| format!("probe: {error}"))?;
    if probe.return_value.get() != "42" {
        return Err(format!("afterwards 6*7 is not 42: {probe:#?}"));
    }
    Ok(())
}

/// The probe gets the level's permissions but room to compute.
fn relaxed(limits: &Limits) -> Limits {
    let room = Limits::default();
    Limits {
        wall: room.wall,
        cpu_time: room.cpu_time,
        output_bytes: room.output_bytes,
        value_bytes: room.value_bytes,
        ..limits.clone()
    }
}

fn start(part: &Part, seed: Option<u64>) -> Start {
    Start {
        limits: part.limits.clone(),
        seed,
        host: Arc::new(ToolHost),
        servers: part.servers.clone(),
        ..Start::default()
    }
}

fn calls() -> Arc<dyn Calls> {
    Arc::new(Tools)
}

/// Runs one program, and at every wait freezes, drops and thaws its guest.
async fn run_frozen(
    engine: &Arc<dyn Engine>,
    session: &mut Session,
    program: Program,
    part: &Part,
) -> Result<Outcome, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let begun = std::time::SystemTime::now();
    let before = session.freeze().await.map_err(|error| text(&error))?;
    // No host: every call leaves the step, so that there is something to freeze at.
    let options = Start { host: Arc::new(crate::guest::NoHost), ..session.start().clone() };
    let mut guest = match &before {
        Some(image) => engine.thaw(image, options.clone()).await,
        None => engine.start(options.clone(), Some(&program)).await,
    }
    .map_err(|error| text(&error))?;
    let mut pending = Vec::new();
    let mut input = Input::Run(program);
    loop {
        match guest.step(input).await {
            Ok(Step::Done(outcome)) => {
                let image = guest.freeze().await.map_err(|error| text(&error))?;
                *session = Session::from_image(Arc::clone(engine), start(part, None), image);
                return Ok(*outcome);
            }
            Ok(Step::Waiting(waiting)) => {
                let image = guest.freeze().await.map_err(|error| text(&error))?;
                let stored = image.as_bytes().to_vec();
                drop(guest);
                pending.retain(|call: &crate::HostCall| !waiting.withdrawn.contains(&call.id));
                pending.extend(waiting.calls);
                input = Input::Results(tools::answer_one(&mut pending, waiting.wake_at).await);
                let image = crate::Image::decode(stored).map_err(|error| text(&error))?;
                guest = engine.thaw(&image, options.clone()).await.map_err(|error| text(&error))?;
            }
            Err(error @ (StepError::Engine { .. } | StepError::Misused { .. })) => {
                return Err(text(&error));
            }
            Err(error) => {
                let outcome = crate::session::stopped(&*guest, &error, begun);
                *session = match before {
                    Some(image) => Session::from_image(Arc::clone(engine), options, image),
                    None => Session::new(Arc::clone(engine), options),
                };
                return Ok(outcome);
            }
        }
    }
}

fn leaks(outcome: &Outcome, canaries: &Canaries) -> Result<(), String> {
    let all = serde_json::to_string(outcome).map_err(|error| error.to_string())?;
    match canaries.0.iter().find(|canary| all.contains(canary.as_str())) {
        Some(canary) => Err(format!("the program got hold of {canary:?}")),
        None => Ok(()),
    }
}

/// Compares JSON values, numbers by value.
pub(crate) fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => found == wanted,
    }
}
