//! Questions answered from end to end: a scripted model, a real gateway, a real sandbox.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agent::{
    Agent, Answer, Ask, Event, Form, Mode, ModelSettings, Prices, Provider, ProviderName, Schema,
    Settings, Template, TemplateFormat,
};
use engine::{Engine, Language};
use engine_wasm::cache::Cache;
use engine_wasm::install::{Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan_of};
use gateway::service::store::Store;
use gateway::service::{Caller, Engines, OnDemand, Parts, Readiness, Service};
use gateway::skillset::Sources;
use gateway::{Checks, Memory, Skillset, Tools};
use scripted::{Asked, Format, KEY, MODEL, Scripted, Turn};
use serde_json::json;
use serde_json::value::to_raw_value;
use tempfile::TempDir;
use tokio::sync::watch;
use upstream::{Secret, Upstreams};

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_written_run_and_interpreted() {
    let turns = [Turn::program("return sum(range(10))"), Turn::say("The sum is 45.")];
    let house = House::saying(turns).await;
    let (answer, events) = house.ask(ask("What is the sum of 0 to 9?")).await;
    let answer = answer.unwrap();
    assert_eq!((answer.answer.as_str(), answer.runs.len()), ("The sum is 45.", 1));
    let steps: Vec<&str> = answer.usage.steps.iter().map(|step| step.step.name()).collect();
    assert_eq!(steps, ["write", "interpret"]);
    assert_eq!((answer.usage.tokens(), answer.usage.cost), (240, 0.000_36));
    let names: Vec<&str> = events.iter().map(Event::name).collect();
    for name in ["started", "searching", "found", "program", "running", "token", "answer"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let read = house.server.asked()[1].text();
    assert!(read.contains("It returned: 45"), "{read}");
    assert_eq!(house.server.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_can_prefer_typescript_and_a_conversation_can_change_to_it() {
    let code = "const sum = rows.reduce((a: number, b: number) => a + b);\nreturn sum";
    let turns = [
        Turn::program("kept = 1\nreturn sum(rows)"),
        Turn::say("The sum is 6."),
        // What is in another language is no program here, and the model is told which one is wanted.
        Turn::program("return sum(rows)"),
        Turn::Say(format!("```typescript\n{code}\n```")),
        Turn::say("It is still 6."),
    ];
    let house = House::saying(turns).await;
    let rows = || [("rows".to_owned(), to_raw_value(&json!([1, 2, 3])).unwrap())].into();
    let first = Ask { context: rows(), ..ask("What is the sum?") };
    let first = house.ask(first).await.0.unwrap();
    let conversation = Some(first.conversation.parse().unwrap());
    let language = Some(Language::TypeScript);
    let second = Ask { context: rows(), conversation, language, ..ask("And in TypeScript?") };
    let (second, _) = house.ask(second).await;
    assert_eq!(second.unwrap().answer, "It is still 6.");
    let asked = house.server.asked();
    assert!(asked[2].text().contains("one TypeScript program"), "{}", asked[2].text());
    assert!(asked[2].text().contains("rows (array)"), "{}", asked[2].text());
    assert!(asked[3].text().contains("no ```typescript block"), "{}", asked[3].text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_program_kept_is_found_for_the_next_question() {
    let saving = "def twice(number: int) -> int:\n    'Twice a number.'\n    return 2 * number\n\n\
                  saved = await save_skill('twice', twice, examples=[{'number': 4}])\nreturn saved['version']";
    let turns = [
        Turn::program(saving),
        Turn::say("Kept."),
        Turn::program("from skills import twice\nreturn twice(21)"),
        Turn::say("It is 42."),
    ];
    let house = House::saying(turns).await;
    let (kept, _) = house.ask(ask("Keep a function that gives twice a number.")).await;
    assert_eq!(kept.unwrap().answer, "Kept.");
    let (answer, _) = house.ask(ask("What is twice the number 21?")).await;
    assert_eq!(answer.unwrap().answer, "It is 42.");
    let asked = house.server.asked();
    let (shown, ran) = (asked[2].text(), asked[3].text());
    assert!(shown.contains("from skills import twice  # a skill"), "{shown}");
    assert!(ran.contains("It returned: 42"), "{ran}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_goes_back_with_our_words_and_not_for_ever() {
    let turns = [
        Turn::program("return undefined_name"),
        // No check can know this before it runs.
        Turn::program("return [1, 2][int('5')]"),
        Turn::program("return 7"),
        Turn::say("It is 7."),
    ];
    let house = House::saying(turns).await;
    let (answer, _) = house.ask(ask("How many?")).await;
    assert_eq!(answer.unwrap().answer, "It is 7.");
    let asked = house.server.asked();
    assert!(asked[1].text().contains("undefined_name"), "{}", asked[1].text());
    assert!(asked[2].text().contains("IndexError"), "{}", asked[2].text());

    let house = House::by(|_| Turn::program("raise ValueError('never')")).await;
    let (answer, events) = house.ask(ask("How many?")).await;
    assert_eq!(answer.unwrap_err().0, "programs_failed");
    assert_eq!(house.server.asked().len(), 3);
    assert!(format!("{:?}", events.last()).contains("`[ask] attempts`"), "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_was_cut_is_no_program_and_no_answer() {
    let turns = [
        // The block is whole; what the model meant to say is not.
        Turn::Length("```python\nreturn 1\n```\nOr rather".to_owned()),
        Turn::program("return 7"),
        Turn::Length("It is 7, or".to_owned()),
        Turn::say("It is 7."),
    ];
    let house = House::saying(turns).await;
    let (answer, events) = house.ask(ask("How many?")).await;
    let answer = answer.unwrap();
    assert_eq!((answer.answer.as_str(), answer.runs.len()), ("It is 7.", 1));
    assert_eq!(answer.usage.tokens(), 4 * 120);
    for again in [1, 3] {
        let told = house.server.asked()[again].text();
        assert!(told.contains("Your reply was cut") && told.contains("shorter"), "{told}");
    }
    let anew = events.iter().rposition(|event| *event == Event::Anew).unwrap();
    let words = events[anew..].iter().filter_map(|event| match event {
        Event::Token { text } => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(words.collect::<String>(), "It is 7.");
    assert_eq!(house.server.complaints(), Vec::<String>::new());

    let turns = [
        Turn::Length("```python\nreturn 1\n```".to_owned()),
        Turn::Length(String::new()),
        Turn::say("Hello."),
    ];
    let house = House::with(Mode::Hybrid, by_turns(turns)).await;
    let answer = house.ask(ask("Hello?")).await.0.unwrap();
    assert_eq!((answer.answer.as_str(), answer.runs.len()), ("Hello.", 0));
    assert_eq!(house.server.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_that_are_cut_again_and_again_end_with_the_setting_that_is_to_blame() {
    let endless = |_: &Asked| Turn::Length("Well, as I said, ".to_owned());
    let house = House::by(endless).await;
    let (answer, _) = house.ask(ask("How many?")).await;
    let (code, words) = answer.unwrap_err();
    assert_eq!((code.as_str(), house.server.asked().len()), ("reply_too_long", 3));
    assert!(words.contains("4096") && words.contains("`[ask] reply-tokens`"), "{words}");

    let few = |settings: &mut Settings| settings.budgets.tokens = 300;
    let house = House::set(few, endless).await;
    let (answer, _) = house.ask(ask("How many?")).await;
    let (code, words) = answer.unwrap_err();
    assert_eq!((code.as_str(), house.server.asked().len()), ("budget_exceeded", 1));
    assert!(words.contains("300") && words.contains("`[ask] max-tokens`"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_replies_used_that_broke_off_counts_and_budgets_hold() {
    let turns = [Turn::Stop("Half".to_owned()), Turn::program("return 7"), Turn::say("It is 7.")];
    let house = House::saying(turns).await;
    let answer = house.ask(ask("How many?")).await.0.unwrap();
    let steps = &answer.usage.steps;
    let broke_off: Vec<bool> = steps.iter().map(|step| step.broke_off).collect();
    assert_eq!(broke_off, [true, false, false]);
    // The whole prompt was read.
    let (read, written) = (steps[0].input_tokens, steps[0].output_tokens);
    assert!(read > 100 && written > 0, "{steps:?}");
    assert_eq!(answer.usage.tokens(), 240 + read + written);

    let few = |settings: &mut Settings| settings.budgets.tokens = 100;
    let house = House::set(few, |_| Turn::Stop("Half".to_owned())).await;
    let (code, words) = house.ask(ask("How many?")).await.0.unwrap_err();
    assert_eq!((code.as_str(), house.server.asked().len()), ("budget_exceeded", 1));
    assert!(words.contains("`[ask] max-tokens`"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_programs_ask_models_is_used_by_the_question_and_bounded_by_its_budget() {
    let turns = [
        Turn::program("await ask_model('Which?')\nraise ValueError('no')"),
        Turn::say("This one."),
        Turn::program("return await ask_model('Which?')"),
        Turn::say("That one."),
        Turn::say("It is that one."),
    ];
    let house = House::saying(turns).await;
    let answer = house.ask(ask("Which is it?")).await.0.unwrap();
    let steps: Vec<&str> = answer.usage.steps.iter().map(|step| step.step.name()).collect();
    assert_eq!(steps, ["write", "program", "write", "program", "interpret"]);
    // Of the program that failed, too: 100 tokens read and 20 written, each time.
    assert_eq!((answer.usage.tokens(), answer.totals.tokens), (5 * 120, 5 * 120));
    assert!((answer.usage.cost - 5.0 * 0.000_18).abs() < 1e-9, "{:?}", answer.usage);

    let endless = "for _ in range(8):\n    await ask_model('Which?')\nreturn 1";
    let few = |settings: &mut Settings| settings.budgets.tokens = 200;
    let house = House::set(few, by_turns([Turn::program(endless), Turn::say("This one.")])).await;
    let (code, words) = house.ask(ask("Which is it?")).await.0.unwrap_err();
    assert_eq!((code.as_str(), house.server.asked().len()), ("budget_exceeded", 2));
    assert!(words.contains("240") && words.contains("`[ask] max-tokens`"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_broke_off_for_a_program_is_used_by_the_question_too() {
    let code = "failed = 0\nfor _ in range(3):\n    try:\n        await ask_model('Why not? ' * 100)\n    except Exception:\n        failed += 1\nreturn failed";
    let few = |settings: &mut Settings| settings.budgets.tokens = 2_000;
    let script = move |asked: &Asked| match asked.text() {
        text if text.contains("Why not?") => Turn::Stop("Half".to_owned()),
        text if text.contains("It returned: 3") => Turn::say("It is 3."),
        _ => Turn::program(code),
    };
    let house = House::set(few, script).await;
    let answer = house.ask(ask("How many?")).await.0.unwrap();
    let used = answer.usage.steps[1].input_tokens;
    assert_eq!(answer.usage.steps[1].step.name(), "program");
    // As often as the prompt still fits into what is left, and no more.
    let each = used / (house.server.asked().len() as u64 - 2);
    assert!(used + each > 1_880 && answer.usage.tokens() <= 2_120, "{:?}", answer.usage);
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_reach_programs_and_no_model() {
    let turns = [Turn::program("return [user['owner'], len(customer)]"), Turn::say("Done.")];
    let house = House::saying(turns).await;
    let secret = "ACME-4711-confidential";
    let mut asked = ask("Who am I?");
    let value = serde_json::value::to_raw_value(secret).unwrap();
    asked.context.insert("customer".to_owned(), value);
    asked.user = Some("user-4712".to_owned());
    house.ask(asked).await.0.unwrap();
    for request in house.server.asked() {
        assert!(!request.text().contains(secret), "{}", request.text());
        assert!(!request.text().contains("user-4712"), "{}", request.text());
    }
    assert!(house.server.asked()[0].text().contains("customer (str)"));
    assert!(house.server.asked()[1].text().contains("22"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_the_form_that_was_asked_for() {
    let schema = json!({"type": "object", "required": ["total"],
        "properties": {"total": {"type": "integer"}}});
    let turns = [
        Turn::program("return 3"),
        Turn::say("three"),
        Turn::say("```json\n{\"total\": 3}\n```"),
        Turn::program("return 4"),
        Turn::say(r#"{"total": 4, "by": "x: y"}"#),
    ];
    let house = House::saying(turns).await;
    let form = Form::Json(Schema::new(&schema).unwrap());
    let (answer, _) = house.ask(Ask { form, ..ask("How many?") }).await;
    assert_eq!(answer.unwrap().value, Some(json!({"total": 3})));
    let text = "report:\n  total: {{ total }}\n  by: {{ by }}\n";
    let form = Form::Document(Template::new(text, TemplateFormat::Yaml).unwrap());
    let (answer, _) = house.ask(Ask { form, ..ask("How many?") }).await;
    assert_eq!(answer.unwrap().answer, "report:\n  total: 4\n  by: \"x: y\"\n");
    assert_eq!(house.server.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn in_hybrid_mode_blocks_are_run_and_tools_are_called() {
    let turns = [
        Turn::program("x = 20\nreturn x"),
        Turn::call("execute_python", json!({"code": "return x + 2"})),
        Turn::call("search_tools", json!({"query": "orders"})),
        Turn::say("It is 22."),
    ];
    let house = House::with(Mode::Hybrid, by_turns(turns)).await;
    let (answer, events) = house.ask(ask("How many?")).await;
    assert_eq!(answer.unwrap().answer, "It is 22.");
    assert!(house.server.asked()[2].text().contains("It returned: 22"));
    assert!(events.contains(&Event::Anew), "{events:?}");
    assert_eq!(house.server.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_is_told_to_do_can_be_done() {
    let turns = [Turn::program("return 7"), Turn::say(" "), Turn::say("It is 7.")];
    let house = House::saying(turns).await;
    assert_eq!(house.ask(ask("How many?")).await.0.unwrap().answer, "It is 7.");
    let told = house.server.asked()[2].text();
    assert!(told.contains("with your answer in words") && !told.contains("JSON only"), "{told}");

    let turns = [Turn::call("nosuch", json!({})), Turn::say("Hello.")];
    let house = House::with(Mode::Hybrid, by_turns(turns)).await;
    assert_eq!(house.ask(ask("Hello?")).await.0.unwrap().answer, "Hello.");
    let told = house.server.asked()[1].text();
    assert!(told.contains("there are execute_python, search_tools"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_told_of_variables_only_as_long_as_they_are_there() {
    let well = |asked: &Asked| {
        if asked.text().contains("Result of the program") {
            return Turn::say("It is 7.");
        }
        Turn::program("kept = 7\nreturn kept")
    };
    let house = House::by(well).await;
    let first = house.ask(ask("How many?")).await.0.unwrap();
    let conversation = || Some(first.conversation.parse().unwrap());
    house.ask(Ask { conversation: conversation(), ..ask("And now?") }).await.0.unwrap();
    let kept = house.agent.conversation(&Caller::local(), &conversation().unwrap()).await.unwrap();
    house.service.delete_session(&Caller::local(), &kept.session.unwrap()).await.unwrap();
    house.ask(Ask { conversation: conversation(), ..ask("And then?") }).await.0.unwrap();
    let told: Vec<bool> =
        house.server.asked().iter().map(|asked| asked.text().contains("are still there")).collect();
    assert_eq!(told, [false, false, true, false, false, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_of_tools_ends_with_its_budget() {
    let endless = |_: &Asked| Turn::call("search_tools", json!({"query": "more"}));
    let house = House::with(Mode::Hybrid, endless).await;
    let (answer, events) = house.ask(ask("How many?")).await;
    assert_eq!(answer.unwrap_err().0, "budget_exceeded");
    assert!(format!("{:?}", events.last()).contains("`[ask] max-steps`"), "{events:?}");
    assert_eq!(house.server.asked().len(), 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_with_what_was_said_and_what_is_in_memory() {
    let turns = [
        Turn::program("rows = [1, 2, 3]\nreturn len(rows)"),
        Turn::say("There are 3."),
        Turn::program("return sum(rows)"),
        Turn::say("Together 6."),
    ];
    let house = House::saying(turns).await;
    let first = house.ask(ask("How many rows?")).await.0.unwrap();
    let conversation = Some(first.conversation.parse().unwrap());
    let (second, _) = house.ask(Ask { conversation, ..ask("And their sum?") }).await;
    assert_eq!(second.unwrap().answer, "Together 6.");
    assert!(house.server.asked()[2].text().contains("There are 3."));
    let stranger = Caller { owner: "eve".to_owned(), ..Caller::local() };
    let conversation = Some(first.conversation.parse().unwrap());
    let refused = house.agent.begin(&stranger, Ask { conversation, ..ask("What?") }).await;
    assert_eq!(refused.err().unwrap().code(), "unknown_conversation");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_counts_all_that_it_used_also_for_what_was_not_answered() {
    let failing = [(); 3].map(|()| Turn::program("raise ValueError('no')"));
    let turns = [Turn::program("return 7"), Turn::say("It is 7.")];
    let more = [Turn::program("return 8"), Turn::say("It is 8.")];
    let turns = failing.into_iter().chain(turns).chain(more);
    let house = House::saying(turns).await;
    let (failed, events) = house.ask(ask("How many?")).await;
    assert_eq!(failed.unwrap_err().0, "programs_failed");
    let Some(Event::Started { conversation, .. }) = events.first() else { panic!("{events:?}") };
    let conversation = Some(conversation.parse().unwrap());
    let again = Ask { conversation: conversation.clone(), ..ask("How many?") };
    let first = house.ask(again).await.0.unwrap();
    assert_eq!((first.usage.tokens(), first.totals.tokens), (240, 360 + 240));
    assert_eq!(first.totals.direct_tokens, first.usage.direct_tokens);
    // What was not answered is no turn that a model reads.
    assert_eq!(house.server.asked()[3].body["messages"].as_array().unwrap().len(), 2);
    let second = house.ask(Ask { conversation, ..ask("And now?") }).await.0.unwrap();
    let totals = second.totals;
    assert_eq!(totals.tokens, 360 + 240 + 240);
    assert_eq!(totals.direct_tokens, first.usage.direct_tokens + second.usage.direct_tokens);
    assert_eq!(totals.tokens_saved, i64::try_from(totals.direct_tokens).unwrap() - 840);
    // 700 tokens read at 1, 140 written at 4, of a million.
    assert!((totals.cost - 0.001_26).abs() < 1e-9, "{totals:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_question_used_is_kept_before_it_is_over_and_after_a_restart() {
    let again = [(); 2].map(|()| Turn::program("raise ValueError('no')"));
    let turns = again.into_iter().chain([Turn::Hold("Let me".to_owned())]);
    let house = House::saying(turns).await;
    let live = house.agent.begin(&Caller::local(), ask("How many?")).await.unwrap();
    while house.server.asked().len() < 3 {
        tokio::task::yield_now().await;
    }
    // As another process finds it, should this one be killed now: the question is not over.
    let found = async |folder: &Path| {
        let store = Store::open(folder).await.unwrap();
        let settings = gateway::service::Settings::default();
        let service = Service::open(settings, parts(folder, store)).await.unwrap();
        service.conversation(&Caller::local(), live.conversation()).await.unwrap().unwrap()
    };
    let killed = TempDir::new().unwrap();
    for name in ["tidegate.db", "tidegate.db-wal"] {
        std::fs::copy(house.folder.path().join(name), killed.path().join(name)).unwrap();
    }
    let kept = found(killed.path()).await;
    assert_eq!((kept.tokens, kept.turns.len()), (240, 0), "{kept:?}");
    assert!(!live.is_over());
    // One that ended in an error, after an orderly end.
    live.cancel();
    live.ended().await.unwrap();
    let House { agent, service, folder, .. } = house;
    agent.close().await;
    drop((agent, service));
    let kept = found(folder.path()).await;
    assert!(kept.tokens >= 240 && kept.turns.is_empty(), "{kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_told_before_somebody_cancelled_is_paid_for() {
    let house = House::with(Mode::Hybrid, |_| Turn::Hold("Thinking about it".to_owned())).await;
    let live = house.agent.begin(&Caller::local(), ask("How many?")).await.unwrap();
    let is_word = |event: &Event| matches!(event, Event::Token { .. });
    let mut seen = 0;
    loop {
        let events = live.events_after(seen).await;
        seen += events.len();
        if events.iter().any(is_word) {
            break;
        }
    }
    live.cancel();
    live.ended().await.unwrap();
    let kept = house.agent.conversation(&Caller::local(), live.conversation()).await.unwrap();
    assert!(kept.tokens > 100 && kept.turns.is_empty(), "{kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_cancelled_ends_at_the_model_too() {
    let house = House::by(|_| Turn::Hold("Thinking".to_owned())).await;
    let live = house.agent.begin(&Caller::local(), ask("How many?")).await.unwrap();
    while house.server.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    live.cancel();
    let ended = live.ended().await.unwrap();
    assert!(matches!(ended, Event::Error { code: "cancelled", .. }), "{ended:?}");
    house.server.was_left(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_rolled_out_to_gets_tools_and_no_programs() {
    let nobody = |settings: &mut Settings| settings.rollout = 0.0;
    let house = House::set(nobody, by_turns([Turn::say("Hello.")])).await;
    let answer = house.ask(ask("Hello?")).await.0.unwrap();
    assert_eq!((answer.arm, answer.mode, answer.answer.as_str()), ("direct", "direct", "Hello."));
    assert_eq!(house.server.asked()[0].body.get("tools"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_is_in_no_event_and_in_no_file() {
    let turns =
        [Turn::program("return 1"), Turn::say("One."), Turn::Status(401, None, KEY.to_owned())];
    let house = House::saying(turns).await;
    let (_, mut events) = house.ask(ask("How many?")).await;
    events.extend(house.ask(ask("Again?")).await.1);
    assert!(!format!("{events:?}").contains(KEY), "{events:?}");
    for name in ["tidegate.db", "tidegate.db-wal"] {
        let kept = std::fs::read(house.folder.path().join(name)).unwrap_or_default();
        assert!(!kept.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "{name}");
    }
}

/// A question without more.
fn ask(question: &str) -> Ask {
    Ask { question: question.to_owned(), ..Ask::default() }
}

fn by_turns(turns: impl IntoIterator<Item = Turn>) -> impl FnMut(&Asked) -> Turn + Send + 'static {
    let mut turns: std::collections::VecDeque<Turn> = turns.into_iter().collect();
    move |_| turns.pop_front().unwrap_or_else(|| Turn::Status(400, None, "over".to_owned()))
}

/// A gateway, and a model that is asked.
struct House {
    agent: Arc<Agent>,
    service: Arc<Service>,
    server: Scripted,
    folder: TempDir,
}

impl House {
    async fn saying(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::with(Mode::Code, by_turns(turns)).await
    }

    async fn by(script: impl FnMut(&Asked) -> Turn + Send + 'static) -> Self {
        Self::with(Mode::Code, script).await
    }

    async fn with(mode: Mode, script: impl FnMut(&Asked) -> Turn + Send + 'static) -> Self {
        Self::set(|settings| settings.mode = mode, script).await
    }

    async fn set(
        change: impl FnOnce(&mut Settings),
        script: impl FnMut(&Asked) -> Turn + Send + 'static,
    ) -> Self {
        let folder = TempDir::new().unwrap();
        let server = Scripted::by(Format::OpenAi, script).await;
        let store = Store::open(folder.path()).await.unwrap();
        let parts = parts(folder.path(), store);
        let service = Service::open(gateway::service::Settings::default(), parts).await.unwrap();
        let url = server.url().parse().unwrap();
        let mut model = ModelSettings::new(ProviderName::OpenAi, MODEL, url);
        model.key = Some(Secret::new(KEY.to_owned()));
        model.retry_after = Duration::from_millis(1);
        let prices = Prices { input: 1.0, output: 4.0 };
        let mut settings = Settings { prices, ..Settings::new(model) };
        change(&mut settings);
        let own = settings.clone();
        let provider =
            move || Provider::of(own.clone()).map(Some).map_err(|error| error.to_string());
        service.tools().minds().are_provided_by(Arc::new(provider));
        let agent = Agent::new(Arc::clone(&service), settings).unwrap();
        Self { agent, service, server, folder }
    }

    /// The answer, or the code and words of what went wrong; and all that happened.
    async fn ask(&self, ask: Ask) -> (Result<Answer, (String, String)>, Vec<Event>) {
        let live = self.agent.begin(&Caller::local(), ask).await.unwrap();
        let last = live.ended().await.unwrap();
        let events = live.events_after(0).await;
        let answer = match last {
            Event::Answer(answer) => Ok(*answer),
            Event::Error { code, message } => Err((code.to_owned(), message)),
            other => panic!("{other:?} is no end"),
        };
        (answer, events)
    }
}

/// What a gateway over a folder is made of.
fn parts(folder: &Path, store: Store) -> Parts {
    let memory = Memory::at(folder.join("memory"));
    let upstreams = Upstreams::new(Vec::new(), upstream::Options::default());
    let skillset = Skillset::at(folder.join("skills"), Sources::default());
    Parts {
        engines: Engines::default()
            .with(Language::Python, sandbox())
            .with(Language::TypeScript, OnDemand::new(typescript)),
        tools: Tools::new(upstreams, BTreeMap::new(), memory).with_skills(skillset),
        checks: Some(Checks::new()),
        store,
        guidance: "1".to_owned(),
        spans: None,
        trail: None,
        watching: None,
    }
}

/// The engine of TypeScript, made by the first test that needs it.
fn typescript() -> watch::Receiver<Readiness> {
    let engine = Readiness::Ready(sandbox_of(Language::TypeScript));
    watch::Sender::new(engine).subscribe()
}

/// One installed runtime and one engine for all tests.
fn sandbox() -> Arc<dyn Engine> {
    sandbox_of(Language::Python)
}

fn sandbox_of(language: Language) -> Arc<dyn Engine> {
    static PYTHON: OnceLock<Arc<WasmEngine>> = OnceLock::new();
    static TYPESCRIPT: OnceLock<Arc<WasmEngine>> = OnceLock::new();
    let engine = match language {
        Language::Python => &PYTHON,
        Language::TypeScript => &TYPESCRIPT,
    };
    let engine = engine.get_or_init(|| {
        let folder = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
            || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
            PathBuf::from,
        );
        let cache = Cache::at(folder);
        let plan = plan_of(language).unwrap();
        let installed = install(&cache, &Source::Registry, &plan, &Builder, &Silent).unwrap();
        Arc::new(WasmEngine::open(installed, Options::default()).unwrap())
    });
    Arc::clone(engine) as Arc<dyn Engine>
}
