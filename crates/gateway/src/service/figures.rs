//! What operators see of runs: counters and histograms, all of them named `tidegate_*`.
//!
//! Whatever a program or a server may choose freely (names of exceptions, of tools that are not
//! there) is no label: nobody could say how many there will be.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine::{Language, LimitKind};
use metrics::{
    Counter, Histogram, counter, describe_counter, describe_gauge, describe_histogram, histogram,
};

use super::analysis;
use super::receipt::Receipt;
use super::record::{Ended, Record, Status};
use crate::hearing::{CallKind, CallNote};

/// Sets of tools that are told apart; further ones are `other`.
const MOST_COMBINATIONS: usize = 200;
/// Tools of such a set; larger sets are `other`.
const MOST_COMBINED: usize = 6;

/// Exceptions that are told apart; the programs' own are `other`.
const ERRORS: [&str; 39] = [
    "AnalysisError",
    "ApprovalNeeded",
    "ArgumentError",
    "AssertionError",
    "AttributeError",
    "Cancelled",
    "CheckError",
    "ChildError",
    "Crashed",
    "Deadlock",
    "Exited",
    "FileNotFoundError",
    "GivenUp",
    "ImportError",
    "IndexError",
    "KeyError",
    "LimitExceeded",
    "Lost",
    "MemoryError",
    "MissingAwait",
    "Moved",
    "ModuleNotFoundError",
    "NameError",
    "OSError",
    "PermissionError",
    "PolicyError",
    "RangeError",
    "RecursionError",
    "ReferenceError",
    "Refused",
    "ReviewError",
    "ServerError",
    "SyntaxError",
    "TimeoutError",
    "ToolError",
    "TypeError",
    "Unknown",
    "UnknownTool",
    "ValueError",
];

/// All other exceptions.
const OTHER: &str = "other";

/// Ways to do the same work: with programs, with all definitions in context, with tool search.
const WAYS: [&str; 3] = ["tidegate", "inline", "search"];

/// What programs are for.
const USE_CASES: [&str; 4] = ["computing", "polling", "filtering", "workflow"];

/// What requests are for.
const REQUESTS: [&str; 6] = ["code", "analysis", "validate", "search", "direct", "ask"];

/// How a value begins of which there was too much.
const TOO_LARGE: &str = r#"{"$type":"too_large","bytes":"#;

/// A part of what a run's time is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waiting for its turn.
    Queue,
    /// Being looked at before it runs.
    Check,
    /// Bringing its session back from disk.
    Thaw,
    /// The guest's own work.
    Guest,
    /// Waiting, asleep or for servers.
    Rest,
    /// Waiting for one answer of a server.
    HostCall,
}

impl Phase {
    const ALL: [Self; 6] =
        [Self::Queue, Self::Check, Self::Thaw, Self::Guest, Self::Rest, Self::HostCall];

    fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Check => "check",
            Self::Thaw => "thaw",
            Self::Guest => "guest",
            Self::Rest => "rest",
            Self::HostCall => "host_call",
        }
    }

    pub(super) fn took(self, time: Duration) {
        self.histogram().record(time);
    }

    fn histogram(self) -> Histogram {
        histogram!("tidegate_phase_seconds", "phase" => self.name())
    }
}

/// What a program is for, as far as its calls of tools say it. Those that never left say nothing, nor do
/// the programs that it started.
fn use_case(program: &str, calls: &[CallNote]) -> &'static str {
    let is_said = |call: &&CallNote| call.kind != CallKind::Besides && !call.unmade;
    let calls: Vec<&CallNote> = calls.iter().filter(is_said).collect();
    let first = calls.first().map(|call| (&call.server, &call.tool));
    let one_tool = calls.iter().all(|call| Some((&call.server, &call.tool)) == first);
    match calls.len() {
        0 => "computing",
        2.. if one_tool && program.contains("sleep(") => "polling",
        1 | 2 if one_tool => "filtering",
        _ => "workflow",
    }
}

/// Says what the figures mean, to whoever reads them in Prometheus.
pub fn describe() {
    describe_counter!("tidegate_runs_total", "Runs that are over.");
    describe_histogram!("tidegate_run_seconds", "How long runs took, rest included.");
    describe_histogram!("tidegate_phase_seconds", "How long the parts of runs took.");
    describe_counter!("tidegate_host_calls_total", "Calls of servers' tools.");
    describe_counter!("tidegate_children_total", "Programs that programs started.");
    describe_counter!(
        "tidegate_program_questions_total",
        "Questions of programs to models, by who was asked."
    );
    describe_counter!(
        "tidegate_program_model_tokens_total",
        "Tokens that models read and wrote for programs."
    );
    describe_counter!(
        "tidegate_program_model_cost_micros_total",
        "What that cost, in millionths of money."
    );
    describe_histogram!("tidegate_guest_memory_bytes", "Memory of a guest after its run.");
    describe_histogram!("tidegate_guest_cpu_seconds", "Processor time of a guest in a run.");
    describe_counter!("tidegate_errors_total", "Runs that failed, by exception.");
    describe_counter!(
        "tidegate_limit_hits_total",
        "Runs that a limit ended, or whose value it replaced."
    );
    describe_counter!("tidegate_tokens_sent_total", "Tokens of programs and their context.");
    describe_counter!("tidegate_tokens_received_total", "Tokens of answers.");
    describe_counter!(
        "tidegate_tokens_total",
        "Tokens that runs cost (way=tidegate), and would have cost otherwise (inline, search)."
    );
    describe_counter!("tidegate_cost_micros_total", "The same in millionths of money.");
    describe_counter!("tidegate_bytes_kept_total", "Bytes of answers that stayed in the sandbox.");
    describe_histogram!("tidegate_code_bytes", "Bytes of programs.");
    describe_counter!("tidegate_tool_combinations_total", "Runs by the set of tools they called.");
    describe_counter!("tidegate_reviews_total", "Programs by the risk that their review found.");
    describe_counter!("tidegate_sessions_started_total", "Sessions that were begun.");
    describe_counter!("tidegate_requests_total", "Requests by what they are for.");
    describe_counter!("tidegate_http_requests_total", "Requests over HTTP.");
    describe_counter!("tidegate_audit_lost_total", "Entries that the audit log did not take.");
    describe_counter!("tidegate_anomalies_total", "What was unlike its owner's other runs.");
    describe_counter!("tidegate_webhook_lost_total", "Anomalies that the web hook did not take.");
    describe_gauge!("tidegate_open_runs", "Runs that have not ended, also those on disk.");
    describe_gauge!("tidegate_running", "Runs that have a guest.");
    describe_gauge!("tidegate_queued", "Runs that wait for their turn.");
    describe_gauge!("tidegate_sessions", "Sessions, in memory or resting.");
    describe_gauge!("tidegate_standby_ready", "Guests that stand by.");
    describe_gauge!("tidegate_upstreams", "Servers that are configured.");
    describe_gauge!("tidegate_upstreams_up", "Servers that are connected.");
    describe_gauge!("tidegate_tools", "Tools of all servers.");
    describe_gauge!("tidegate_ready", "Whether programs can run.");
    describe_gauge!("tidegate_build_info", "Which version this is.");
    describe_counter!("tidegate_standby_total", "Fresh guests, by whether one stood by.");
    begin();
}

/// Counts nothing yet of what alerts and the dashboard ask for: Prometheus sees no change in a figure
/// whose first value is 1, and would miss the first run that failed, and what the first one saved.
/// Servers and tools may be thousands, so that theirs begin with their first call.
fn begin() {
    for status in Status::ALL.into_iter().filter(|status| status.is_final()) {
        for language in Language::ALL {
            runs(status, language).increment(0);
        }
    }
    for limit in LimitKind::ALL {
        limit_hits(limit).increment(0);
    }
    for kind in ERRORS.into_iter().chain([OTHER]) {
        errors(kind).increment(0);
    }
    counter!("tidegate_tokens_sent_total").increment(0);
    counter!("tidegate_tokens_received_total").increment(0);
    counter!("tidegate_bytes_kept_total").increment(0);
    counter!("tidegate_sessions_started_total").increment(0);
    for (way, use_case) in WAYS.into_iter().flat_map(|way| USE_CASES.map(|case| (way, case))) {
        cost(way, use_case).increment(0);
        for language in Language::ALL {
            tokens(way, use_case, language).increment(0);
        }
    }
    for kind in REQUESTS {
        counter!("tidegate_requests_total", "kind" => kind).increment(0);
    }
    begin_histograms();
}

/// A histogram begins at 0 once it is known: nothing may be recorded for it, since that would count as a run.
fn begin_histograms() {
    drop(code_bytes());
    for phase in Phase::ALL {
        drop(phase.histogram());
    }
    for language in Language::ALL {
        drop(run_seconds(language));
        drop(guest_cpu(language));
        drop(guest_memory(language));
    }
}

fn code_bytes() -> Histogram {
    histogram!("tidegate_code_bytes")
}

fn run_seconds(language: Language) -> Histogram {
    histogram!("tidegate_run_seconds", "language" => language.name())
}

fn guest_cpu(language: Language) -> Histogram {
    histogram!("tidegate_guest_cpu_seconds", "language" => language.name())
}

fn guest_memory(language: Language) -> Histogram {
    histogram!("tidegate_guest_memory_bytes", "language" => language.name())
}

fn runs(status: Status, language: Language) -> Counter {
    counter!("tidegate_runs_total", "status" => status.name(), "language" => language.name())
}

fn limit_hits(limit: LimitKind) -> Counter {
    counter!("tidegate_limit_hits_total", "limit" => limit.setting())
}

fn errors(kind: &'static str) -> Counter {
    counter!("tidegate_errors_total", "type" => kind)
}

fn tokens(way: &'static str, use_case: &'static str, language: Language) -> Counter {
    let language = language.name();
    counter!("tidegate_tokens_total", "way" => way, "use_case" => use_case, "language" => language)
}

fn cost(way: &'static str, use_case: &'static str) -> Counter {
    counter!("tidegate_cost_micros_total", "way" => way, "use_case" => use_case)
}

/// Counts a run that is over.
pub(super) fn count(record: &Record, price: f64) {
    // A record names one of ours.
    let language: Language = record.language.parse().unwrap_or_default();
    runs(record.status, language).increment(1);
    if let Some(started) = record.started_at {
        let queued = started.0.saturating_sub(record.created_at.0);
        Phase::Queue.took(Duration::from_millis(u64::try_from(queued).unwrap_or_default()));
    }
    if !analysis::is_one(&record.program) {
        code_bytes().record(number(record.program.len() as u64));
    }
    for call in record.calls.iter().filter(|call| !call.unmade && !call.reused) {
        if let Some(took) = call.took {
            Phase::HostCall.took(took);
        }
    }
    let Some(ended) = &record.ended else { return };
    count_end(ended, language);
    if let Some(receipt) = &ended.receipt {
        count_tokens(receipt, use_case(&record.program, &record.calls), price);
    }
}

fn count_end(ended: &Ended, language: Language) {
    run_seconds(language).record(ended.execution_time_ms / 1e3);
    let whole = Duration::try_from_secs_f64(ended.execution_time_ms / 1e3).unwrap_or_default();
    Phase::Guest.took(ended.usage.wall);
    Phase::Rest.took(whole.saturating_sub(ended.usage.wall));
    guest_cpu(language).record(ended.usage.cpu);
    guest_memory(language).record(number(ended.usage.memory_bytes));
    if ended.return_value.get().starts_with(TOO_LARGE) {
        limit_hits(LimitKind::Value).increment(1);
    }
    let Some(error) = &ended.error else { return };
    let kind = known(&error.kind);
    errors(kind).increment(1);
    let memory = (kind == "MemoryError").then_some(LimitKind::Memory);
    if let Some(limit) = error.limit.or(memory) {
        limit_hits(limit).increment(1);
    }
}

/// The exception that a program ended with, in a word that is one of so many.
fn known(kind: &str) -> &'static str {
    // What numpy and pandas raise for want of memory is a kind of it.
    let kind = if kind == "_ArrayMemoryError" { "MemoryError" } else { kind };
    ERRORS.iter().find(|known| **known == kind).copied().unwrap_or(OTHER)
}

fn count_tokens(receipt: &Receipt, use_case: &'static str, price: f64) {
    counter!("tidegate_tokens_sent_total").increment(receipt.sent);
    counter!("tidegate_tokens_received_total").increment(receipt.received);
    counter!("tidegate_bytes_kept_total").increment(receipt.bytes_kept);
    let ours = receipt.own_definitions + receipt.sent + receipt.received;
    for (way, used) in WAYS.into_iter().zip([ours, receipt.inline, receipt.search]) {
        tokens(way, use_case, receipt.language).increment(used);
        // Counters are whole numbers: millionths of whatever the price is in.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "money is no less than nothing, and not much more precise"
        )]
        let micros = (number(used) * price).round() as u64;
        cost(way, use_case).increment(micros);
    }
    if !receipt.tools_called.is_empty() {
        counter!("tidegate_tool_combinations_total", "tools" => combination(receipt)).increment(1);
    }
}

/// The tools of a run, in one word that is one of so many; sets of more than a few tools are not told apart.
fn combination(receipt: &Receipt) -> String {
    static KNOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let tools = receipt.tools_called.join(" + ");
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(&tools) {
        return tools;
    }
    if known.len() >= MOST_COMBINATIONS || receipt.tools_called.len() > MOST_COMBINED {
        return "other".to_owned();
    }
    known.insert(tools.clone());
    tools
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn want_of_memory_is_one_error_whoever_raises_it() {
        assert_eq!(known("MemoryError"), "MemoryError");
        assert_eq!(known("_ArrayMemoryError"), "MemoryError");
        assert_eq!(known("ToolError"), "ToolError");
        assert_eq!(known("_OurMemoryError"), "other");
    }

    #[test]
    fn calls_say_what_a_program_is_for() {
        let call = |tool: &str| CallNote {
            id: 1,
            server: Some("s".to_owned()),
            tool: tool.to_owned(),
            kind: crate::CallKind::Tool,
            agent: None,
            started_at: SystemTime::now(),
            took: None,
            argument_bytes: 0,
            result_bytes: 0,
            ok: Some(true),
            unmade: false,
            reused: false,
            lost: false,
            done: false,
            denied: false,
        };
        let of = |program, tools: &[&str]| {
            use_case(program, &tools.iter().map(|tool| call(tool)).collect::<Vec<_>>())
        };
        assert_eq!(of("1", &[]), "computing");
        assert_eq!(of("x", &["list"]), "filtering");
        assert_eq!(of("await asyncio.sleep(1)", &["status", "status"]), "polling");
        assert_eq!(of("x", &["list", "send"]), "workflow");
        assert_eq!(of("x", &["get", "get", "get"]), "workflow");
        for (program, tools) in [
            ("1", &[][..]),
            ("x", &["list"]),
            ("sleep(1)", &["status", "status"]),
            ("x", &["list", "send"]),
        ] {
            assert!(USE_CASES.contains(&of(program, tools)), "{tools:?} did not begin at 0");
        }
        let spawned = CallNote { kind: CallKind::Besides, ..call("$spawn") };
        let unmade = CallNote { unmade: true, ..call("gett") };
        assert_eq!(use_case("x", std::slice::from_ref(&spawned)), "computing");
        assert_eq!(use_case("x", &[spawned, unmade, call("get")]), "filtering");
    }
}
