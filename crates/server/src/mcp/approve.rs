//! Calls that somebody has to approve, asked about through the client of the run.
//!
//! A client of the newest revision gets the question as its result and repeats the call with the answer; an
//! older one is asked while its call waits; one that knows neither is told where a person can answer. Only a
//! caller who may approve is asked this way: a token that may run programs and nothing else cannot let its own
//! calls through.
//!
//! A question shows so many calls, and only those are approved by its answer: what is not shown, or came
//! meanwhile, is the next question.

use std::collections::HashSet;
use std::fmt::Write as _;

use gateway::service::approvals::{Answer, Group, Item};
use gateway::service::ids::RunId;
use gateway::service::run::Run;
use gateway::service::{Caller, Scope};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, InputRequests, InputRequiredResult,
    InputResponses,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::relay::{ask, is_modern, read};
use super::{Mcp, caller};

/// What the question is called among those of one result.
const KEY: &str = "approval";
/// Calls that one question is about.
const SHOWN: usize = 100;
/// Letters of one argument that are shown.
const LETTERS: usize = 1_000;
/// Letters of one question; one call is shown at least.
const QUESTION: usize = 40_000;

/// What becomes of a call whose run waits for an approval.
pub(super) enum Next {
    /// It was answered, and the run goes on.
    Wait,
    /// The client is told this.
    Tell(Box<CallToolResponse>),
}

impl Mcp {
    /// Asks the client of a run about calls that wait, as far as it can be asked.
    pub(super) async fn ask_about(
        &self,
        run: &Run,
        groups: &[Group],
        context: &RequestContext<RoleServer>,
    ) -> Next {
        if !can_be_asked(context) {
            return Next::Tell(Box::new(self.where_to_answer(run, groups).into()));
        }
        if is_modern(context) {
            let question = json!({
                "resultType": "input_required",
                "inputRequests": { KEY: { "method": "elicitation/create", "params": question(groups) } },
                "requestState": state(run.id(), groups),
            });
            return match read::<InputRequiredResult>(question) {
                Ok(question) => Next::Tell(Box::new(question.into())),
                Err(_) => Next::Tell(Box::new(self.where_to_answer(run, groups).into())),
            };
        }
        match ask("elicitation/create", question(groups), context).await {
            Ok(answer) => {
                let asked = Asked::of(groups);
                self.take(run.id(), &asked, &answer, &caller(context)).await;
                Next::Wait
            }
            Err(_) => Next::Tell(Box::new(self.where_to_answer(run, groups).into())),
        }
    }

    /// Takes the answer that a client of the newest revision repeats its call with. The run that the call
    /// is about, if there is one.
    pub(super) async fn answered_call(
        &self,
        state: Option<&str>,
        responses: Option<&InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Option<RunId> {
        let (id, shown) = state?.split_once('.')?;
        let id: RunId = id.parse().ok()?;
        // Only who may see the run goes on with it; whoever else wrote this state gets nothing.
        self.shared.service.run(&caller(context), &id).await.ok()?;
        if let Some(answer) = responses.and_then(|responses| responses.get(KEY)) {
            self.take_if_shown(&id, shown, answer, &caller(context)).await;
        }
        self.take_answers(&id, responses);
        Some(id)
    }

    /// The same for a task.
    pub(super) async fn answered_task(
        &self,
        id: &RunId,
        responses: &InputResponses,
        caller: &Caller,
    ) {
        for (key, answer) in responses {
            if let Some(shown) = key.strip_prefix("approval-") {
                self.take_if_shown(id, shown, answer, caller).await;
            }
        }
    }

    /// What a task waits for, if that is somebody's approval and its client can be asked.
    pub(super) async fn questions(
        &self,
        id: &RunId,
        context: &RequestContext<RoleServer>,
    ) -> Option<InputRequests> {
        if !can_be_asked(context) {
            return None;
        }
        let caller = caller(context);
        let groups = self.shared.service.waiting_approvals(&caller, Some(id)).await.ok()?;
        if groups.is_empty() {
            return None;
        }
        let key = format!("approval-{}", Asked::of(&groups).mark());
        let request = json!({ "method": "elicitation/create", "params": question(&groups) });
        serde_json::from_value(json!({ key: request })).ok()
    }

    /// An answer counts for what was shown; if some of that was answered elsewhere, it is asked again.
    async fn take_if_shown(&self, id: &RunId, mark: &str, answer: &Value, caller: &Caller) {
        let waiting = self.shared.service.waiting_approvals(caller, Some(id)).await;
        let waiting = waiting.unwrap_or_default();
        if let Some(asked) = Asked::of_mark(&waiting, mark) {
            self.take(id, &asked, answer, caller).await;
        }
    }

    async fn take(&self, id: &RunId, asked: &Asked, answer: &Value, caller: &Caller) {
        let content = answer.get("content");
        let said = |key: &str| content.and_then(|content| content.get(key)?.as_str());
        let accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
        let decision = said("decision").filter(|_| accepted).unwrap_or("deny");
        let reason = said("reason").filter(|reason| !reason.trim().is_empty()).map(str::to_owned);
        let approves = ["approve", "approve_session"].contains(&decision);
        // Who says no means the rest of it, too; who says yes, what was shown.
        let unshown = asked.unshown.iter().filter(|_| !approves);
        let items = asked.shown.iter().chain(unshown).cloned().collect();
        let answer = Answer {
            approves,
            items: Some(items),
            tool: None,
            pattern: (decision == "approve_session").then(Vec::new),
            reason,
            by: format!("{} (client)", caller.owner),
        };
        if let Err(refusal) = self.shared.service.answer_approvals(caller, id, answer).await {
            // It was answered elsewhere meanwhile.
            tracing::debug!(run = %id, error = %refusal, "an answer came too late");
        }
    }

    /// Says what waits and where a person can answer.
    pub(super) fn where_to_answer(&self, run: &Run, groups: &[Group]) -> CallToolResult {
        let (id, record) = (run.id(), run.record());
        let page = self.shared.address.get().map(|at| format!("{at}/approvals/{id}"));
        let place = match &page {
            Some(page) => format!("{page} (or `tidegate approvals approve {id}`)"),
            None => format!("`tidegate approvals approve {id}` in a terminal"),
        };
        let asked = Asked::of(groups);
        let more = match asked.unshown.len() {
            0 => String::new(),
            more => format!("... and {more} more\n"),
        };
        let mut waits = told(&asked.only(groups));
        waits.truncate(waits.floor_char_boundary(12_000));
        let mut text = format!(
            "This program waits for somebody's approval:\n{waits}\n{more}Tell the user to decide at {place}. Then call this tool again with the same code and resume_from=\"{id}\": it waits for this run and gives its result; nothing is done twice.\n\nsession: {}",
            record.session
        );
        text.truncate(text.floor_char_boundary(20_000));
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        let waits: Vec<Value> = groups
            .iter()
            .map(|group| json!({ "tool": group.tool, "count": group.items.len() }))
            .collect();
        result.structured_content = Some(json!({
            "success": false,
            "return_value": Value::Null,
            "stdout": "",
            "stderr": "",
            "error": Value::Null,
            "session": record.session,
            "run_id": id,
            "waiting_for_approval": { "calls": waits, "url": page },
        }));
        result
    }
}

/// Whether the client of a request can be asked, and its answer counts.
fn can_be_asked(context: &RequestContext<RoleServer>) -> bool {
    let asks = context.client_capabilities().is_some_and(|has| has.elicitation.is_some());
    asks && caller(context).may(Scope::Approve)
}

/// The calls that one question is about.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    /// Those that are shown, in the order in which they came.
    shown: Vec<String>,
    /// Those that wait besides.
    unshown: Vec<String>,
}

impl Asked {
    /// A question about what waits: about the first of it, as much as a person can be shown.
    fn of(groups: &[Group]) -> Self {
        let items = in_order(groups);
        let mut letters = 0;
        let fits = |item: &&Item| {
            letters += arguments(&item.arguments).len();
            letters <= QUESTION
        };
        let count = items.iter().copied().take(SHOWN).take_while(fits).count().max(1);
        Self::of_first(&items, count)
    }

    /// The question that was asked, if what it showed still waits. What came since comes after it.
    fn of_mark(groups: &[Group], mark: &str) -> Option<Self> {
        let items = in_order(groups);
        let count = mark.split_once('-')?.0.parse().ok()?;
        let asked = (1..=items.len()).contains(&count).then(|| Self::of_first(&items, count))?;
        (asked.mark() == mark).then_some(asked)
    }

    fn of_first(items: &[&Item], count: usize) -> Self {
        let (shown, unshown) = items.split_at(count.min(items.len()));
        let ids = |items: &[&Item]| items.iter().map(|item| item.id.clone()).collect();
        Self { shown: ids(shown), unshown: ids(unshown) }
    }

    /// Says which calls were shown.
    fn mark(&self) -> String {
        let ids = blake3::hash(self.shown.concat().as_bytes()).to_hex();
        format!("{}-{}", self.shown.len(), &ids[..32])
    }

    /// What is shown of groups.
    fn only(&self, groups: &[Group]) -> Vec<Group> {
        let shown: HashSet<&str> = self.shown.iter().map(String::as_str).collect();
        let mut groups = groups.to_vec();
        for group in &mut groups {
            group.items.retain(|item| shown.contains(item.id.as_str()));
        }
        groups.retain(|group| !group.items.is_empty());
        groups
    }
}

/// All calls that wait, the first one first.
fn in_order(groups: &[Group]) -> Vec<&Item> {
    let mut items: Vec<&Item> = groups.iter().flat_map(|group| &group.items).collect();
    items.sort_by_key(|item| (item.number, item.asked_at.0));
    items
}

/// The question to a person.
fn question(groups: &[Group]) -> Value {
    let asked = Asked::of(groups);
    let calls = if asked.shown.len() == 1 { "this call" } else { "these calls" };
    let more = match asked.unshown.len() {
        0 => String::new(),
        more => format!("\n{more} more wait, and are asked about after these if you approve them."),
    };
    let shown = told(&asked.only(groups));
    json!({
        "mode": "form",
        "message": format!("A program wants to make {calls}:\n{shown}{more}"),
        "requestedSchema": {
            "type": "object",
            "properties": {
                "decision": {
                    "type": "string",
                    "title": "Decision",
                    "description": "Approve these calls, approve such calls for the whole session, or deny them",
                    "enum": ["approve", "approve_session", "deny"],
                },
                "reason": { "type": "string", "title": "Reason", "description": "For the program, if you like" },
            },
            "required": ["decision"],
        },
    })
}

/// What waits, in words: `37 x github.create_issue`, with arguments and what was done already.
fn told(groups: &[Group]) -> String {
    let mut text = String::new();
    for group in groups {
        let (count, tool) = (group.items.len(), &group.tool);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{count} x {tool}: {} ({})", group.reason, group.rule);
        for item in &group.items {
            let _ = writeln!(text, "  - {}", arguments(&item.arguments));
        }
    }
    let done = groups.iter().map(|group| &group.done).max_by_key(|done| done.values().sum::<u64>());
    let done: Vec<String> =
        done.into_iter().flatten().map(|(tool, count)| format!("{count} x {tool}")).collect();
    if !done.is_empty() {
        let _ = writeln!(text, "Done so far: {}", done.join(", "));
    }
    text
}

fn arguments(value: &Value) -> String {
    let none = Map::new();
    let fields = value
        .as_object()
        .unwrap_or(&none)
        .iter()
        .map(|(name, value)| format!("{}: {}", named(name), cut(&visible(&value.to_string()))));
    let all: Vec<String> = fields.collect();
    if all.is_empty() { "no arguments".to_owned() } else { all.join(", ") }
}

/// The name of an argument: as it is where nothing in it could be taken for anything else.
fn named(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.$".contains(letter);
    if !name.is_empty() && name.chars().all(is_plain) && name.len() <= LETTERS {
        return name.to_owned();
    }
    cut(&visible(&Value::from(name).to_string()))
}

fn cut(text: &str) -> String {
    let count = text.chars().count();
    if count <= LETTERS {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LETTERS).collect();
    format!("{cut}... ({} more letters)", count - LETTERS)
}

/// JSON in which everything can be seen that is there: whatever begins a line, changes the direction of
/// others or is invisible is escaped. A program writes what a person is asked about.
fn visible(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        let is_unseen = letter.is_control()
            || matches!(
                letter,
                '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
                    | '\u{e0000}'..='\u{e0fff}'
            );
        if is_unseen {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(letter);
        }
    }
    text
}

/// What comes back with what a client's model said.
pub(super) fn model_state(run: &RunId) -> String {
    format!("{run}.model")
}

/// What comes back with the answer: the run, and what was shown. It is no secret and needs no seal: who
/// sends it has to own the run and be allowed to approve, and then may answer whatever waits.
fn state(run: &RunId, groups: &[Group]) -> String {
    format!("{run}.{}", Asked::of(groups).mark())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gateway::service::Moment;

    use super::*;

    fn group(tool: &str, numbers: impl IntoIterator<Item = u64>) -> Group {
        let item = |number: u64| Item {
            id: format!("a_{number}"),
            number,
            arguments: json!({ "key": number }),
            asked_at: Moment(0),
        };
        Group {
            run: "r".into(),
            session: "s".into(),
            owner: "ann".into(),
            tool: tool.into(),
            rule: "rule 1".into(),
            reason: "why".into(),
            grounds: vec!["rule 1".into()],
            asked_at: Moment(0),
            expires_at: Moment(0),
            items: numbers.into_iter().map(item).collect(),
            done: BTreeMap::from([("desk.look".to_owned(), 1)]),
        }
    }

    #[test]
    fn an_answer_is_for_what_was_shown_and_not_for_what_came_meanwhile() {
        let before = [group("a.b", [1, 3]), group("c.d", [2])];
        let mark = Asked::of(&before).mark();
        // One more call of the first group, which is before the second.
        let after = [group("a.b", [1, 3, 4]), group("c.d", [2])];
        let asked = Asked::of_mark(&after, &mark).unwrap();
        assert_eq!(asked.shown, ["a_1", "a_2", "a_3"]);
        assert_eq!(asked.unshown, ["a_4"]);
        // Where one of them was answered elsewhere, it is another question.
        assert_eq!(Asked::of_mark(&[group("a.b", [1, 4]), group("c.d", [2])], &mark), None);
        for forged in ["", "3", "0-", "99-x", "3-00000000000000000000000000000000"] {
            assert_eq!(Asked::of_mark(&after, forged), None, "{forged}");
        }
    }

    #[test]
    fn a_program_writes_no_line_of_the_question() {
        let mut forged = group("gh.create_issue", [1]);
        forged.items[0].arguments = json!({
            "x\n1 x gh.get_repo: harmless (rule 9)\n  - all fine": 1,
            "b": "\u{202e}evil\u{2028}\u{e0041}",
            "title": "ö\n",
        });
        let shown = told(&[forged]);
        assert_eq!(shown.lines().count(), 3, "{shown}");
        assert!(shown.contains(r#""x\n1 x gh.get_repo"#), "{shown}");
        assert!(shown.contains(r#"b: "\u202eevil\u2028\udb40\udc41""#), "{shown}");
        assert!(shown.contains(r#"title: "ö\n""#), "{shown}");
    }

    #[test]
    fn every_call_that_a_question_is_about_is_in_it() {
        let groups = [group("a.b", 1..=250)];
        let asked = Asked::of(&groups);
        assert_eq!((asked.shown.len(), asked.unshown.len()), (SHOWN, 250 - SHOWN));
        let question = question(&groups)["message"].as_str().unwrap().to_owned();
        assert!(question.contains("100 x a.b") && question.contains("150 more wait"), "{question}");
        assert!(question.contains("- key: 100\n") && !question.contains("key: 101"), "{question}");
        assert!(question.contains("Done so far: 1 x desk.look"), "{question}");
        let mut long = group("a.b", 1..=3);
        for item in &mut long.items {
            let text = "x".repeat(900);
            let fields = (0..30).map(|at| (at.to_string(), json!(text)));
            item.arguments = Value::Object(fields.collect());
        }
        assert_eq!(Asked::of(&[long]).shown, ["a_1"]);
    }
}
