//! Questions in words through the REST door, answered by a model that a script speaks for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use agent::{Answering, ModelSettings, ProviderName};
use gateway::service::{Record, Spans, Trace, TraceParent};
use gateway::skillset::Sources;
use scripted::{Asked, Format, KEY, MODEL, Scripted, Turn};
use upstream::Secret;

use super::house::sandbox;
use super::*;

const ASK: &str = "/api/v1/ask";

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_with_what_a_program_found() {
    let (house, model) = asking(well).await;
    let response = house.post(ASK, json!({"question": "How much is it?"})).await;
    assert_eq!(response.status(), StatusCode::OK);
    let answer: Value = response.json().await.unwrap();
    assert_eq!((&answer["answer"], &answer["mode"]), (&json!("It is 42."), &json!("code")));
    let run = house.get(&format!("/api/v1/runs/{}", text(&answer["runs"][0]))).await;
    assert_eq!(run["return_value"], 42, "{run}");
    assert_eq!(answer["usage"]["steps"].as_array().unwrap().len(), 2, "{answer}");
    assert_eq!(model.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_settings_count_for_the_next_question_and_not_for_the_one_before() {
    let (house, answering) = answered_by(None, None).await;
    assert_problem(house.post(ASK, json!({"question": "Who?"})).await, 409, "no_model").await;
    // Settings that lead to a model count at once.
    let first = Scripted::by(Format::OpenAi, |_| Turn::Hold("Let me".to_owned())).await;
    answering.follow(Some(settings_of(&first))).unwrap();
    let asked = house.asked(Method::POST, ASK).json(&json!({"question": "How much?"}));
    let waiting = tokio::spawn(async move { asked.send().await.unwrap().status() });
    while first.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    let second = Scripted::by(Format::OpenAi, well).await;
    answering.follow(Some(settings_of(&second))).unwrap();
    let answer = house.post(ASK, json!({"question": "How much is it?"})).await;
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["answer"], "It is 42.", "{answer}");
    assert_eq!(first.asked().len(), 1);
    assert!(!waiting.is_finished());
    // Whoever answers, every question ends with the gateway.
    answering.close().await;
    assert_eq!(waiting.await.unwrap(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_can_be_followed_as_it_comes_about() {
    let (house, _model) = asking(well).await;
    for request in [
        house.asked(Method::POST, &format!("{ASK}?stream=true")),
        house.asked(Method::POST, ASK).header("accept", "text/event-stream"),
    ] {
        let response = request.json(&json!({"question": "How much?"})).send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let events = events(&response.text().await.unwrap());
        let at = |name: &str| events.iter().position(|event| event.name == name);
        let steps = ["started", "searching", "found", "program", "running", "token", "answer"];
        let places: Vec<Option<usize>> = steps.into_iter().map(at).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
        assert!(events.iter().enumerate().all(|(number, event)| event.id == number.to_string()));
        let words = events.iter().filter(|event| event.name == "token");
        let words: String = words.map(|event| text(&event.data["text"])).collect();
        let last = &events.last().unwrap().data;
        assert_eq!((words.as_str(), &last["answer"]), ("It is 42.", &json!("It is 42.")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_up_ends_the_question_at_the_model_too() {
    let (house, model) = asking(|_| Turn::Hold("Let me".to_owned())).await;
    for (times, path) in [ASK.to_owned(), format!("{ASK}?stream=true")].into_iter().enumerate() {
        let asked = house.asked(Method::POST, &path).json(&json!({"question": "How much?"}));
        let waiting = tokio::spawn(async move { asked.send().await.unwrap().bytes().await });
        while model.asked().len() <= times {
            tokio::task::yield_now().await;
        }
        waiting.abort();
        model.was_left(times + 1).await;
    }
}

/// What a question says of the trace that it is asked in.
pub(super) const WITHIN: [(&str, &str); 2] = [
    ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ("tracestate", "rojo=1,other@congo=t61"),
];

/// The same as it is known of a run.
pub(super) fn within() -> Option<TraceParent> {
    let [(_, parent), (_, state)] = WITHIN;
    TraceParent::parse(parent).map(|parent| parent.with_state(Some(state)))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_programs_of_a_question_belong_to_the_trace_that_it_is_asked_in() {
    let (house, _model, taken) = traced(well).await;
    let ask = async |headers: &[(&str, &str)]| {
        let asked = house.asked(Method::POST, ASK).json(&json!({"question": "How much?"}));
        let asked = headers.iter().fold(asked, |asked, (name, value)| asked.header(*name, *value));
        let answer: Value = asked.send().await.unwrap().json().await.unwrap();
        taken.of(&answer["runs"][0]).await
    };
    let trace = ask(&WITHIN).await;
    assert_eq!(trace.caller, within());
    assert_eq!(trace.run.trace, 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
    assert_eq!(ask(&[]).await.caller, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_question_is_refused_with_the_setting() {
    let house = House::new().await;
    let refused = house.post(ASK, json!({"question": "How much?"})).await;
    assert!(assert_problem(refused, 409, "no_model").await.contains("[ask] provider"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_for_its_owner_and_is_not_there_for_another() {
    let (house, model) = asking(well).await;
    let anna = house.token("anna", &[Scope::Execute, Scope::Read]).await;
    let boris = house.token("boris", &[Scope::Execute, Scope::Read]).await;
    let ask = async |token: &str, body: Value| {
        house.asked(Method::POST, ASK).bearer_auth(token).json(&body).send().await.unwrap()
    };
    let first = ask(&anna, json!({"question": "How much?"})).await;
    let first: Value = first.json().await.unwrap();
    let more = json!({"question": "And now?", "conversation": first["conversation"]});
    let before = model.asked().len();
    assert_problem(ask(&boris, more.clone()).await, 404, "unknown_conversation").await;
    assert_eq!(model.asked().len(), before);
    let second: Value = ask(&anna, more).await.json().await.unwrap();
    assert_eq!(second["conversation"], first["conversation"], "{second}");
    assert!(model.asked()[before].text().contains("How much?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_can_be_read_with_what_all_of_it_used() {
    let (house, _model) = asking(|asked: &Asked| match asked.number {
        0 => Turn::Refuse("No.".to_owned()),
        _ => well(asked),
    })
    .await;
    let anna = house.token("anna", &[Scope::Execute, Scope::Read]).await;
    let boris = house.token("boris", &[Scope::Execute, Scope::Read]).await;
    let ask = async |body: Value| {
        let asked = house.asked(Method::POST, &format!("{ASK}?stream=true"));
        let response = asked.bearer_auth(&anna).json(&body).send().await.unwrap();
        events(&response.text().await.unwrap())
    };
    let refused = ask(json!({"question": "How much?"})).await;
    assert_eq!(refused.last().unwrap().data["code"], "model_refused");
    let conversation = refused[0].data["conversation"].clone();
    let more = json!({"question": "How much?", "conversation": conversation});
    let answered = ask(more).await;
    let answer = &answered.last().unwrap().data;
    assert_eq!(
        (&answer["answer"], &answer["totals"]["tokens"]),
        (&json!("It is 42."), &json!(360))
    );

    let get = async |token: &str, path: &str| {
        house.asked(Method::GET, path).bearer_auth(token).send().await.unwrap()
    };
    let place = format!("/api/v1/conversations/{}", text(&conversation));
    let kept: Value = get(&anna, &place).await.json().await.unwrap();
    assert_eq!(kept["totals"], answer["totals"], "{kept}");
    let turns = kept["turns"].as_array().unwrap();
    assert_eq!((turns.len(), &turns[0]["answer"]), (1, &json!("It is 42.")));
    assert_eq!((&turns[0]["tokens"], &turns[0]["runs"]), (&json!(240), &answer["runs"]));
    let list: Value = get(&anna, "/api/v1/conversations").await.json().await.unwrap();
    let heading = &list["conversations"][0];
    assert_eq!((&heading["id"], &heading["totals"]), (&conversation, &answer["totals"]));
    assert_eq!((&heading["question"], &heading["turns"]), (&json!("How much?"), &json!(1)));
    assert_problem(get(&boris, &place).await, 404, "unknown_conversation").await;
    let none = get(&boris, "/api/v1/conversations").await.json::<Value>().await.unwrap();
    assert_eq!(none, json!({"conversations": []}));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_by_a_schema_may_be_any_json() {
    let (house, _model) = asking(|asked: &Asked| {
        let is_asked = asked.text().contains("Result of the program");
        if is_asked { Turn::say("[4, 2]") } else { Turn::program("return [4, 2]") }
    })
    .await;
    let body = json!({"question": "Which?", "schema": {"type": "array"}});
    let answer: Value = house.post(ASK, body).await.json().await.unwrap();
    assert_eq!(answer["value"], json!([4, 2]), "{answer}");
    let described = house.get("/openapi.json").await;
    let shown = &described["components"]["schemas"]["Answer"];
    let value = &shown["properties"]["value"];
    assert!(value.is_object() && value.get("type").is_none(), "{value}");
    assert!(!shown["required"].as_array().unwrap().contains(&json!("value")), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_is_told_with_its_field() {
    let (house, model) = asking(well).await;
    for (status, body, part) in [
        (400, json!({}), "`question`"),
        (400, json!({"question": " "}), "`question`"),
        (422, json!({"question": "?", "context": {"user": 1}}), "`context`"),
        (422, json!({"question": "?", "model": "dearer"}), "`model`"),
        (422, json!({"question": "?", "schema": {"type": 5}}), "`schema`"),
        (422, json!({"question": "?", "template": "no place"}), "`template`"),
        (400, json!({"question": "?", "template_format": "doc"}), "template_format"),
        (422, json!({"question": "?", "schema": {}, "template": "{{ a }}"}), "two forms"),
        (400, json!({"question": "?", "conversation": "s_1"}), "`conversation`"),
        (400, json!({"question": "?", "more": 1}), "`more`"),
    ] {
        let told = assert_problem(house.post(ASK, body).await, status, "invalid_request").await;
        assert!(told.contains(part), "{told}");
    }
    assert!(model.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_is_told_of_without_its_key() {
    let (house, _model) = asking(|_| Turn::Status(401, None, format!("{KEY} is wrong"))).await;
    let failed = house.post(ASK, json!({"question": "How much?"})).await;
    let told = assert_problem(failed, 502, "model_failed").await;
    assert!(told.contains("[ask] key") && !told.contains(KEY), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_metrics_have_both_arms_of_a_roll_out() {
    let (house, _model) = rolled(50.0, well).await;
    let mut answered = BTreeMap::from([("code", 0.0), ("direct", 0.0)]);
    for user in 0..12 {
        let body = json!({"question": "How much?", "user": format!("user-{user}")});
        let answer: Value = house.post(ASK, body).await.json().await.unwrap();
        *answered.get_mut(answer["arm"].as_str().unwrap()).unwrap() += 1.0;
    }
    let metrics = house.ask("/metrics").await.text().await.unwrap();
    let sum = |name: &str, arm: &str| -> f64 {
        let label = format!("arm=\"{arm}\"");
        let of = |line: &&str| line.starts_with(name) && line.contains(&label);
        let values = metrics.lines().filter(of).filter_map(|line| line.rsplit_once(' '));
        values.map(|(_, value)| value.parse::<f64>().unwrap()).sum()
    };
    for (arm, times) in answered {
        assert!(times > 0.0, "nobody was answered in the arm {arm}");
        // Other tests ask too.
        assert!(sum("tidegate_asks_total{", arm) >= times, "{metrics}");
        assert!(sum("tidegate_ask_seconds_count{", arm) >= times, "{metrics}");
        assert!(sum("tidegate_ask_tokens_total{", arm) > 0.0, "{metrics}");
        assert!(sum("tidegate_ask_direct_tokens_total{", arm) > 0.0, "{metrics}");
    }
}

/// Writes a program for whoever shows no result, and interprets what is shown.
pub(super) fn well(asked: &Asked) -> Turn {
    if asked.text().contains("Result of the program") {
        return Turn::say("It is 42.");
    }
    Turn::program("return 6 * 7")
}

/// A gateway with a model.
pub(super) async fn asking(
    script: impl FnMut(&Asked) -> Turn + Send + 'static,
) -> (House, Scripted) {
    rolled(100.0, script).await
}

/// The same, with programs for a share of users.
async fn rolled(
    rollout: f64,
    script: impl FnMut(&Asked) -> Turn + Send + 'static,
) -> (House, Scripted) {
    made(rollout, None, script).await
}

/// A gateway with a model, and somebody who takes the spans of its runs.
pub(super) async fn traced(
    script: impl FnMut(&Asked) -> Turn + Send + 'static,
) -> (House, Scripted, Arc<Taken>) {
    let taken = Arc::new(Taken::default());
    let (house, model) = made(100.0, Some(Arc::clone(&taken) as Arc<dyn Spans>), script).await;
    (house, model, taken)
}

/// The traces of runs that are over, by the ids of those.
#[derive(Default)]
pub(super) struct Taken(Mutex<BTreeMap<String, Trace>>);

impl Taken {
    /// Where a run belongs, once that is told.
    pub(super) async fn of(&self, run: &Value) -> Trace {
        loop {
            let found = self.0.lock().unwrap().get(text(run)).cloned();
            if let Some(trace) = found {
                return trace;
            }
            tokio::task::yield_now().await;
        }
    }
}

impl Spans for Taken {
    fn ended(&self, record: &Record, trace: &Trace) {
        self.0.lock().unwrap().insert(record.id.to_string(), trace.clone());
    }
}

/// What leads to a model that a script speaks for.
fn settings_of(model: &Scripted) -> agent::Settings {
    let url = model.url().parse().unwrap();
    let mut settings = ModelSettings::new(ProviderName::OpenAi, MODEL, url);
    settings.key = Some(Secret::new(KEY.to_owned()));
    agent::Settings::new(settings)
}

async fn made(
    rollout: f64,
    spans: Option<Arc<dyn Spans>>,
    script: impl FnMut(&Asked) -> Turn + Send + 'static,
) -> (House, Scripted) {
    let model = Scripted::by(Format::OpenAi, script).await;
    let settings = agent::Settings { rollout, ..settings_of(&model) };
    let (house, _answering) = answered_by(Some(settings), spans).await;
    (house, model)
}

/// A house whose questions are answered by these settings, and who answers them.
async fn answered_by(
    settings: Option<agent::Settings>,
    spans: Option<Arc<dyn Spans>>,
) -> (House, Answering) {
    let ready = Readiness::Ready(sandbox());
    let folder = tempfile::TempDir::new().unwrap();
    let (service, folder) =
        House::opened_for(folder, Settings::default(), ready, Sources::default(), spans).await;
    let answering = Answering::new(Arc::clone(&service), settings).unwrap();
    let rest = RestOptions { agent: Some(answering.clone()), ..RestOptions::default() };
    (House::serving(service, folder, rest).await, answering)
}
