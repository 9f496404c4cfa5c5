//! Whenever the gateway is killed or stopped, no run is lost and nothing is done twice: not out there, not in a
//! session, not by children, and not by whoever takes over from a run.
//!
//! What a server counted is compared, program by program, with what the ledgers say.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

/// Sessions in which programs follow each other.
const SESSIONS: usize = 3;

/// How often somebody takes over from a run at the end, when nobody kills the gateway any more: those that failed
/// because they were to, and once more.
const TIMES: usize = 3;

/// What the server offers.
const TOOLS: [&str; 3] = ["look", "put", "book"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mixed,
    Branches,
    /// In one of the sessions.
    Step(usize),
    Pieces,
}

impl Kind {
    fn code(self) -> &'static str {
        match self {
            Self::Mixed => include_str!("programs/mixed.py"),
            Self::Branches => include_str!("programs/branches.py"),
            Self::Step(_) => include_str!("programs/step.py"),
            Self::Pieces => include_str!("programs/pieces.py"),
        }
    }

    /// Whether its program gets to its end if somebody takes over from it, whatever is refused.
    fn is_taken_over(self) -> bool {
        matches!(self, Self::Step(_) | Self::Pieces)
    }
}

/// A program that was asked for.
struct Asked {
    /// What the keys of its calls begin with.
    name: String,
    kind: Kind,
    body: Value,
    /// Its runs, each of which took over from the one before it.
    runs: Vec<String>,
    has_succeeded: bool,
}

/// Everything that was asked for.
struct Trial {
    gateway: Gateway,
    chance: Chance,
    sessions: Vec<String>,
    /// Runs of each session in the order in which they were asked for, with the names of their programs.
    order: [Vec<(String, String)>; SESSIONS],
    asked: Vec<Asked>,
    wanted: usize,
    killed: usize,
}

/// Chance that repeats.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn milliseconds(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.below(most))
    }
}

impl Trial {
    /// Sessions in which nothing is written down yet.
    fn new(mut gateway: Gateway, wanted: usize) -> Self {
        gateway.start();
        let made = || {
            let made = gateway.ask("POST", "/api/v1/sessions", Some(&json!({}))).unwrap();
            let session = made["id"].as_str().unwrap().to_owned();
            let code = "steps = []\nopen('/workspace/log', 'w').close()";
            let ran = json!({ "code": code, "session": session });
            let ran = gateway.ask("POST", "/execute", Some(&ran)).unwrap();
            assert_eq!(ran["success"], true, "{ran:#}");
            session
        };
        let sessions = std::iter::repeat_with(made).take(SESSIONS).collect();
        Self {
            gateway,
            chance: Chance(7),
            sessions,
            order: Default::default(),
            asked: Vec::new(),
            wanted,
            killed: 0,
        }
    }

    /// Asks for a program of each kind.
    fn ask(&mut self) {
        let plain = if self.asked.len().is_multiple_of(2) { Kind::Mixed } else { Kind::Branches };
        let session = usize::try_from(self.chance.below(SESSIONS as u64)).unwrap();
        for kind in [plain, Kind::Step(session), Kind::Pieces] {
            let name = format!("k{}", self.asked.len());
            let mut context = json!({ "name": name });
            let mut body = json!({ "code": kind.code() });
            match kind {
                Kind::Mixed | Kind::Branches => {}
                Kind::Step(session) => {
                    context["depth"] = json!(self.chance.below(4));
                    body["session"] = json!(self.sessions[session]);
                }
                // In one of its two rounds, or not at all.
                Kind::Pieces => context["fails"] = json!(self.chance.below(3)),
            }
            body["context"] = context;
            let run = self.begin(kind, &name, &body);
            self.asked.push(Asked { name, kind, body, runs: vec![run], has_succeeded: false });
        }
    }

    fn begin(&mut self, kind: Kind, name: &str, body: &Value) -> String {
        let answer = self.gateway.ask("POST", "/execute?async=true", Some(body)).unwrap();
        let Some(run) = answer["run_id"].as_str() else { panic!("{name}: {answer:#}") };
        if let Kind::Step(session) = kind {
            self.order[session].push((run.to_owned(), name.to_owned()));
        }
        run.to_owned()
    }

    /// Takes over from every run that has ended in another way than well; whether all have ended well.
    fn take_over(&mut self) -> bool {
        let mut is_over = true;
        for at in 0..self.asked.len() {
            let one = &mut self.asked[at];
            if one.has_succeeded || !one.kind.is_taken_over() {
                continue;
            }
            let last = one.runs.last().unwrap();
            let run = self.gateway.run(last).unwrap();
            match run["status"].as_str() {
                Some("succeeded") => one.has_succeeded = true,
                Some("queued" | "running" | "waiting") => is_over = false,
                Some("failed") => {
                    is_over = false;
                    let mut body = one.body.clone();
                    body["resume_from"] = json!(last);
                    // It may get to its end this time.
                    if one.kind == Kind::Pieces {
                        body["context"]["fails"] = json!(-1);
                    }
                    let (kind, name) = (one.kind, one.name.clone());
                    let run = self.begin(kind, &name, &body);
                    self.asked[at].runs.push(run);
                }
                _ => panic!("{}: {run:#}", one.name),
            }
        }
        is_over
    }

    /// Ends the gateway and starts it again. Mostly it is killed, maybe also while it starts.
    fn end(&mut self) {
        if self.chance.below(6) == 0 {
            self.gateway.stop();
        } else {
            self.gateway.kill();
            self.killed += 1;
        }
        while self.killed < self.wanted && self.chance.below(4) == 0 {
            self.gateway.start_for(self.chance.milliseconds(600));
            self.killed += 1;
        }
        self.gateway.start();
    }

    /// Comes back when everything has ended.
    fn settle(&mut self) {
        for _ in 0..=TIMES {
            for one in &self.asked {
                self.gateway.over(one.runs.last().unwrap(), PATIENCE);
            }
            if self.take_over() {
                return;
            }
        }
        let open = self.asked.iter().filter(|one| one.kind.is_taken_over() && !one.has_succeeded);
        let open: Vec<_> = open.map(|one| (&one.name, &one.runs)).collect();
        panic!("nobody got to the end of {open:?}; see {}", self.gateway.folder.display());
    }

    /// All runs of a program, as they ended.
    fn ended(&self, one: &Asked) -> Vec<Value> {
        one.runs.iter().map(|run| self.gateway.over(run, PATIENCE)).collect()
    }
}

/// How many calls of a tool are said to have a fate, over all runs of a program; what was taken over from another
/// run is told by that one.
fn said(runs: &[Value], tool: &str, fate: &str) -> usize {
    let calls = runs.iter().flat_map(|run| run["calls"].as_array().into_iter().flatten());
    let made = calls.filter(|call| call["reused"] != true);
    made.filter(|call| call["tool"] == tool && call["fate"] == fate).count()
}

/// How often the server counted each call.
fn counted(gateway: &Gateway) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for call in gateway.counted() {
        *times.entry(call).or_default() += 1;
    }
    times
}

/// Compares what the server counted of one program with what its ledgers say: everything that is committed was
/// counted, and of writes nothing else but what is said to be unknown.
fn compare(one: &Asked, runs: &[Value], times: &BTreeMap<String, usize>) {
    for tool in TOOLS {
        let own = format!("{tool} {}-", one.name);
        let made: usize =
            times.iter().filter(|(call, _)| call.starts_with(&own)).map(|(_, times)| times).sum();
        let (committed, unknown) = (said(runs, tool, "committed"), said(runs, tool, "unknown"));
        let told = format!(
            "{}: {made} x {tool} counted, {committed} committed, {unknown} unknown: {runs:#?}",
            one.name
        );
        assert!(committed <= made, "{told}");
        assert!(tool != "book" || made <= committed + unknown, "{told}");
    }
}

/// Every run that did not succeed says why: it was to fail, or nobody knows the fate of calls that it names.
fn ended_as_told(one: &Asked, runs: &[Value]) {
    let (last, before) = runs.split_last().unwrap();
    let failed = if last["status"] == "succeeded" { before } else { runs };
    for run in failed {
        let is_meant = one.kind == Kind::Pieces && run["error"]["type"] == "ValueError";
        let is_unknown = run["error"]["type"] == "Unknown"
            && run["error"]["message"].as_str().unwrap().contains("nobody knows whether");
        assert!(is_meant || is_unknown, "{}: {run:#}", one.name);
        let alone = std::slice::from_ref(run);
        let lost = ["book", "$spawn"].map(|tool| said(alone, tool, "unknown"));
        assert!(is_meant || lost.iter().sum::<usize>() > 0, "{}: {run:#}", one.name);
    }
}

/// What the program says of itself is so; whatever it was refused, some run of it does not know the fate of.
fn says_the_truth(one: &Asked, runs: &[Value], times: &BTreeMap<String, usize>) {
    let run = runs.last().unwrap();
    if run["status"] != "succeeded" {
        return;
    }
    let value = &run["return_value"];
    if !one.kind.is_taken_over() {
        assert_eq!(*value, 18, "{run:#}");
        return;
    }
    for call in value["done"].as_array().into_iter().flatten() {
        let made = times.get(call.as_str().unwrap()).copied().unwrap_or(0);
        assert!(made > 0, "{}: {call} was answered and not counted", one.name);
    }
    let refused = value["refused"].as_array().unwrap();
    let unknown = ["book", "$spawn"].map(|tool| said(runs, tool, "unknown"));
    assert!(refused.len() <= unknown.iter().sum::<usize>(), "{}: {refused:?}, {runs:#?}", one.name);
    for words in refused {
        assert!(words.as_str().unwrap().starts_with("Unknown: "), "{}: {words}", one.name);
    }
}

/// A session holds what its programs did that succeeded, each once and in the order in which they were asked for.
fn holds_its_steps(trial: &Trial, session: usize) {
    let mut names = Vec::new();
    for (run, name) in &trial.order[session] {
        let ended = trial.gateway.over(run, PATIENCE);
        if ended["status"] != "succeeded" {
            continue;
        }
        names.push(name.as_str());
        let value = &ended["return_value"];
        let is_next = value["steps"] == names.len() && value["last"] == *name;
        assert!(is_next && value["same"] == true && value["once"] == true, "{names:?}: {ended:#}");
    }
    let code = "[steps, open('/workspace/log').read().split()]";
    let asked = json!({
        "code": code, "session": trial.sessions[session], "max_output_tokens": 100_000,
    });
    let left = trial.gateway.ask("POST", "/execute", Some(&asked)).unwrap();
    assert_eq!(left["return_value"], json!([names, names]), "{left:#}");
}

fn kills() -> usize {
    std::env::var("TIDEGATE_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12)
}

#[test]
fn whenever_it_is_killed_no_run_is_lost_and_no_write_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let kept = ["--durable", "true", "--freeze-after", "0.1s"];
    let gateway = Gateway::new(folder.path(), 0.03, &kept).with_power_cuts();
    let mut trial = Trial::new(gateway, kills());
    while trial.killed < trial.wanted {
        trial.take_over();
        trial.ask();
        std::thread::sleep(Duration::from_millis(20) + trial.chance.milliseconds(500));
        trial.end();
    }
    trial.settle();
    let times = counted(&trial.gateway);
    let twice: Vec<_> =
        times.iter().filter(|(call, times)| call.starts_with("book ") && **times > 1).collect();
    assert!(twice.is_empty(), "written twice: {twice:?}");
    let (mut succeeded, mut taken_over, mut unknown) = (0, 0, BTreeSet::new());
    for one in &trial.asked {
        let runs = trial.ended(one);
        ended_as_told(one, &runs);
        compare(one, &runs, &times);
        says_the_truth(one, &runs, &times);
        succeeded += usize::from(runs.last().is_some_and(|last| last["status"] == "succeeded"));
        taken_over += runs.len() - 1;
        let lost = runs.into_iter().filter(|run| run["error"]["type"] == "Unknown");
        unknown.extend(lost.map(|run| run["run_id"].to_string()));
    }
    // After one more kill the sessions are what they are before it.
    for _ in 0..2 {
        for session in 0..SESSIONS {
            holds_its_steps(&trial, session);
        }
        trial.gateway.kill();
        trial.gateway.start();
    }
    println!(
        "{} kills, {} programs: {succeeded} succeeded, {} runs ended as unknown, {taken_over} were taken over from, {} calls, no write twice",
        trial.killed,
        trial.asked.len(),
        unknown.len(),
        times.values().sum::<usize>()
    );
    assert!(taken_over > 0, "nothing was taken over");
}
