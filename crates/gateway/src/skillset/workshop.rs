//! Where skills are tried before they are saved, and again when something has changed.
//!
//! Everything of a skill runs in guests of its own: what defines it, to learn how it is called, and each example,
//! whose calls are answered with what is recorded. What is saved has been seen to work.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Limits, NoHost, Outcome, Program, ProgramError, Session, Start, Usage};
use serde::Deserialize;
use serde_json::{Map, Value};
use skills::{Example, Kept, Name, NameError, Reader, Recorded, Scope, Skill, StoreError, Used};

use super::changed::{changed_in, fingerprints, named};
use super::rehearsal::Rehearsal;
use super::{PACKAGE, Skillset, now};
use crate::behalf::Behalf;
use crate::children::Nursery;
use crate::desk::Desk;
use crate::hearing::Hearing;
use crate::tally::Tally;
use crate::tools::{Offer, Tools};

/// The largest result that becomes what an example expects, in bytes.
const MOST_EXPECTED: usize = 64 << 10;
/// Letters of a value that are shown.
const SHOWN: usize = 300;

/// The owner that many share who say nothing about themselves.
const ANONYMOUS: &str = "anonymous";

/// What is to become a skill.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// What programs import.
    pub name: String,
    /// The source that defines a function of that name.
    pub source: String,
    /// What it does; the function's own words where nothing is said.
    #[serde(default)]
    pub description: Option<String>,
    /// Calls whose results are known.
    #[serde(default)]
    pub examples: Vec<Example>,
    /// Who sees it: `own`, `team:NAME` or `global`.
    #[serde(default)]
    pub scope: Option<String>,
}

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// It is not called as a skill can be.
    #[error(transparent)]
    Name(#[from] NameError),
    /// It belongs to nobody who could have it.
    #[error("{0}")]
    Scope(String),
    /// Its source may not run, or does not.
    #[error("{name} was not saved: {problem}")]
    Source {
        /// Which skill.
        name: Name,
        /// What is wrong with it.
        problem: String,
    },
    /// An example fails.
    #[error("{name} was not saved: example {number} {problem}")]
    Example {
        /// Which skill.
        name: Name,
        /// Which of its examples, from 1 on.
        number: usize,
        /// What came instead.
        problem: String,
    },
    /// What its examples read may not go everywhere.
    #[error(
        "{name} was not saved: its examples read {from}, and rules say where that may not go ([[policy.flow]]), which what is \
         kept of a skill would; save it without the examples that call it"
    )]
    Flow {
        /// Which skill.
        name: Name,
        /// What they read.
        from: String,
    },
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sandbox broke.
    #[error("the skill could not be tried: {0}")]
    Sandbox(String),
}

/// What became of the examples of a skill.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Rehearsed {
    /// How many there are.
    pub examples: usize,
    /// The number of the first that fails, and why; 0 where the source may not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<(usize, String)>,
    /// Why it may no longer do what it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
}

/// Where skills are tried.
pub struct Workshop {
    nursery: Nursery,
    tools: Arc<Tools>,
    skillset: Arc<Skillset>,
    tally: Arc<Tally>,
    behalf: Behalf,
    hearing: Arc<dyn Hearing>,
    limits: Limits,
    /// Its session and run are nobody else's.
    is_own: bool,
    /// What all that ran here has used, also where it was ended half-way.
    used: Arc<Mutex<Usage>>,
}

impl Workshop {
    /// A workshop for one owner; `None` where no skills are kept.
    #[must_use]
    pub fn new(
        nursery: Nursery,
        tools: &Arc<Tools>,
        behalf: Behalf,
        limits: Limits,
    ) -> Option<Self> {
        let (skillset, tools) = (Arc::clone(tools.skillset()?), Arc::clone(tools));
        let (tally, hearing) = (Arc::default(), Arc::new(NoHost));
        let used = Arc::default();
        let is_own = true;
        Some(Self { nursery, tools, skillset, tally, behalf, hearing, limits, is_own, used })
    }

    /// What all that ran here has used.
    fn used(&self) -> Usage {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, for whoever has to know it when this is gone.
    pub(crate) fn meter(&self) -> Arc<Mutex<Usage>> {
        Arc::clone(&self.used)
    }

    /// The same within a run, which hears of the calls and counts them.
    pub(crate) fn within(mut self, hearing: Arc<dyn Hearing>, tally: Arc<Tally>) -> Self {
        (self.tally, self.hearing, self.is_own) = (tally, hearing, false);
        self
    }

    /// Saves a skill once all its examples have run.
    ///
    /// # Errors
    /// When it cannot be a skill, or an example fails.
    pub async fn save(&self, draft: Draft, scope: Scope) -> Result<Kept, SaveError> {
        let name = Name::new(&draft.name)?;
        somebodys(&scope)?;
        let mut skill = Skill {
            name: name.clone(),
            version: 0,
            description: draft.description.unwrap_or_default().trim().to_owned(),
            signature: String::new(),
            source: draft.source,
            tools: Vec::new(),
            examples: draft.examples,
            author: self.behalf.owner.clone(),
            saved: now(),
        };
        let wrong = |problem| SaveError::Source { name: name.clone(), problem };
        if !skill.description.is_empty() {
            // What cannot be kept is not tried.
            skill.check().map_err(StoreError::from)?;
        }
        let (offer, mut used) = self.examined(&skill).await.map_err(wrong)?;
        let stage = self.stage(offer, &scope);
        self.introduce(&mut skill, &stage).await?;
        skill.check().map_err(StoreError::from)?;
        for at in 0..skill.examples.len() {
            let example = self.recorded(&skill, at, &stage).await?;
            used.extend(example.results.iter().map(|one| one.tool.clone()));
            skill.examples[at] = example;
        }
        self.may_keep(&name).await?;
        let catalog = self.tools.catalog();
        let fingerprint = |tool: &str| Some(named(&catalog, tool)?.1?.fingerprint().to_string());
        skill.tools =
            used.into_iter().map(|tool| Used { fingerprint: fingerprint(&tool), tool }).collect();
        let mut kept = self.skillset.store().save(&scope, skill)?;
        if kept.state.stale.is_some() {
            // The same as before, and all its examples have just passed.
            let version = (&kept.skill.name, kept.skill.version);
            self.skillset.store().note(&scope, version, |state| state.stale = None)?;
            kept.state.stale = None;
        }
        Ok(kept)
    }

    /// What the examples have read is kept with the skill, and whether it was saved tells of it: that is for
    /// nobody whom rules keep it from.
    async fn may_keep(&self, name: &Name) -> Result<(), SaveError> {
        let read = self.tools.judge().carried(&self.behalf.session).await;
        let read = read.map_err(|error| SaveError::Sandbox(error.message))?;
        let Some(from) = read.first() else { return Ok(()) };
        let from = if from == policy::ANYWHERE { "elsewhere" } else { from };
        Err(SaveError::Flow { name: name.clone(), from: from.to_owned() })
    }

    /// Runs the examples of a skill with what was recorded, and where this `marks`, marks it stale if they fail
    /// or its tools have changed. Whoever only sees a skill changes nothing about it for others.
    ///
    /// # Errors
    /// When the sandbox itself failed, or what was found cannot be written down.
    pub async fn test(&self, kept: &Kept, marks: bool) -> Result<Rehearsed, SaveError> {
        let skill = &kept.skill;
        let failure = self.failure(skill, &kept.scope).await?;
        let catalog = self.tools.catalog();
        let changed = changed_in(&catalog, skill);
        // All who see the skill see this, and what is recorded was told to the one who saved it.
        let fails = failure.as_ref().map(|failure| match failure {
            // It did not come to the first.
            (0, problem) => problem.clone(),
            (number, _) => {
                format!("example {number} no longer does what it did when the skill was saved")
            }
        });
        let is_apart = self.is_kept_apart(skill);
        let fails = fails.filter(|_| !is_apart);
        let stale = match (changed, fails) {
            (None, fails) => fails,
            (Some(why), None) if skill.examples.is_empty() || is_apart => Some(why),
            (Some(why), None) => Some(format!("{why}; its examples still pass")),
            (Some(why), Some(fails)) => Some(format!("{why}; {fails}")),
        };
        if marks {
            let checked = fingerprints(&catalog, skill);
            self.skillset.store().note(&kept.scope, (&skill.name, skill.version), |state| {
                state.stale.clone_from(&stale);
                state.checked = checked;
            })?;
        }
        Ok(Rehearsed { examples: skill.examples.len(), failure, stale })
    }

    /// The same, after the servers of its tools were asked what they offer now: what is remembered of them may be
    /// older, and nobody need have told of the change.
    ///
    /// # Errors
    /// As for [`test`](Self::test).
    pub async fn test_now(&self, kept: &Kept, marks: bool) -> Result<Rehearsed, SaveError> {
        self.tools.ask_anew_about(kept.skill.tools.iter().map(|used| used.tool.as_str())).await;
        self.test(kept, marks).await
    }

    /// Whether anything recorded with a skill is something that rules keep from some places. Then not even
    /// whether its examples pass is told to all who see it.
    fn is_kept_apart(&self, skill: &Skill) -> bool {
        let policy = self.tools.judge().policy();
        let mut recorded = skill.examples.iter().flat_map(|example| &example.results);
        recorded.any(|one| policy.flow().labels(&one.tool))
    }

    async fn failure(
        &self,
        skill: &Skill,
        scope: &Scope,
    ) -> Result<Option<(usize, String)>, SaveError> {
        let stage = match self.examined(skill).await {
            Ok((offer, _)) => self.stage(offer, scope),
            Err(problem) => return Ok(Some((0, problem))),
        };
        for (at, example) in skill.examples.iter().enumerate() {
            let tried = self.rehearse(skill, example, &stage, false).await?;
            if let Err(problem) = judged(example, &tried.outcome) {
                return Ok(Some((at + 1, problem)));
            }
        }
        Ok(None)
    }

    /// Where a skill of this scope is tried: what all who see it see is all that it can import.
    fn stage(&self, offer: Arc<Offer>, scope: &Scope) -> Stage {
        let reader = match scope {
            Scope::Owner(owner) if *owner == self.behalf.owner => self.behalf.reader(),
            _ => Reader::of(scope),
        };
        Stage { offer, reader }
    }

    /// Looks at the source as at any other program; what it can call, and the tools that it names.
    async fn examined(&self, skill: &Skill) -> Result<(Arc<Offer>, BTreeSet<String>), String> {
        let program = Program::new(skill.source.clone());
        let (nursery, level) = (&self.nursery, self.behalf.level);
        let examined = nursery.examined(&self.tools, &program, &self.limits, level).await;
        let (review, offer) = examined.map_err(|error| told(&error))?;
        let tools = review.tools.iter().map(|used| format!("{}.{}", used.server, used.tool));
        Ok((offer.counted_by(&self.tally), tools.collect()))
    }

    /// Has the source define its function, and learns how it is called and what it says of itself.
    async fn introduce(&self, skill: &mut Skill, stage: &Stage) -> Result<(), SaveError> {
        let name = skill.name.clone();
        let source =
            format!("from {PACKAGE} import {name} as _skill\nreturn _skill.__tidegate_about__");
        let program = Program::new(source);
        let Tried { outcome, .. } = self.run(skill, program, (stage, &[], false)).await?;
        let wrong = |problem| SaveError::Source { name: name.clone(), problem };
        if let Some(error) = &outcome.error {
            return Err(wrong(told_from_within(error)));
        }
        let said: Map<String, Value> =
            serde_json::from_str(outcome.return_value.get()).unwrap_or_default();
        let text = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        skill.signature = text("signature");
        if skill.description.is_empty() {
            skill.description = text("doc");
        }
        let untyped = said.get("untyped").and_then(Value::as_array).into_iter().flatten();
        let untyped: Vec<&str> = untyped.filter_map(Value::as_str).collect();
        unsaid(&untyped, skill.description.trim().is_empty())
            .map_or(Ok(()), |problem| Err(wrong(problem)))
    }

    /// An example with all that was recorded of it.
    async fn recorded(
        &self,
        skill: &Skill,
        at: usize,
        stage: &Stage,
    ) -> Result<Example, SaveError> {
        let failed =
            |problem| SaveError::Example { name: skill.name.clone(), number: at + 1, problem };
        let mut example = skill.examples[at].clone();
        let Tried { outcome, answered } = self.rehearse(skill, &example, stage, true).await?;
        judged(&example, &outcome).map_err(failed)?;
        let is_new = answered.len() > example.results.len();
        example.results = answered;
        let first: Value = serde_json::from_str(outcome.return_value.get()).unwrap_or_default();
        if example.expect.is_none() || is_new {
            // Once more, with nothing but what is recorded.
            let again = self.rehearse(skill, &example, stage, false).await?.outcome;
            judged(&example, &again).map_err(failed)?;
            let again: Value = serde_json::from_str(again.return_value.get()).unwrap_or_default();
            // What is another value each time is not expected.
            let steady = alike(&first, &again) && first.to_string().len() <= MOST_EXPECTED;
            if example.expect.is_none() && steady {
                example.expect = Some(first);
            }
        }
        Ok(example)
    }

    async fn rehearse(
        &self,
        skill: &Skill,
        example: &Example,
        stage: &Stage,
        records: bool,
    ) -> Result<Tried, SaveError> {
        let source = format!(
            "from {PACKAGE} import {} as _skill\n_value = _skill(**skill_arguments)\n\
             return (await _value) if hasattr(type(_value), '__await__') else _value",
            skill.name
        );
        let arguments = Value::Object(example.arguments.clone());
        let program = Program::new(source).with("skill_arguments", arguments);
        self.run(skill, program, (stage, &example.results, records)).await
    }

    async fn run(
        &self,
        skill: &Skill,
        program: Program,
        (stage, results, records): (&Stage, &[Recorded], bool),
    ) -> Result<Tried, SaveError> {
        let offer = &stage.offer;
        let (behalf, hearing) = (Arc::new(self.behalf.clone()), Arc::clone(&self.hearing));
        let most = self.limits.call_result_bytes;
        let desk = Arc::new(Desk::new(Arc::clone(offer), behalf, most, hearing));
        let calls = Rehearsal::new(Arc::clone(&desk), Arc::clone(offer), results, records);
        let used = self.used();
        let limits = Limits {
            cpu_time: self.limits.cpu_time.saturating_sub(used.cpu),
            calls: self.limits.calls.saturating_sub(used.calls),
            ..self.limits.clone()
        };
        if limits.cpu_time.is_zero() {
            let problem = "its examples use more CPU time than there is (limit `cpu-time`)";
            return Err(SaveError::Sandbox(problem.to_owned()));
        }
        let start = Start {
            limits,
            host: Arc::clone(&calls) as _,
            servers: offer.folder(),
            skills: Some(self.skillset.folder_with(&stage.reader, skill)),
            ..Start::default()
        };
        let session = Session::new(Arc::clone(&self.nursery.engine), start);
        let mut metered = Metered { session, all: &self.used };
        let ran = metered.session.run(program, Arc::clone(&calls) as _);
        // It has a place among those that run, also while it waits: rest counts here.
        let ran = tokio::time::timeout(self.limits.wall, ran).await;
        desk.close();
        let outcome = match ran {
            Ok(outcome) => outcome.map_err(|error| SaveError::Sandbox(error.to_string()))?,
            Err(_) => Outcome::failed(ProgramError {
                kind: "LimitExceeded".to_owned(),
                message: format!(
                    "it took longer than {} seconds, with all that it waits for (limit `wall`)",
                    self.limits.wall.as_secs_f64()
                ),
                ..ProgramError::default()
            }),
        };
        Ok(Tried { outcome, answered: calls.answered() })
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        if self.is_own {
            self.tools.judge().forget_run(&self.behalf.run);
            self.tools.judge().forget_session(&self.behalf.session);
        }
    }
}

/// Counts what a session has used when it is gone, however it ends.
struct Metered<'a> {
    session: Session,
    all: &'a Mutex<Usage>,
}

impl Drop for Metered<'_> {
    fn drop(&mut self) {
        let used = self.session.used();
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.cpu += used.cpu;
        all.calls += used.calls;
    }
}

/// Nothing is kept for those who say nothing about themselves: all others of them would run it.
pub(crate) fn somebodys(scope: &Scope) -> Result<(), SaveError> {
    if matches!(scope, Scope::Owner(owner) if owner == ANONYMOUS || owner.is_empty()) {
        let problem = "skills are kept for those who say who they are; log in, or use a token";
        return Err(SaveError::Scope(problem.to_owned()));
    }
    Ok(())
}

/// Where one skill is tried.
struct Stage {
    /// What it can call.
    offer: Arc<Offer>,
    /// Whose other skills it can import.
    reader: Reader,
}

/// How an example ended, and what its calls were answered with.
struct Tried {
    outcome: Outcome,
    answered: Vec<Recorded>,
}

/// Whether an example ended as it should.
fn judged(example: &Example, outcome: &Outcome) -> Result<(), String> {
    if let Some(error) = &outcome.error {
        return Err(format!("failed with {}", told_from_within(error)));
    }
    let Some(expected) = &example.expect else { return Ok(()) };
    let value: Value = serde_json::from_str(outcome.return_value.get()).unwrap_or_default();
    if alike(expected, &value) {
        return Ok(());
    }
    Err(format!("returned {} where {} is expected", shown(&value), shown(expected)))
}

/// Whether two values are the same to a program: 1 and 1.0 are.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other
                || one.as_f64().zip(other.as_f64()).is_some_and(|(a, b)| a.total_cmp(&b).is_eq())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| alike(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, a)| other.get(key).is_some_and(|b| alike(a, b)))
        }
        _ => one == other,
    }
}

/// What a function does not say of itself, and how it would: whoever finds it sees nothing else of it.
fn unsaid(untyped: &[&str], has_no_words: bool) -> Option<String> {
    let returns = untyped.contains(&"return");
    let names = untyped.iter().filter(|name| **name != "return");
    let mut bare: Vec<String> = names.map(|name| format!("the parameter `{name}`")).collect();
    bare.extend(returns.then(|| "what it returns".to_owned()));
    let types = (!bare.is_empty()).then(|| {
        format!(
            "it says no type of {}; write it as `def half(number: float) -> float:`",
            bare.join(", ")
        )
    });
    let words = has_no_words.then(|| {
        "it needs a docstring or a description; write what it returns in a sentence or two, \
         as the first line of the function: \"\"\"Half of a number.\"\"\""
            .to_owned()
    });
    let all: Vec<String> = [types, words].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; and "))
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// An error of a function in one line, with the line of its own source where that is known.
fn told_from_within(error: &ProgramError) -> String {
    let last = error.traceback.as_deref().and_then(|text| {
        let lines = text.lines().map(str::trim);
        lines.filter_map(|line| line.strip_prefix("File \"/skills/")).next_back()
    });
    let place = last.and_then(|line| {
        let number = line.split_once("\", line ")?.1;
        let number: String = number.chars().take_while(char::is_ascii_digit).collect();
        Some(format!(" (its line {number})"))
    });
    format!("{}: {}{}", error.kind, error.message, place.unwrap_or_default())
}

/// An error of a program in one line.
fn told(error: &ProgramError) -> String {
    let place = match (error.line, &error.source_line) {
        (Some(line), Some(source)) => format!(" (line {line}: {})", source.trim()),
        _ => String::new(),
    };
    format!("{}: {}{place}", error.kind, error.message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_function_does_not_say_of_itself_is_said_with_how_to_write_it() {
        assert_eq!(unsaid(&[], false), None);
        let said = unsaid(&["rows", "return"], true).unwrap();
        for words in
            ["no type of the parameter `rows`, what it returns;", "-> float:`", "a docstring"]
        {
            assert!(said.contains(words), "no {words:?} in {said}");
        }
        assert!(!unsaid(&["rows"], false).unwrap().contains("docstring"));
    }

    #[test]
    fn numbers_are_alike_however_they_are_written() {
        assert!(alike(&json!({ "a": [1, 2.0] }), &json!({ "a": [1.0, 2] })));
        assert!(!alike(&json!([1]), &json!([1, 2])));
        assert!(!alike(&json!({ "a": 1 }), &json!({ "b": 1 })));
        assert!(!alike(&json!("1"), &json!(1)));
    }
}
