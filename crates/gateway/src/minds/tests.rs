//! Questions of programs, answered by minds that say what they are told to.

use std::collections::{BTreeMap, VecDeque};

use engine::{CallId, Level};
use policy::Policy;
use serde_json::json;
use serde_json::value::to_raw_value;
use upstream::{Options, Upstreams};

use super::*;
use crate::judge::LEVELS;
use crate::{Memory, Offer, Tools};

/// Says these things, one after another, and keeps what it was asked.
struct Scripted {
    name: &'static str,
    says: Mutex<VecDeque<Result<(String, End), MindError>>>,
    asked: Mutex<Vec<Prompt>>,
}

impl Scripted {
    fn saying(
        name: &'static str,
        says: impl IntoIterator<Item = Result<(&'static str, End), MindError>>,
    ) -> Arc<Self> {
        let says = says.into_iter().map(|said| said.map(|(text, end)| (text.to_owned(), end)));
        Arc::new(Self { name, says: Mutex::new(says.collect()), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<Prompt> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Mind for Scripted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reply_tokens(&self) -> u64 {
        100
    }

    async fn reply(&self, prompt: &Prompt) -> Result<Reply, MindError> {
        self.asked.lock().unwrap().push(prompt.clone());
        let (text, end) = self.says.lock().unwrap().pop_front().expect("it is asked as often")?;
        Ok(Reply { text, end, input: 30, output: 20, cost: 0.5 })
    }
}

fn tools(provider: Option<&Arc<Scripted>>) -> Arc<Tools> {
    let upstreams = Upstreams::new(Vec::new(), Options::default());
    let tools = Tools::new(upstreams, BTreeMap::new(), Memory::none());
    if let Some(provider) = provider {
        let provider = Arc::clone(provider) as Arc<dyn Mind>;
        tools.minds().are_provided_by(Arc::new(move || Ok(Some(Arc::clone(&provider)))));
    }
    tools
}

fn behalf() -> Behalf {
    Behalf { run: "r_1".into(), session: "s_1".into(), ..Behalf::default() }
}

fn question(arguments: &Value) -> HostCall {
    let arguments = to_raw_value(arguments).unwrap();
    HostCall { id: CallId(1), name: CALL.to_owned(), arguments }
}

async fn ask_as(offer: &Offer, behalf: &Behalf, arguments: Value) -> Result<Value, CallError> {
    let answered = offer.carry_out(&question(&arguments), behalf).await.result?;
    Ok(serde_json::from_str::<Value>(answered.get()).unwrap()["answer"].take())
}

async fn ask(offer: &Offer, arguments: Value) -> Result<Value, CallError> {
    ask_as(offer, &behalf(), arguments).await
}

#[tokio::test]
async fn an_answer_by_a_schema_is_its_json_and_mended_once() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let whole = |text| Ok((text, End::Whole));
    let mind = Scripted::saying(
        "provider",
        [
            whole("four"),
            whole("```json\n{\"n\": 4}\n```"),
            whole("no"),
            whole("{\"n\": \"no\"}"),
            whole("4"),
        ],
    );
    let tools = tools(Some(&mind));
    let offer = tools.offer("").await;
    let by_schema = json!({ "prompt": "how many?", "schema": schema });
    assert_eq!(ask(&offer, by_schema.clone()).await.unwrap(), json!({ "n": 4 }));
    let asked = mind.asked();
    assert!(asked[0].system.contains("\"integer\""), "{asked:?}");
    assert_eq!((asked[1].said.len(), asked[1].said[1].as_str()), (3, "four"));
    assert!(asked[1].said[2].contains("no JSON"), "{asked:?}");
    // Not mended, it is an error that says what came.
    let unfit = ask(&offer, by_schema).await.unwrap_err();
    assert_eq!(unfit.kind, UNFIT);
    assert!(unfit.message.contains("/n") && unfit.message.contains("{\"n\": \"no\"}"), "{unfit:?}");
    // Without a schema it is text, whatever it looks like.
    assert_eq!(ask(&offer, json!({ "prompt": "how many?" })).await.unwrap(), json!("4"));
    let used = offer.tally().models().used();
    assert_eq!((used.questions, used.input_tokens, used.output_tokens), (5, 150, 100));
    assert!((used.cost - 2.5).abs() < 1e-9);
}

#[tokio::test]
async fn what_is_no_whole_answer_is_an_error_that_says_what_to_do() {
    let failed = MindError::Failed("it is asleep".to_owned());
    let mind = Scripted::saying(
        "provider",
        [
            Ok(("half an ans", End::Cut)),
            Ok(("I will not", End::Refused)),
            Ok((" ", End::Whole)),
            Err(failed),
        ],
    );
    let tools = tools(Some(&mind));
    let offer = tools.offer("").await;
    for words in
        ["`reply-tokens` of [ask]", "refuses to answer: I will not", "is empty", "it is asleep"]
    {
        let error = ask(&offer, json!({ "prompt": "why?" })).await.unwrap_err();
        assert_eq!(error.kind, FAILED);
        assert!(error.message.contains(words), "{words}: {error:?}");
    }
    for wrong in
        [json!({ "prompt": " " }), json!({ "prompt": "x", "schema": { "type": 5 } }), json!({})]
    {
        assert_eq!(ask(&offer, wrong).await.unwrap_err().kind, "ArgumentError");
    }
    assert_eq!(mind.asked().len(), 4);
}

#[tokio::test]
async fn what_broke_off_is_paid_for_and_no_more_is_used_for_it_than_is_left() {
    let lost =
        || MindError::Lost { reason: "it broke off".to_owned(), input: 30, output: 5, cost: 0.25 };
    let mind = Scripted::saying("provider", [Err(lost()), Err(lost())]);
    let tools = tools(Some(&mind));
    let offer = tools.offer("").await;
    offer.tally().models().set(60);
    for _ in 0..2 {
        let error = ask(&offer, json!({ "prompt": "why?" })).await.unwrap_err();
        assert!(error.message.contains("it broke off"), "{error:?}");
    }
    let left: Vec<_> = mind.asked().iter().map(|asked| asked.left).collect();
    assert_eq!(left, [Some(60), Some(25)]);
    let used = offer.tally().models().used();
    assert_eq!((used.questions, used.input_tokens, used.output_tokens), (2, 60, 10));
    let spent = ask(&offer, json!({ "prompt": "why?" })).await.unwrap_err();
    assert_eq!((spent.kind.as_str(), mind.asked().len()), ("LimitExceeded", 2));
}

#[tokio::test]
async fn the_client_is_asked_where_it_can_be_and_else_the_provider() {
    let say = |text| [Ok((text, End::Whole)), Err(MindError::Gone("it left".to_owned()))];
    let (client, provider) = (
        Scripted::saying("client", say("client's")),
        Scripted::saying("provider", [Ok(("provider's", End::Whole)), Ok(("again", End::Whole))]),
    );
    let tools = tools(Some(&provider));
    tools.minds().attach("r_1", ClientMind(Arc::clone(&client) as _));
    let offer = tools.offer("").await;
    let asked = async || ask(&offer, json!({ "prompt": "who?" })).await.unwrap();
    assert_eq!(asked().await, "client's");
    // It went before it saw the question.
    assert_eq!(asked().await, "provider's");
    tools.minds().detach("r_1");
    assert_eq!(asked().await, "again");
    assert_eq!((client.asked().len(), provider.asked().len()), (2, 2));
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_error_names_the_settings() {
    let tools = tools(None);
    let offer = tools.offer("").await;
    let unset = ask(&offer, json!({ "prompt": "who?" })).await.unwrap_err();
    assert_eq!(unset.kind, UNSENT);
    for words in ["[ask]", "`provider`", "`model`", "`key`", "MCP sampling"] {
        assert!(unset.message.contains(words), "{unset:?}");
    }
    tools.minds().are_provided_by(Arc::new(|| Err("in [ask] `url` is missing".to_owned())));
    let wrong = ask(&offer, json!({ "prompt": "who?" })).await.unwrap_err();
    assert!(wrong.message.contains("`url` is missing"), "{wrong:?}");
}

#[tokio::test]
async fn a_run_and_its_children_share_a_budget_and_what_was_used_before_a_restart_counts() {
    let mind = Scripted::saying("provider", [Ok(("one", End::Whole)), Ok(("two", End::Whole))]);
    let tools = tools(Some(&mind));
    let offer = tools.offer("").await;
    offer.tally().models().set(90);
    let child = tools.offer("").await.counted_by(offer.tally());
    let behalf = behalf().of_child(1, None);
    assert_eq!(ask_as(&child, &behalf, json!({ "prompt": "a" })).await.unwrap(), "one");
    assert_eq!(ask(&offer, json!({ "prompt": "b" })).await.unwrap(), "two");
    let spent = ask_as(&child, &behalf, json!({ "prompt": "c" })).await.unwrap_err();
    assert_eq!(spent.kind, "LimitExceeded");
    assert!(spent.message.contains("`model-tokens`"), "{spent:?}");
    // The last reply may have had what was left.
    assert!(mind.asked()[1].reply_tokens < 90, "{:?}", mind.asked());

    let call = question(&json!({ "prompt": "a" }));
    let answer = json!({ "answer": "one", "used": { "questions": 1, "input_tokens": 60, "output_tokens": 30, "cost": 0.1 } });
    let result = Ok(to_raw_value(&answer).unwrap());
    let answered = engine::CallResult { id: CallId(1), result };
    let later = tools.offer("").await;
    later.tally().models().set(90);
    later.count_before(std::iter::once((&call, &answered)), &behalf);
    assert_eq!(later.tally().models().used().questions, 1);
    assert_eq!(ask(&later, json!({ "prompt": "b" })).await.unwrap_err().kind, "LimitExceeded");
}

#[tokio::test]
async fn rules_name_a_question_and_the_model_that_data_may_not_go_to() {
    let mind = Scripted::saying("provider", [Ok(("yes", End::Whole)), Ok(("yes", End::Whole))]);
    let tools = tools(Some(&mind));
    let offer = tools.offer("").await;
    let hardened = Behalf { level: Level::Hardened, ..behalf() };
    let denied = ask_as(&offer, &hardened, json!({ "prompt": "may I?" })).await.unwrap_err();
    assert_eq!(denied.kind, "Denied");
    assert!(denied.message.contains("tidegate.ask_model"), "{denied:?}");
    let follow = |rules: Value| {
        let settings = serde_json::from_value(rules).unwrap();
        tools.judge().follow(Policy::new(settings, &LEVELS).unwrap());
    };
    follow(
        json!({ "rules": [{ "tools": "tidegate.ask_model", "levels": ["hardened"], "action": "allow" }] }),
    );
    assert_eq!(ask_as(&offer, &hardened, json!({ "prompt": "may I?" })).await.unwrap(), "yes");
    follow(json!({ "flow": [{ "from": "hr.*", "to": "model", "action": "deny" }] }));
    assert_eq!(ask(&offer, json!({ "prompt": "may I?" })).await.unwrap(), "yes");
    tools.judge().has_read(&behalf(), "hr.salaries").await.unwrap();
    let flowing = ask(&offer, json!({ "prompt": "may I?" })).await.unwrap_err();
    assert_eq!(flowing.kind, "Denied");
    assert!(flowing.message.contains("hr.salaries"), "{flowing:?}");
    assert_eq!(mind.asked().len(), 2);
}

#[tokio::test]
async fn a_child_of_another_name_may_do_no_more_than_who_started_it() {
    let mind = Scripted::saying("provider", [Ok(("yes", End::Whole)), Ok(("yes", End::Whole))]);
    let tools = tools(Some(&mind));
    let offer = tools.offer("").await;
    let rules = json!({ "rules": [
        { "agents": "planner", "tools": "tidegate.ask_model", "action": "deny" },
        { "agents": "worker-*", "tools": "tidegate.ask_model", "per-run": 1 },
    ] });
    let settings = serde_json::from_value(rules).unwrap();
    tools.judge().follow(Policy::new(settings, &LEVELS).unwrap());
    let agent = |agent: &str| Behalf { agent: agent.into(), ..behalf() };
    let asked = async |behalf: &Behalf| {
        ask_as(&offer, behalf, json!({ "prompt": "may I?" })).await.map_err(|error| error.kind)
    };
    let denied = Err("Denied".to_owned());
    assert_eq!(asked(&agent("planner")).await, denied);
    let child = agent("planner").of_child(1, Some("worker-1".into()));
    assert_eq!((child.agent.as_str(), child.child), ("worker-1", 1));
    assert_eq!(asked(&child).await, denied, "it is called otherwise, and is the planner's");
    assert_eq!(asked(&agent("other")).await, Ok(json!("yes")));
    assert_eq!(asked(&agent("worker-2")).await, Ok(json!("yes")));
    assert_eq!(asked(&agent("worker-2")).await, denied, "there was one in this run");
}

/// What is configured at a moment.
type Provided = Result<Option<Arc<dyn Mind>>, String>;

#[tokio::test]
async fn a_provider_that_changed_is_asked_at_once_and_one_that_cannot_be_asked_leaves_the_old_one()
{
    let whole = |text| Ok((text, End::Whole));
    let first = Scripted::saying("first", [whole("of the first"), whole("still the first")]);
    let second = Scripted::saying("second", [whole("of the second")]);
    let said: Arc<Mutex<Provided>> = Arc::new(Mutex::new(Ok(None)));
    let tools = tools(None);
    let told = Arc::clone(&said);
    tools.minds().are_provided_by(Arc::new(move || told.lock().unwrap().clone()));
    let offer = tools.offer("").await;
    let changes = async |to: Result<Option<Arc<dyn Mind>>, String>| {
        *said.lock().unwrap() = to;
        tools.minds().look_again().await
    };
    assert_eq!(ask(&offer, json!({ "prompt": "?" })).await.unwrap_err().kind, UNSENT);
    changes(Ok(Some(first))).await.unwrap();
    assert_eq!(ask(&offer, json!({ "prompt": "?" })).await.unwrap(), "of the first");
    let wrong = changes(Err("in [ask] `model` is missing".to_owned())).await.unwrap_err();
    assert!(wrong.contains("`model`"), "{wrong}");
    assert_eq!(ask(&offer, json!({ "prompt": "?" })).await.unwrap(), "still the first");
    changes(Ok(Some(second))).await.unwrap();
    assert_eq!(ask(&offer, json!({ "prompt": "?" })).await.unwrap(), "of the second");
    changes(Ok(None)).await.unwrap();
    assert_eq!(ask(&offer, json!({ "prompt": "?" })).await.unwrap_err().kind, UNSENT);
}
