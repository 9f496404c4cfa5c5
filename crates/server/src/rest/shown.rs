//! Runs as the door shows them: one object, whether a caller waited, followed or came back.

use engine::{ProgramError, Usage};
use gateway::CallNote;
use gateway::minds::ModelUse;
use gateway::service::record::{ArtifactNote, Ended};
use gateway::service::{Answer, Receipt, Record, Status};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::anomaly::AnomalyShown;
use super::moment;
use super::review::ReviewShown;

/// A run. What is not known before it ends is empty until then.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Run)]
pub(crate) struct RunShown {
    /// Whether the program reached its own end.
    pub(crate) success: bool,
    /// What it returned.
    #[schema(value_type = Value)]
    return_value: Box<RawValue>,
    /// What it printed.
    stdout: String,
    /// What it wrote to standard error.
    stderr: String,
    /// Why it did not succeed.
    error: Option<ErrorShown>,
    /// Milliseconds from its first step to its end.
    #[schema(minimum = 0)]
    execution_time_ms: f64,
    /// What the run is called.
    #[schema(pattern = "^r_[0-9a-f]{32}$")]
    run_id: String,
    /// The session it ran in; name it to go on from there.
    #[schema(pattern = "^s_[0-9a-f]{32}$")]
    session: String,
    /// What the agent is called whose program it is; empty where it has no name.
    agent: String,
    /// Where the run is.
    status: StatusShown,
    /// What it used.
    usage: UsageShown,
    /// What the reader should know.
    note: Option<String>,
    /// Files it produced besides its value.
    artifacts: Vec<ArtifactShown>,
    /// What was left out, and where it is.
    truncated: Option<Truncated>,
    /// What the run cost a model and what it saved; null while it is under way.
    receipt: Option<ReceiptShown>,
    /// Tokens saved against having all tools in context; negative where a program was the dearer way.
    tokens_saved: i64,
    /// Tools that were called, as `server.tool`.
    tools_called: Vec<String>,
    /// What it is written in.
    language: String,
    /// When it was asked for.
    #[schema(format = DateTime)]
    created_at: String,
    /// When its turn came.
    #[schema(format = DateTime)]
    started_at: Option<String>,
    /// When it ended.
    #[schema(format = DateTime)]
    finished_at: Option<String>,
    /// Its source; only when the run itself is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    program: Option<String>,
    /// Which version of the guidance for agents its author was given.
    guidance: String,
    /// What it asked of servers.
    calls: Vec<CallShown>,
    /// What it waits for, while it rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    waiting: Option<WaitingShown>,
    /// What was known of its program before it ran; null before that.
    review: Option<ReviewShown>,
    /// What was unlike anything its owner did before.
    anomalies: Vec<AnomalyShown>,
}

/// What a run waits for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Waiting)]
pub(crate) struct WaitingShown {
    /// Since when.
    #[schema(format = DateTime)]
    since: String,
    /// When it goes on though nothing has come, where that is known.
    #[schema(format = DateTime)]
    wakes_at: Option<String>,
    /// The tools whose answers have not come; none for one that sleeps.
    r#for: Vec<String>,
    /// How many of these calls wait for somebody's approval.
    approvals: u64,
    /// Nobody goes on with it here, because this gateway was started without `durable`.
    paused: bool,
}

impl WaitingShown {
    fn of(record: &Record) -> Option<Self> {
        let rest = record.waiting?;
        Some(Self {
            since: moment::text(rest.since),
            wakes_at: rest.wakes_at.map(moment::text),
            r#for: record.waits_for(),
            approvals: record.asks,
            paused: rest.is_paused,
        })
    }
}

/// What a run cost a model, in tokens, and what the same work would have cost it otherwise.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Receipt)]
pub(crate) struct ReceiptShown {
    /// The definitions of our own tools.
    own_definitions: u64,
    /// The program and its context.
    sent: u64,
    /// The answer.
    received: u64,
    /// All definitions in context, and every call and answer through it.
    inline: u64,
    /// The definitions of the tools that were called, and every call and answer.
    search: u64,
    /// `inline` less what it cost.
    tokens_saved: i64,
    /// `search` less what it cost.
    tokens_saved_search: i64,
    /// Bytes of answers that stayed in the sandbox.
    bytes_kept: u64,
    /// What was saved, in money, at the operator's `token-price`.
    cost_saved: f64,
    /// What the program and its children asked models; it is besides all else here.
    models: ModelsShown,
}

/// What programs asked models, and what that took.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ModelUse)]
pub(crate) struct ModelsShown {
    /// Questions that were answered.
    questions: u64,
    /// Tokens that models read.
    input_tokens: u64,
    /// Tokens that they wrote.
    output_tokens: u64,
    /// What they cost, at the prices of `[ask]`; nothing for a client's own model.
    cost: f64,
}

impl From<&ModelUse> for ModelsShown {
    fn from(used: &ModelUse) -> Self {
        Self {
            questions: used.questions,
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            cost: used.cost,
        }
    }
}

impl From<&Receipt> for ReceiptShown {
    fn from(receipt: &Receipt) -> Self {
        Self {
            own_definitions: receipt.own_definitions,
            sent: receipt.sent,
            received: receipt.received,
            inline: receipt.inline,
            search: receipt.search,
            tokens_saved: receipt.tokens_saved,
            tokens_saved_search: receipt.tokens_saved_search,
            bytes_kept: receipt.bytes_kept,
            cost_saved: receipt.cost_saved,
            models: ModelsShown::from(&receipt.models),
        }
    }
}

/// What an answer left out.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Truncated {
    /// Tokens that value and output may have.
    max_output_tokens: usize,
    /// Tokens they have now.
    tokens: usize,
    /// Bytes of the whole value.
    value_bytes: u64,
    /// Bytes of all that was printed.
    printed_bytes: u64,
    /// What it is called.
    handle: String,
    /// Where later programs find the whole of what was cut: the value, or else what was printed.
    path: String,
    /// Where the same can be had, page by page.
    href: String,
}

impl Truncated {
    /// What was left out, if anything was.
    fn of(record: &Record, answer: &Answer) -> Option<Self> {
        let (id, cut) = (&record.id, answer.shown.cut.as_ref());
        if cut.is_none() && !answer.is_error_cut {
            return None;
        }
        let has_printed = |of: fn(&Ended) -> &String| {
            record.ended.as_ref().is_some_and(|one| !of(one).is_empty())
        };
        let (path, href) = match cut {
            None => (format!("/results/{id}.error.json"), format!("/api/v1/runs/{id}")),
            Some(cut) if cut.value => {
                (format!("/results/{id}.json"), format!("/api/v1/runs/{id}/result"))
            }
            // Only what was printed was cut.
            Some(_) => {
                let part = if has_printed(|one| &one.stdout) { "stdout" } else { "stderr" };
                (format!("/results/{id}.{part}.txt"), format!("/api/v1/runs/{id}/result?of={part}"))
            }
        };
        Some(Self {
            max_output_tokens: answer.most,
            tokens: answer.tokens,
            value_bytes: cut.map_or(0, |cut| cut.value_bytes),
            printed_bytes: cut.map_or(0, |cut| cut.printed_bytes),
            handle: id.to_string(),
            path,
            href,
        })
    }
}

/// A run in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunSummary {
    /// What the run is called.
    #[schema(pattern = "^r_[0-9a-f]{32}$")]
    run_id: String,
    /// The session it ran in.
    #[schema(pattern = "^s_[0-9a-f]{32}$")]
    session: String,
    /// Whose it is.
    owner: String,
    /// What the agent is called whose program it is; empty where it has no name.
    agent: String,
    /// Where it is.
    status: StatusShown,
    /// What it is written in.
    language: String,
    /// When it was asked for.
    #[schema(format = DateTime)]
    created_at: String,
    /// When its turn came.
    #[schema(format = DateTime)]
    started_at: Option<String>,
    /// When it ended.
    #[schema(format = DateTime)]
    finished_at: Option<String>,
    /// Milliseconds from its first step to its end.
    execution_time_ms: Option<f64>,
    /// Why it did not succeed.
    error: Option<ErrorShown>,
    /// How often it called a server.
    calls: usize,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunStatus)]
pub(crate) enum StatusShown {
    /// It waits for its turn.
    Queued,
    /// It runs.
    Running,
    /// It rests until something it asked for has come.
    Waiting,
    /// It reached its own end.
    Succeeded,
    /// It failed, or was stopped by a limit other than time.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
    /// Its time was over.
    TimedOut,
}

/// Why a program failed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProgramError)]
pub(crate) struct ErrorShown {
    /// The exception's class, or `LimitExceeded`, `Exited`, `Crashed`, `Cancelled`, `Refused`.
    #[serde(rename = "type")]
    kind: String,
    /// The exception's own words.
    message: String,
    /// Line in the program, from 1.
    line: Option<u32>,
    /// Column in that line, from 1.
    column: Option<u32>,
    /// That line.
    source_line: Option<String>,
    /// The traceback, without frames that are not the program's.
    traceback: Option<String>,
    /// What to try next, where that is known.
    hint: Option<String>,
    /// The limit that was met, if that is why.
    limit: Option<String>,
}

/// What a run used.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Usage)]
pub(crate) struct UsageShown {
    /// Milliseconds, not counting rest.
    wall_ms: f64,
    /// Milliseconds of CPU time.
    cpu_ms: f64,
    /// Memory held beyond the base image at the end.
    memory_bytes: u64,
    /// Calls of servers.
    calls: u64,
    /// Bytes of standard output.
    stdout_bytes: u64,
    /// Bytes of standard error.
    stderr_bytes: u64,
    /// Bytes of all files in the workspace.
    workspace_bytes: u64,
}

/// A file that a run produced.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Artifact)]
pub(crate) struct ArtifactShown {
    /// A file name.
    name: String,
    /// Its media type.
    media_type: String,
    /// How long it is.
    bytes: u64,
    /// Where its content is.
    href: String,
}

/// One call of a server.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Call)]
pub(crate) struct CallShown {
    /// Its number within the run.
    id: u64,
    /// The server that was asked, where the program named one.
    server: Option<String>,
    /// The tool, or what else was asked for.
    tool: String,
    /// The name of the child that made it, where it has one of its own.
    agent: Option<String>,
    /// When it left.
    #[schema(format = DateTime)]
    started_at: String,
    /// Milliseconds it took; null while it is under way.
    took_ms: Option<f64>,
    /// Bytes of its arguments.
    argument_bytes: u64,
    /// Bytes of its answer.
    result_bytes: u64,
    /// Whether it was answered with a value; null while it is under way.
    ok: Option<bool>,
    /// What became of it; null while it is under way.
    #[schema(value_type = Option<FateShown>)]
    fate: Option<gateway::Fate>,
    /// It was not made: its answer is that of the same call before, in this run or the one it resumes.
    reused: bool,
}

/// What became of a call.
#[derive(ToSchema)]
#[schema(as = Fate, rename_all = "snake_case")]
#[expect(dead_code, reason = "says in the API's description what `gateway::Fate` is")]
pub(crate) enum FateShown {
    /// It was answered with a value.
    Committed,
    /// It was answered with an error.
    Failed,
    /// It left, and no answer came: nobody knows whether it was carried out.
    Unknown,
    /// It never left.
    NotAttempted,
}

impl UsageShown {
    /// What is known of it while the run is under way.
    fn so_far(record: &Record) -> Self {
        let made = record.calls.iter().filter(|call| !call.reused).count();
        Self { calls: made as u64, ..Self::default() }
    }
}

/// What to do about a run that nobody goes on with.
pub(crate) fn paused(record: &Record) -> Option<String> {
    let is_paused = record.waiting.is_some_and(|rest| rest.is_paused);
    is_paused.then(|| {
        "this run rests and does not go on, because the gateway was started without `durable`; it goes on when the gateway is started with `--durable true`".to_owned()
    })
}

impl RunShown {
    /// A run, without its source.
    pub(crate) fn new(record: &Record) -> Self {
        let whole = Self::entire(record);
        let Some(answer) = &record.answer else { return whole };
        let shown = &answer.shown;
        Self {
            return_value: shown.value.clone(),
            stdout: shown.stdout.clone(),
            stderr: shown.stderr.clone(),
            error: answer.error.as_ref().map(ErrorShown::from),
            truncated: Truncated::of(record, answer),
            ..whole
        }
    }

    /// All of a run, without its source.
    fn entire(record: &Record) -> Self {
        let ended = record.ended.as_ref();
        let text = |of: fn(&Ended) -> &String| ended.map(of).cloned().unwrap_or_default();
        let artifacts = ended.iter().flat_map(|ended| &ended.artifacts);
        let receipt = ended.and_then(|ended| ended.receipt.as_ref());
        Self {
            success: record.status == Status::Succeeded,
            return_value: ended
                .map_or_else(|| RawValue::NULL.to_owned(), |ended| ended.return_value.clone()),
            stdout: text(|ended| &ended.stdout),
            stderr: text(|ended| &ended.stderr),
            error: ended.and_then(|ended| ended.error.as_ref()).map(ErrorShown::from),
            execution_time_ms: ended.map(|ended| ended.execution_time_ms).unwrap_or_default(),
            run_id: record.id.to_string(),
            session: record.session.to_string(),
            agent: record.agent.clone(),
            status: record.status.into(),
            usage: ended
                .map_or_else(|| UsageShown::so_far(record), |ended| UsageShown::from(&ended.usage)),
            note: ended.and_then(|ended| ended.note.clone()).or_else(|| paused(record)),
            artifacts: artifacts.map(|note| ArtifactShown::new(record, note)).collect(),
            truncated: None,
            receipt: receipt.map(ReceiptShown::from),
            tokens_saved: receipt.map(|receipt| receipt.tokens_saved).unwrap_or_default(),
            tools_called: receipt.map(|receipt| receipt.tools_called.clone()).unwrap_or_default(),
            language: record.language.clone(),
            created_at: moment::text(record.created_at),
            started_at: record.started_at.map(moment::text),
            finished_at: record.finished_at.map(moment::text),
            program: None,
            guidance: record.guidance.clone(),
            calls: record
                .calls
                .iter()
                .map(|note| CallShown::of(note, record.status.is_final()))
                .collect(),
            waiting: WaitingShown::of(record),
            review: ended.and_then(|ended| ended.review.as_ref()).map(ReviewShown::from),
            anomalies: ended
                .iter()
                .flat_map(|ended| &ended.anomalies)
                .map(AnomalyShown::from)
                .collect(),
        }
    }

    /// All of a run, with its source.
    pub(crate) fn whole(record: &Record) -> Self {
        Self { program: Some(record.program.to_string()), ..Self::entire(record) }
    }
}

impl From<&Record> for RunSummary {
    fn from(record: &Record) -> Self {
        let ended = record.ended.as_ref();
        Self {
            run_id: record.id.to_string(),
            session: record.session.to_string(),
            owner: record.owner.clone(),
            agent: record.agent.clone(),
            status: record.status.into(),
            language: record.language.clone(),
            created_at: moment::text(record.created_at),
            started_at: record.started_at.map(moment::text),
            finished_at: record.finished_at.map(moment::text),
            execution_time_ms: ended.map(|ended| ended.execution_time_ms),
            error: ended.and_then(|ended| ended.error.as_ref()).map(ErrorShown::from),
            calls: record.calls.len(),
        }
    }
}

impl From<Status> for StatusShown {
    fn from(status: Status) -> Self {
        match status {
            Status::Queued => Self::Queued,
            Status::Running => Self::Running,
            Status::Waiting => Self::Waiting,
            Status::Succeeded => Self::Succeeded,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
            Status::TimedOut => Self::TimedOut,
        }
    }
}

impl From<&ProgramError> for ErrorShown {
    fn from(error: &ProgramError) -> Self {
        Self {
            kind: error.kind.clone(),
            message: error.message.clone(),
            line: error.line,
            column: error.column,
            source_line: error.source_line.clone(),
            traceback: error.traceback.clone(),
            hint: error.hint.clone(),
            limit: error.limit.map(|limit| limit.setting().to_owned()),
        }
    }
}

impl From<&Usage> for UsageShown {
    fn from(usage: &Usage) -> Self {
        Self {
            wall_ms: millis(usage.wall),
            cpu_ms: millis(usage.cpu),
            memory_bytes: usage.memory_bytes,
            calls: usage.calls,
            stdout_bytes: usage.stdout_bytes,
            stderr_bytes: usage.stderr_bytes,
            workspace_bytes: usage.workspace_bytes,
        }
    }
}

impl ArtifactShown {
    fn new(record: &Record, note: &ArtifactNote) -> Self {
        Self {
            name: note.name.clone(),
            media_type: note.media_type.clone(),
            bytes: note.bytes,
            href: format!("/api/v1/runs/{}/artifacts/{}", record.id, escaped(&note.name)),
        }
    }
}

impl CallShown {
    /// A call of a run that is over or not.
    pub(crate) fn of(note: &CallNote, run_is_over: bool) -> Self {
        Self {
            id: note.id,
            server: note.server.clone(),
            tool: note.tool.clone(),
            agent: note.agent.clone(),
            started_at: moment::of_system(note.started_at),
            took_ms: note.took.map(millis),
            argument_bytes: note.argument_bytes,
            result_bytes: note.result_bytes,
            ok: note.ok,
            fate: note.fate(run_is_over),
            reused: note.reused,
        }
    }
}

fn millis(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// A name as it stands in a path.
pub(crate) fn escaped(name: &str) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
