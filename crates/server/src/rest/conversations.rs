//! Conversations as they are kept: what was asked and answered, and what all of it used.

use agent::Totals;
use axum::Json;
use axum::extract::State;
use gateway::service::Refusal;
use gateway::service::conversations::{Conversation, Heading, Turn};
use gateway::service::ids::ConversationId;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::Door;
use super::access::Follower;
use super::given::{At, Parameters, cut};
use super::moment;
use super::problem::{ErrorBody, Problem};

/// What a whole conversation used.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = ConversationTotals)]
pub(crate) struct TotalsShown {
    /// Tokens that models read and wrote, also for questions that were not answered.
    tokens: u64,
    /// What they cost.
    cost: f64,
    /// Tokens that the same work would have taken with tools instead of programs.
    direct_tokens: u64,
    /// `direct_tokens` less `tokens`; negative where programs were the dearer way.
    tokens_saved: i64,
}

/// One of the conversations of a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConversationHeading)]
pub(crate) struct HeadingShown {
    /// What it is called.
    #[schema(pattern = "^c_[0-9a-f]{32}$")]
    id: String,
    /// When it began.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last used.
    #[schema(format = DateTime)]
    used_at: String,
    /// Questions of it that are kept.
    turns: u64,
    /// The last of them.
    question: Option<String>,
    /// What all of it used.
    totals: TotalsShown,
}

/// Conversations, the last used first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Conversations {
    /// The conversations.
    conversations: Vec<HeadingShown>,
}

/// A conversation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Conversation)]
pub(crate) struct ConversationShown {
    /// What it is called.
    #[schema(pattern = "^c_[0-9a-f]{32}$")]
    id: String,
    /// When it began.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last used.
    #[schema(format = DateTime)]
    used_at: String,
    /// The session that its programs run in.
    #[schema(pattern = "^s_[0-9a-f]{32}$")]
    session: Option<String>,
    /// What was asked and answered, the latest last.
    turns: Vec<TurnShown>,
    /// What all of it used.
    totals: TotalsShown,
}

/// A question and its answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConversationTurn)]
pub(crate) struct TurnShown {
    /// When it was answered.
    #[schema(format = DateTime)]
    at: String,
    /// What was asked.
    question: String,
    /// What was answered.
    answer: String,
    /// The programs that ran for it.
    runs: Vec<String>,
    /// Tokens that it took.
    tokens: u64,
    /// What they cost.
    cost: f64,
}

impl From<Totals> for TotalsShown {
    fn from(totals: Totals) -> Self {
        let Totals { tokens, cost, direct_tokens, tokens_saved } = totals;
        Self { tokens, cost, direct_tokens, tokens_saved }
    }
}

impl From<Heading> for HeadingShown {
    fn from(one: Heading) -> Self {
        Self {
            id: one.id.to_string(),
            created_at: moment::text(one.created_at),
            used_at: moment::text(one.used_at),
            turns: one.turns,
            question: one.question,
            totals: Totals::new(one.tokens, one.cost, one.direct_tokens).into(),
        }
    }
}

impl From<Conversation> for ConversationShown {
    fn from(one: Conversation) -> Self {
        Self {
            id: one.id.to_string(),
            created_at: moment::text(one.created_at),
            used_at: moment::text(one.used_at),
            totals: Totals::of(&one).into(),
            session: one.session.map(|session| session.to_string()),
            turns: one.turns.into_iter().map(TurnShown::from).collect(),
        }
    }
}

impl From<Turn> for TurnShown {
    fn from(turn: Turn) -> Self {
        Self {
            at: moment::text(turn.at),
            question: turn.question,
            answer: turn.answer,
            runs: turn.runs.iter().map(ToString::to_string).collect(),
            tokens: turn.tokens,
            cost: turn.cost,
        }
    }
}

/// Lists one's conversations, the last used first.
#[utoipa::path(
    get, path = "/api/v1/conversations", tag = "run",
    responses((status = 200, description = "The conversations.", body = Conversations))
)]
pub(crate) async fn list(
    State(door): State<Door>,
    Follower(caller): Follower,
    query: Parameters,
) -> Result<Json<Conversations>, Problem> {
    query.end()?;
    let found = door.shared.service.conversations(&caller).await.map_err(Refusal::from)?;
    let conversations = found.into_iter().map(HeadingShown::from).collect();
    Ok(Json(Conversations { conversations }))
}

/// One conversation, with what was said and what it used.
#[utoipa::path(
    get, path = "/api/v1/conversations/{id}", tag = "run",
    params(("id" = String, Path, description = "The conversation.", pattern = "^c_[0-9a-f]{32}$")),
    responses(
        (status = 200, description = "The conversation.", body = ConversationShown),
        (status = 404, description = "There is no such conversation: `unknown_conversation`.", body = ErrorBody),
    )
)]
pub(crate) async fn one(
    State(door): State<Door>,
    Follower(caller): Follower,
    At(id): At<String>,
) -> Result<Json<ConversationShown>, Problem> {
    let unknown = || {
        let message = format!("there is no conversation {:?}", cut(&id));
        Problem::new(StatusCode::NOT_FOUND, "unknown_conversation", message)
    };
    let known: ConversationId = id.parse().map_err(|_| unknown())?;
    let found = door.shared.service.conversation(&caller, &known).await.map_err(Refusal::from)?;
    found.map(|one| Json(one.into())).ok_or_else(unknown)
}
