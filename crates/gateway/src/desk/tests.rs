//! Calls that leave once, and messages that nobody loses.

use std::collections::BTreeMap;

use futures_util::FutureExt as _;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use upstream::{Options, Upstreams};

use super::*;
use crate::mailboxes::{GIVE_BACK, POST, RECEIVE};
use crate::{Memory, Tools};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_whose_answer_was_fetched_does_not_leave_again() {
    let upstreams = Upstreams::new(Vec::new(), Options::default());
    let tools = Tools::new(upstreams, BTreeMap::new(), Memory::none());
    let desk = Desk::new(tools.offer("").await, Arc::default(), 1 << 20, Arc::new(engine::NoHost));
    let arguments = RawValue::from_string(r#"{"tool": "none"}"#.into()).unwrap();
    let call = HostCall { id: CallId(1), name: "$call".into(), arguments };
    assert!(desk.answer(&call).is_none());
    let answers = desk.wait(Instant::now() + Duration::from_secs(60));
    assert_eq!(answers.len(), 1);
    // Whoever waits for it while the guest rests comes late, and must not start it anew.
    let mut late = Calls::call(&desk, call);
    assert!((&mut late).now_or_never().is_none());
    let calls = desk.board.lock();
    assert!(calls.way.is_empty() && calls.done.is_empty());
    drop(calls);
}

#[test]
fn a_call_that_left_before_is_unknown_also_if_it_cannot_be_made_again() {
    let failed = |kind: &str| {
        let error = CallError { kind: kind.to_owned(), message: "why".to_owned() };
        let result = still_unknown(CallResult { id: CallId(1), result: Err(error) });
        result.result.unwrap_err()
    };
    let unmade = failed(crate::hearing::UNSENT);
    assert_eq!(unmade.kind, UNANSWERED);
    assert!(unmade.message.ends_with("could not be made again: why"), "{}", unmade.message);
    assert_eq!(failed("ToolError").kind, "ToolError");
}

/// Keeps what a session has read.
#[derive(Default)]
struct Labels(Mutex<Vec<(String, String)>>);

#[async_trait]
impl crate::judge::Clerk for Labels {
    async fn ask(&self, _: &crate::judge::Wish<'_>, _: &policy::Decision) -> Result<(), String> {
        Err("nobody is asked here".to_owned())
    }

    async fn labels(&self, _: &str) -> Result<std::collections::BTreeSet<String>, String> {
        Ok(std::collections::BTreeSet::new())
    }

    async fn label(&self, session: &str, tool: &str) -> Result<(), String> {
        self.0.lock().unwrap().push((session.to_owned(), tool.to_owned()));
        Ok(())
    }

    async fn counted(&self, _: &str, _: &str, _: u64) -> Result<u64, String> {
        Ok(0)
    }

    async fn count(&self, _: &str, _: &str, _: u64, _: u64) -> Result<(), String> {
        Ok(())
    }

    fn decided(&self, _: &crate::judge::Wish<'_>, _: &policy::Decision) {}
}

/// Knows the answer of every call from an earlier run.
struct Earlier;

#[async_trait]
impl Books for Earlier {
    fn named<'call>(&self, call: &'call HostCall) -> Cow<'call, HostCall> {
        Cow::Borrowed(call)
    }

    fn known(&self, call: &HostCall) -> Option<(CallResult, CallNote)> {
        let value = RawValue::from_string("7".into()).unwrap();
        let result = CallResult { id: call.id, result: Ok(value) };
        let note = CallNote::leaving(call).with(&result, Duration::ZERO);
        Some((result, note))
    }

    fn holds(&self, _: &HostCall) -> bool {
        false
    }

    fn leaves(&self, _: &HostCall) -> Result<(), CallError> {
        Ok(())
    }

    fn departure(&self, _: &HostCall) -> Option<Arc<dyn Departure>> {
        None
    }

    async fn answered(&self, _: &CallResult, _: Duration) {}

    fn withdrawn(&self, _: CallId) {}

    async fn goes_back(&self, _: CallId) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_an_earlier_run_brings_the_label_of_where_it_came_from() {
    let upstreams = Upstreams::new(Vec::new(), Options::default());
    let tools = Tools::new(upstreams, BTreeMap::new(), Memory::none());
    let flow = serde_json::json!({
        "flow": [{ "from": ["http.*", "hr.*"], "to": "slack.*", "action": "deny" }],
    });
    let settings = serde_json::from_value(flow).unwrap();
    tools.judge().follow(policy::Policy::new(settings, &crate::judge::LEVELS).unwrap());
    let labels = Arc::new(Labels::default());
    tools.judge().employ(Arc::clone(&labels) as _);
    let behalf = Arc::new(Behalf { session: "s_new".into(), ..Behalf::default() });
    let desk = Desk::new(tools.offer("").await, behalf, 1 << 20, Arc::new(engine::NoHost))
        .with_books(Arc::new(Earlier));
    for (id, name, arguments, label) in [
        (1, "$http", r#"{"method": "GET", "url": "https://hr.example/x"}"#, "http.GET hr.example"),
        // A server that is not there any more may have been any.
        (2, "$call", r#"{"server": "hr", "tool": "salaries"}"#, policy::ANYWHERE),
    ] {
        let arguments = RawValue::from_string(arguments.into()).unwrap();
        let call = HostCall { id: CallId(id), name: name.into(), arguments };
        assert!(desk.answer(&call).is_none(), "it is not read before it is labelled");
        let answers = desk.wait(Instant::now() + Duration::from_secs(60));
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].result.as_ref().unwrap().get(), "7");
        let last = labels.0.lock().unwrap().last().cloned();
        assert_eq!(last, Some(("s_new".to_owned(), label.to_owned())));
    }
}

fn call(id: u64, name: &str, arguments: &Value) -> HostCall {
    HostCall { id: CallId(id), name: name.to_owned(), arguments: to_raw_value(arguments).unwrap() }
}

/// A desk whose answers may be so long, and what else uses the same mailboxes: the box `work` has two messages.
async fn with_messages(most: u64) -> (Desk, Arc<Offer>) {
    let upstreams = Upstreams::new(Vec::new(), Options::default());
    let tools = Tools::new(upstreams, BTreeMap::new(), Memory::none());
    let offer = tools.offer("").await;
    for number in [1, 2] {
        let post = call(number, POST, &json!({ "box": "work", "message": number }));
        offer.carry_out(&post, &Behalf::default()).await.result.unwrap();
    }
    let desk = Desk::new(Arc::clone(&offer), Arc::default(), most, Arc::new(engine::NoHost));
    (desk, offer)
}

/// What is left in the box, once everything is there that goes back.
async fn left(offer: &Offer) -> Vec<u64> {
    offer.tools().mailboxes().close().await;
    let mut left = Vec::new();
    let receive = call(9, RECEIVE, &json!({ "box": "work", "timeout": 0 }));
    while let Ok(value) = offer.carry_out(&receive, &Behalf::default()).await.result {
        let value: Value = serde_json::from_str(value.get()).unwrap();
        left.push(value["v"].as_u64().unwrap());
    }
    left
}

/// Has the desk take the first message, and nobody fetch it yet.
async fn taken(desk: &Desk) {
    assert!(desk.answer(&call(1, RECEIVE, &json!({ "box": "work" }))).is_none());
    while desk.board.lock().done.is_empty() {
        tokio::task::yield_now().await;
    }
}

fn fetched(desk: &Desk) {
    assert_eq!(desk.wait(Instant::now() + Duration::from_secs(60)).len(), 1);
}

/// Something that happens to a desk.
type Way = fn(&Desk);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_the_program_did_not_get_goes_back_to_where_it_stood() {
    let ways: [(&str, Way); 6] = [
        ("its call was given up", |desk| desk.withdraw(CallId(1))),
        ("the same while the guest rests", |desk| Calls::withdrawn(desk, CallId(1))),
        ("the run was over", Desk::close),
        ("the run was over while its answer was on the way", |desk| {
            fetched(desk);
            desk.close();
        }),
        ("the guest had given it up when it came", |desk| {
            fetched(desk);
            let given = call(2, GIVE_BACK, &json!({ "call": 1 }));
            desk.answer_alone(&given).unwrap().result.unwrap();
            // Once is enough.
            desk.answer_alone(&given).unwrap().result.unwrap();
            desk.messages_are_had();
        }),
        ("it was looked for in the middle of a step", |desk| {
            fetched(desk);
            desk.answer_alone(&call(2, "$search", &json!({ "query": "any" }))).unwrap();
            desk.close();
        }),
    ];
    for (why, happens) in ways {
        let (desk, offer) = with_messages(1 << 20).await;
        taken(&desk).await;
        happens(&desk);
        drop(desk);
        assert_eq!(left(&offer).await, [1, 2], "{why}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_the_program_went_on_with_is_taken() {
    let ways: [(&str, Way); 3] = [
        ("it waits for something else", |desk| drop(desk.wait(Instant::now()))),
        ("it asks for something else", |desk| {
            assert!(desk.answer(&call(2, RECEIVE, &json!({ "box": "other" }))).is_none());
        }),
        ("it has come to its end", Desk::messages_are_had),
    ];
    for (why, happens) in ways {
        let (desk, offer) = with_messages(1 << 20).await;
        taken(&desk).await;
        fetched(&desk);
        happens(&desk);
        drop(desk);
        assert_eq!(left(&offer).await, [2], "{why}");
    }
    // One that was there at once.
    let (desk, offer) = with_messages(1 << 20).await;
    let mut asked = 0;
    loop {
        asked += 1;
        // On a busy machine it may take longer, and comes by itself.
        if desk.answer_alone(&call(asked, RECEIVE, &json!({ "box": "work" }))).is_some() {
            break;
        }
        desk.withdraw(CallId(asked));
        offer.tools().mailboxes().close().await;
    }
    drop(desk);
    assert_eq!(left(&offer).await, [2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_too_large_for_a_program_stays_for_another() {
    let (desk, offer) = with_messages(3).await;
    taken(&desk).await;
    let answers = desk.wait(Instant::now() + Duration::from_secs(60));
    let error = answers[0].result.as_ref().unwrap_err();
    assert_eq!(error.kind, TOO_LARGE);
    assert!(error.message.contains("`call-result-bytes`"), "{error:?}");
    assert_eq!(left(&offer).await, [1, 2]);
}

/// Writes down which calls gave back what they took.
#[derive(Default)]
struct Noted(Mutex<Vec<&'static str>>);

#[async_trait]
impl Books for Noted {
    fn named<'call>(&self, call: &'call HostCall) -> Cow<'call, HostCall> {
        Cow::Borrowed(call)
    }

    fn known(&self, _: &HostCall) -> Option<(CallResult, CallNote)> {
        None
    }

    fn holds(&self, _: &HostCall) -> bool {
        false
    }

    fn leaves(&self, _: &HostCall) -> Result<(), CallError> {
        self.0.lock().unwrap().push("leaves");
        Ok(())
    }

    fn departure(&self, _: &HostCall) -> Option<Arc<dyn Departure>> {
        None
    }

    async fn answered(&self, _: &CallResult, _: Duration) {
        self.0.lock().unwrap().push("answered");
    }

    fn withdrawn(&self, _: CallId) {
        self.0.lock().unwrap().push("withdrawn");
    }

    async fn goes_back(&self, _: CallId) {
        self.0.lock().unwrap().push("goes back");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_back_is_written_down_and_what_the_program_has_is_not() {
    let noted = Arc::new(Noted::default());
    let (desk, offer) = with_messages(1 << 20).await;
    let desk = desk.with_books(Arc::clone(&noted) as _);
    taken(&desk).await;
    desk.withdraw(CallId(1));
    assert_eq!(left(&offer).await, [1, 2]);
    let told = std::mem::take(&mut *noted.0.lock().unwrap());
    assert_eq!(told[..2], ["leaves", "answered"]);
    assert!(told.contains(&"goes back"), "{told:?}");

    let (desk, offer) = with_messages(1 << 20).await;
    let desk = desk.with_books(Arc::clone(&noted) as _);
    taken(&desk).await;
    fetched(&desk);
    desk.messages_are_had();
    drop(desk);
    assert_eq!(left(&offer).await, [2]);
    assert_eq!(*noted.0.lock().unwrap(), ["leaves", "answered"]);
}
