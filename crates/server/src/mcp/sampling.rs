//! Questions of programs to the model of their client (`sampling/createMessage`).
//!
//! A client of the newest revision gets what is asked as its result and repeats the call with the answers; an older one
//! is asked while its call waits. A run that its client no longer waits for asks the provider instead.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use gateway::minds::{ClientMind, End, Mind, MindError, Prompt, Reply};
use gateway::service::ids::RunId;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, InputRequests, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

use super::relay::{ask, is_modern, read};
use super::{Mcp, approve};

/// How long a client may take for one answer: a person may want to read it first.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long further questions are waited for that go out together.
const TOGETHER: Duration = Duration::from_millis(50);
/// Tokens that one answer may have.
const REPLY_TOKENS: u64 = 4_096;
/// What a question is called among those of one result.
const KEY: &str = "model-";

/// The questions of the runs that clients wait for.
#[derive(Default)]
pub(super) struct Lines(Mutex<HashMap<RunId, Weak<Line>>>);

impl Lines {
    /// The questions of a run, if its client can be asked.
    pub(super) fn of(&self, run: &RunId) -> Option<Arc<Line>> {
        self.lock().get(run)?.upgrade()
    }

    pub(super) fn keep(&self, run: &RunId, line: &Arc<Line>) {
        let mut lines = self.lock();
        lines.retain(|_, line| line.strong_count() > 0);
        lines.insert(run.clone(), Arc::downgrade(line));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Weak<Line>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The questions of one run.
pub(super) struct Line {
    /// Its client repeats its call with the answers.
    is_modern: bool,
    is_open: AtomicBool,
    waiting: Mutex<Waiting>,
    asked: Notify,
}

#[derive(Default)]
struct Waiting {
    last: u64,
    questions: BTreeMap<u64, Question>,
}

struct Question {
    params: Value,
    /// Its client has it.
    is_sent: bool,
    answer: oneshot::Sender<Result<Value, MindError>>,
}

impl Line {
    fn new(is_modern: bool) -> Arc<Self> {
        let (is_open, waiting, asked) = (AtomicBool::new(true), Mutex::default(), Notify::new());
        Arc::new(Self { is_modern, is_open, waiting, asked })
    }

    /// As the gateway takes it.
    pub(super) fn mind(self: &Arc<Self>) -> ClientMind {
        ClientMind(Arc::new(Sampler(Arc::clone(self))))
    }

    /// Says that a client waits, as long as what this gives is there.
    pub(super) fn open(self: &Arc<Self>) -> Open {
        self.is_open.store(true, Ordering::Release);
        Open(Arc::clone(self))
    }

    /// Comes back when there is a question that the client does not have.
    pub(super) async fn asks(&self) {
        loop {
            // Registered before looking, so that a question between the two is not missed.
            let asked = self.asked.notified();
            tokio::pin!(asked);
            asked.as_mut().enable();
            if self.lock().questions.values().any(|question| !question.is_sent) {
                return;
            }
            asked.await;
        }
    }

    /// Those that the client does not have. They count as sent.
    fn unsent(&self) -> Vec<(u64, Value)> {
        let mut waiting = self.lock();
        let unsent = waiting.questions.iter_mut().filter(|(_, question)| !question.is_sent);
        let unsent = unsent.map(|(id, question)| {
            question.is_sent = true;
            (*id, question.params.clone())
        });
        unsent.collect()
    }

    /// Hands an answer to whoever asked.
    fn answer(&self, id: u64, answer: Result<Value, MindError>) {
        let question = self.lock().questions.remove(&id);
        if let Some(question) = question {
            // Whoever asked may have given up.
            let _ = question.answer.send(answer);
        }
    }

    /// The client repeats its call: what it does not answer it is asked again.
    fn is_back(&self) {
        self.lock().questions.values_mut().for_each(|question| question.is_sent = false);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client that waits for a run.
pub(super) struct Open(Arc<Line>);

impl Drop for Open {
    fn drop(&mut self) {
        if self.0.is_modern {
            // It comes back with the answers.
            return;
        }
        self.0.is_open.store(false, Ordering::Release);
        let left = std::mem::take(&mut self.0.lock().questions);
        for question in left.into_values() {
            let gone = "the client no longer waits for this run".to_owned();
            let error =
                if question.is_sent { MindError::Failed(gone) } else { MindError::Gone(gone) };
            let _ = question.answer.send(Err(error));
        }
    }
}

/// A client's model.
struct Sampler(Arc<Line>);

#[async_trait]
impl Mind for Sampler {
    fn name(&self) -> &'static str {
        "client"
    }

    fn is_there(&self) -> bool {
        self.0.is_open.load(Ordering::Acquire)
    }

    fn reply_tokens(&self) -> u64 {
        REPLY_TOKENS
    }

    async fn reply(&self, prompt: &Prompt) -> Result<Reply, MindError> {
        if !self.is_there() {
            return Err(MindError::Gone("the client no longer waits for this run".to_owned()));
        }
        let (send, answer) = oneshot::channel();
        let id = {
            let mut waiting = self.0.lock();
            waiting.last += 1;
            let (id, params) = (waiting.last, params(prompt));
            waiting.questions.insert(id, Question { params, is_sent: false, answer: send });
            id
        };
        let _asked = Asked { line: &self.0, id };
        self.0.asked.notify_waiters();
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => reply(&answer?, prompt),
            Ok(Err(_)) => Err(MindError::Failed("the question was lost".to_owned())),
            Err(_) => Err(MindError::Failed(format!(
                "the client did not answer within {} seconds",
                PATIENCE.as_secs()
            ))),
        }
    }
}

/// A question that is withdrawn when nobody waits for its answer any more.
struct Asked<'a> {
    line: &'a Line,
    id: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.line.lock().questions.remove(&self.id);
    }
}

/// A question in the words of the protocol.
fn params(prompt: &Prompt) -> Value {
    let said = prompt.said.iter().enumerate().map(|(at, text)| {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        json!({ "role": role, "content": { "type": "text", "text": text } })
    });
    let mut params = json!({
        "messages": said.collect::<Vec<_>>(),
        "maxTokens": u32::try_from(prompt.reply_tokens).unwrap_or(u32::MAX),
    });
    if !prompt.system.is_empty() {
        params["systemPrompt"] = prompt.system.as_str().into();
    }
    params
}

/// What a client's model said. Its tokens are counted here, because clients do not say them.
fn reply(answer: &Value, prompt: &Prompt) -> Result<Reply, MindError> {
    let parts = match &answer["content"] {
        Value::Array(parts) => parts.as_slice(),
        part @ Value::Object(_) => std::slice::from_ref(part),
        _ => return Err(MindError::Failed("the client's answer has no content".to_owned())),
    };
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
    let Some(texts) = texts else {
        return Err(MindError::Failed(
            "the client's model answered with something else than text".to_owned(),
        ));
    };
    let text = texts.concat();
    let end = match answer["stopReason"].as_str() {
        Some("maxTokens") => End::Cut,
        Some("refusal") => End::Refused,
        _ => End::Whole,
    };
    let input = budget::count(&prompt.system)
        + prompt.said.iter().map(|text| budget::count(text)).sum::<usize>();
    let output = budget::count(&text) as u64;
    Ok(Reply { text, end, input: input as u64, output, cost: 0.0 })
}

impl Mcp {
    /// The questions of a run that begins, if its client can be asked.
    pub(super) fn line(context: &RequestContext<RoleServer>) -> Option<Arc<Line>> {
        let has_model = context.client_capabilities().is_some_and(|has| has.sampling.is_some());
        has_model.then(|| Line::new(is_modern(context)))
    }

    /// Asks an older client what a run wants to know.
    pub(super) async fn ask_model(
        line: &Line,
        (id, params): (u64, Value),
        context: &RequestContext<RoleServer>,
    ) {
        let answer = ask("sampling/createMessage", params, context).await;
        line.answer(id, answer.map_err(|refused| MindError::Failed(refused.message)));
    }

    /// The questions that an older client is asked now.
    pub(super) fn to_ask(line: &Line) -> Vec<(u64, Value)> {
        line.unsent()
    }

    /// What a client of the newest revision is asked as the result of its call; nothing for an older one.
    pub(super) async fn model_questions(
        &self,
        run: &RunId,
        line: &Line,
    ) -> Option<CallToolResponse> {
        if !line.is_modern {
            return None;
        }
        tokio::time::sleep(TOGETHER).await;
        let question = json!({
            "resultType": "input_required",
            "inputRequests": requests(line.unsent()),
            "requestState": approve::model_state(run),
        });
        read::<InputRequiredResult>(question).ok().map(CallToolResponse::from)
    }

    /// The same for a task.
    pub(super) fn task_questions(&self, run: &RunId) -> Option<InputRequests> {
        let line = self.lines.of(run)?;
        line.is_back();
        let unsent = line.unsent();
        if unsent.is_empty() { None } else { serde_json::from_value(requests(unsent)).ok() }
    }

    /// Takes what a client's model said.
    pub(super) fn take_answers(&self, run: &RunId, responses: Option<&InputResponses>) {
        let Some(line) = self.lines.of(run) else { return };
        for (key, answer) in responses.into_iter().flatten() {
            if let Some(Ok(id)) = key.strip_prefix(KEY).map(str::parse) {
                line.answer(id, Ok(answer.clone()));
            }
        }
        line.is_back();
    }
}

fn requests(questions: Vec<(u64, Value)>) -> Value {
    let named = questions.into_iter().map(|(id, params)| {
        (format!("{KEY}{id}"), json!({ "method": "sampling/createMessage", "params": params }))
    });
    Value::Object(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> Prompt {
        let said = ["one", "two", "three"].map(str::to_owned).to_vec();
        Prompt { system: "short".to_owned(), said, reply_tokens: 7, ..Prompt::default() }
    }

    #[test]
    fn a_question_is_what_the_protocol_says_and_an_answer_too() {
        let sent = params(&prompt());
        let roles: Vec<&str> = sent["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["role"].as_str())
            .collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        assert_eq!((&sent["maxTokens"], &sent["systemPrompt"]), (&json!(7), &json!("short")));
        let requests = requests(vec![(1, sent)]);
        assert!(serde_json::from_value::<InputRequests>(requests).is_ok());
        let text = json!({ "type": "text", "text": "four" });
        let said = |content: Value, stop: &str| {
            reply(
                &json!({ "role": "assistant", "model": "m", "content": content, "stopReason": stop }),
                &prompt(),
            )
        };
        let whole = said(text.clone(), "endTurn").unwrap();
        assert_eq!((whole.text.as_str(), whole.end, whole.input), ("four", End::Whole, 4));
        assert_eq!(said(json!([text]), "maxTokens").unwrap().end, End::Cut);
        for other in [json!({ "type": "image", "data": "" }), json!("text"), Value::Null] {
            assert!(said(other, "endTurn").is_err());
        }
    }

    #[tokio::test]
    async fn a_client_that_leaves_was_not_asked_what_it_never_saw() {
        let line = Line::new(false);
        let open = line.open();
        let ClientMind(mind) = line.mind();
        let prompt = prompt();
        let (first, second) = (mind.reply(&prompt), mind.reply(&prompt));
        let leaves = async {
            line.asks().await;
            let asked = line.unsent();
            assert_eq!(asked.len(), 2);
            line.answer(asked[0].0, Ok(json!({ "content": { "type": "text", "text": "four" } })));
            drop(open);
        };
        let (first, second, ()) = tokio::join!(first, second, leaves);
        assert_eq!(first.unwrap().text, "four");
        assert!(matches!(second, Err(MindError::Failed(_))), "it has seen the second one");
        assert!(!mind.is_there());
        assert!(matches!(mind.reply(&prompt).await, Err(MindError::Gone(_))));
        // One of the newest revision comes back.
        let line = Line::new(true);
        drop(line.open());
        assert!(line.mind().0.is_there());
    }
}
