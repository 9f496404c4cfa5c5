//! The four systems: what is asked of each, from the files of its example.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::shared::{Failure, manifest};

/// In a context: the folder in which the system keeps what it keeps.
pub(crate) const FOLDER: &str = "{folder}";

/// One of the systems under `examples/`.
pub(crate) struct System {
    pub(crate) name: &'static str,
    /// Who asks, where it matters.
    pub(crate) owner: Option<&'static str>,
    pub(crate) steps: Vec<Step>,
}

/// Something that is asked of it.
pub(crate) struct Step {
    pub(crate) path: &'static str,
    pub(crate) body: Value,
    /// In the session of the step before it.
    pub(crate) goes_on: bool,
}

impl System {
    pub(crate) fn folder(&self) -> PathBuf {
        folder(self.name)
    }
}

/// All of them, each with the steps that its own table of tokens has.
pub(crate) fn systems() -> Result<[System; 4], Failure> {
    let home = [
        program("home", "programs/devices.py", json!({}))?,
        program("home", "programs/week.py", json!({}))?,
        program("home", "programs/habits.py", json!({}))?,
        recorded("home", "recorded/lights.program.md", json!({}))?,
        recorded("home", "recorded/power.program.md", json!({}))?,
    ];
    let who = json!({ "user": { "owner": "alice" }, "today": "2026-07-01" });
    let road =
        json!({ "user_id": "alice", "today": "2026-07-01", "notes": format!("{FOLDER}/notes") });
    let travel = [
        recorded("travel", "recorded/expenses.program.md", who)?,
        program("travel", "programs/plan.py", road)?,
        program("travel", "programs/booking.py", json!({}))?.in_the_same_session(),
        program("travel", "programs/notes.py", json!({}))?.in_the_same_session(),
        program("travel", "programs/workflow.py", json!({}))?.in_the_same_session(),
    ];
    let documents = [
        program("documents", "programs/summary.py", json!({}))?,
        program("documents", "programs/payments.py", json!({}))?,
        program("documents", "programs/login.py", json!({}))?,
    ];
    let mut trading = Vec::new();
    for name in ["filter", "aggregate", "transform", "validate"] {
        let body = read("trading", &format!("analyses/{name}.json"))?;
        let body = serde_json::from_str(&body)?;
        trading.push(Step { path: "/api/v1/analysis", body, goes_on: false });
    }
    for (name, context) in [
        ("statistics", json!({ "account": "A-1003", "risk_free": 0.02 })),
        ("correlation", json!({ "most": 4 })),
        ("drawdown", json!({})),
        ("chart", json!({ "title": "Sectors over two years" })),
    ] {
        trading.push(program("trading", &format!("programs/{name}.py"), context)?);
    }
    Ok([
        System { name: "home", owner: None, steps: home.into() },
        System { name: "travel", owner: Some("alice"), steps: travel.into() },
        System { name: "documents", owner: None, steps: documents.into() },
        System { name: "trading", owner: None, steps: trading },
    ])
}

impl Step {
    fn in_the_same_session(self) -> Self {
        Self { goes_on: true, ..self }
    }
}

fn program(system: &str, file: &str, context: Value) -> Result<Step, Failure> {
    Ok(step(&read(system, file)?, context))
}

/// A program as a model wrote it, between its words.
fn recorded(system: &str, file: &str, context: Value) -> Result<Step, Failure> {
    let said = read(system, file)?;
    let code = said.split_once("```python\n").and_then(|(_, rest)| rest.split_once("```"));
    Ok(step(code.ok_or("no program in what was recorded")?.0, context))
}

fn step(code: &str, context: Value) -> Step {
    let body = Value::from_iter([("code", Value::from(code)), ("context", context)]);
    Step { path: "/execute", body, goes_on: false }
}

fn read(system: &str, file: &str) -> Result<String, Failure> {
    let file = folder(system).join(file);
    Ok(std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?)
}

fn folder(system: &str) -> PathBuf {
    manifest().join("../../examples").join(system)
}
