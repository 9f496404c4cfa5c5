//! Reviews: what a program could do, told without running it, and beside every run.

use axum::Json;
use axum::extract::State;
use engine::Level;
use gateway::review::{Estimates, Review, ToolUse, Violation};
use gateway::service::{Request, Validated};
use http::HeaderMap;
use metrics::counter;
use serde::Serialize;
use utoipa::ToSchema;

use super::Door;
use super::access::Follower;
use super::execute::{LanguageGiven, LevelGiven};
use super::given::{Body, Fields, Parameters};
use super::problem::{ErrorBody, Problem};

/// A program that is to be looked at.
#[derive(Debug, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Validate)]
#[expect(dead_code, reason = "says in the API's description what is read by name")]
pub(crate) struct ValidateBody {
    /// The program.
    #[schema(min_length = 1, pattern = "\\S", example = "return sum(range(10))")]
    code: String,
    /// The level it is held against, no looser than the operator's.
    #[schema(value_type = Option<LevelGiven>)]
    level: Option<Level>,
    /// What it is written in.
    #[schema(value_type = Option<LanguageGiven>)]
    language: Option<String>,
}

/// What is known of a program before it runs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Review)]
pub(crate) struct ReviewShown {
    /// Nothing of high risk was found.
    is_safe: bool,
    /// The highest risk that was found.
    risk: RiskShown,
    /// What was found, in the order of the program.
    violations: Vec<ViolationShown>,
    /// Violations beyond those that are told.
    more: u64,
    /// The tools that it will call.
    tools: Vec<ToolUseShown>,
    /// How large it is, and how often it calls.
    estimates: EstimatesShown,
}

/// How much there is to be said against something.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Risk)]
pub(crate) enum RiskShown {
    /// Worth knowing.
    Low,
    /// Worth a look.
    Medium,
    /// What programs that compute and call tools have no need of.
    High,
}

/// One thing that a rule found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Violation)]
pub(crate) struct ViolationShown {
    /// The rule's stable name.
    #[schema(example = "dynamic-execution")]
    rule: &'static str,
    /// How much it weighs.
    severity: RiskShown,
    /// What was found.
    message: String,
    /// The line, from 1.
    line: u32,
    /// The column, from 1.
    column: u32,
    /// That line.
    source: String,
}

/// A tool that a program will call.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ToolUse)]
pub(crate) struct ToolUseShown {
    /// The server.
    server: String,
    /// The tool.
    tool: String,
    /// What it may do: `read-only`, `open-world`, `unannotated`, `write`, `destructive`.
    risk: &'static str,
    /// Its server is believed when it calls a tool harmless.
    trusted: bool,
    /// How often it is called, as far as that can be counted.
    calls: u64,
    /// It is called in a loop whose length only running would tell; `calls` counts one round of that.
    unbounded: bool,
}

/// How large a program is, and how often it calls.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Estimates)]
pub(crate) struct EstimatesShown {
    /// Calls of tools, as far as they can be counted.
    calls: u64,
    /// Some are in loops whose length only running would tell; `calls` counts one round of those.
    unbounded: bool,
    /// Places that call a tool.
    call_sites: u64,
    /// Loops, comprehensions included.
    loops: u64,
    /// Functions.
    functions: u64,
    /// Lines.
    lines: u64,
    /// Nodes of its syntax tree.
    nodes: u64,
}

/// A review, and what would be done about the program.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Validated)]
pub(crate) struct ValidatedShown {
    /// Nothing of high risk was found.
    is_safe: bool,
    /// The highest risk that was found.
    risk: RiskShown,
    /// The level it was held against.
    level: &'static str,
    /// What would be done about it here: `allow`, `ask` or `deny`.
    verdict: &'static str,
    /// Why it would not simply run: the finding, its line and the setting.
    reason: Option<String>,
    /// What was found, in the order of the program.
    violations: Vec<ViolationShown>,
    /// Violations beyond those that are told.
    more: u64,
    /// The tools that it will call.
    tools: Vec<ToolUseShown>,
    /// How large it is, and how often it calls.
    estimates: EstimatesShown,
}

impl From<&Review> for ReviewShown {
    fn from(review: &Review) -> Self {
        Self {
            is_safe: review.is_safe,
            risk: review.risk.into(),
            violations: review.violations.iter().map(ViolationShown::from).collect(),
            more: review.more,
            tools: review.tools.iter().map(ToolUseShown::from).collect(),
            estimates: review.estimates.into(),
        }
    }
}

impl From<Validated> for ValidatedShown {
    fn from(validated: Validated) -> Self {
        let Validated { review, verdict, level } = validated;
        let ReviewShown { is_safe, risk, violations, more, tools, estimates } =
            ReviewShown::from(&review);
        let reason = verdict.decided().map(ToString::to_string);
        let (level, verdict) = (level.name(), verdict.action().name());
        Self { is_safe, risk, level, verdict, reason, violations, more, tools, estimates }
    }
}

impl From<gateway::review::Risk> for RiskShown {
    fn from(risk: gateway::review::Risk) -> Self {
        match risk {
            gateway::review::Risk::Low => Self::Low,
            gateway::review::Risk::Medium => Self::Medium,
            gateway::review::Risk::High => Self::High,
        }
    }
}

impl From<&Violation> for ViolationShown {
    fn from(one: &Violation) -> Self {
        Self {
            rule: one.rule.name(),
            severity: one.severity.into(),
            message: one.message.clone(),
            line: one.line,
            column: one.column,
            source: one.source.clone(),
        }
    }
}

impl From<&ToolUse> for ToolUseShown {
    fn from(one: &ToolUse) -> Self {
        Self {
            server: one.server.clone(),
            tool: one.tool.clone(),
            risk: one.risk.name(),
            trusted: one.trusted,
            calls: one.calls,
            unbounded: one.unbounded,
        }
    }
}

impl From<Estimates> for EstimatesShown {
    fn from(estimates: Estimates) -> Self {
        let Estimates { calls, unbounded, call_sites, loops, functions, lines, nodes } = estimates;
        Self { calls, unbounded, call_sites, loops, functions, lines, nodes }
    }
}

/// Says what a program could do, and what would be done about it, without running it.
#[utoipa::path(
    post, path = "/api/v1/validate", tag = "run", request_body = ValidateBody,
    responses((status = 200, description = "The review.", body = ValidatedShown),
        (status = 403, description = "The token may neither run programs nor read: `scope_missing`.", body = ErrorBody))
)]
pub(crate) async fn validate(
    State(door): State<Door>,
    _: Follower,
    headers: HeaderMap,
    query: Parameters,
    Body(body): Body,
) -> Result<Json<ValidatedShown>, Problem> {
    query.end()?;
    let mut fields = Fields::read(&headers, &body)?;
    let request = Request {
        code: fields.need("code")?,
        level: fields.take("level")?,
        language: fields.take("language")?,
        ..Request::default()
    };
    fields.end()?;
    counter!("tidegate_requests_total", "kind" => "validate").increment(1);
    Ok(Json(door.shared.service.review(&request).await?.into()))
}
