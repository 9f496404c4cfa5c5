//! Questions from the command line: a scripted model, the real binary, a real server of tools.

use std::io::Read as _;
use std::path::PathBuf;

use scripted::{Format, KEY, MODEL, Scripted, Turn};
use serde_json::{Value, json};

use crate::tide::{Said, User};

/// The variable that the key is in here.
const VARIABLE: &str = "TIDEGATE_TEST_MODEL_KEY";

#[tokio::test(flavor = "multi_thread")]
async fn the_steps_are_shown_beside_the_answer() {
    let program =
        "from data import get_devices\nprint('looking')\nreturn (await get_devices())['count']";
    let turns = [
        Turn::program("return nothing_like_that"),
        Turn::program(program),
        Turn::say("There are 40 of them."),
    ];
    let asker = Asker::of(turns, "").await;
    let said = asker.ask(&["How many devices are there?"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "There are 40 of them.\n"), "{said:?}");
    for words in [
        "tools: data.",
        "program\n  return nothing_like_that",
        "failed with",
        "program (attempt 2)\n  from data import get_devices",
        "running r_",
        "calls data.get_devices",
        "  looking",
        "2 programs, 360 tokens",
        "--conversation c_",
    ] {
        assert!(said.stderr.contains(words), "no {words:?} in {}", said.stderr);
    }
    assert!(asker.server.asked()[0].text().contains("get_devices"));
    assert_eq!(asker.server.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_can_be_json_by_schema_or_a_document() {
    let turns = [
        Turn::program("return factor * 3"),
        Turn::say(r#"{"total": 12}"#),
        Turn::program("return 5"),
        Turn::say(r#"{"total": 5, "by": "a: b"}"#),
    ];
    let asker = Asker::of(turns, "").await;
    let schema = r#"{"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}"#;
    let schema = asker.user.file("schema.json", schema);
    let schema = schema.to_str().unwrap();
    let asked = ["--json", "--context", r#"{"factor": 4}"#, "--schema", schema, "How many?"];
    let said = asker.ask(&asked);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    let answer: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((&answer["value"], &answer["mode"]), (&json!({"total": 12}), &json!("code")));
    assert_eq!(answer["usage"]["steps"][1]["step"], "interpret");
    assert!(answer["runs"][0].as_str().unwrap().starts_with("r_"), "{answer}");

    let template = asker.user.file("report.yaml", "total: {{ total }}\nby: {{ by }}\n");
    let said = asker.ask(&["--template", template.to_str().unwrap(), "How many?"]);
    assert_eq!(said.stdout, "total: 5\nby: \"a: b\"\n", "{said:?}");
    let wrong = asker.user.file("wrong.json", "{\"type\": 5}");
    let said = asker.ask(&["--schema", wrong.to_str().unwrap(), "How many?"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("--schema") && said.stderr.contains("wrong.json"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_in_another_process() {
    let turns = [
        Turn::program("return 3"),
        Turn::say("There are 3."),
        Turn::program("return 4"),
        Turn::say("And 4."),
    ];
    let asker = Asker::of(turns, "").await;
    let said = asker.ask(&["--json", "How many rows?"]);
    let answer: Value = serde_json::from_str(&said.stdout).unwrap();
    let conversation = answer["conversation"].as_str().unwrap();
    let said = asker.ask(&["--conversation", conversation, "And columns?"]);
    assert_eq!(said.stdout, "And 4.\n", "{said:?}");
    // What both questions used.
    assert!(said.stderr.contains("the conversation 480 tokens (with tools "), "{said:?}");
    assert!(asker.server.asked()[2].text().contains("There are 3."));
    let unknown = format!("c_{}", "0".repeat(32));
    let said = asker.ask(&["--conversation", &unknown, "And columns?"]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

#[test]
fn without_a_model_it_says_which_setting_is_missing() {
    let user = User::new();
    let said = user.tidegate(&["ask", "How many?"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{said:?}");
    assert!(said.stderr.contains("`provider`") && said.stderr.contains("`[ask]`"), "{said:?}");
    let said = user.tidegate(&["ask", "--json", "How many?"]);
    let told: Value = serde_json::from_str(&said.stdout).unwrap();
    assert!(told["error"]["message"].as_str().unwrap().contains("`[ask]`"), "{told}");
    assert_eq!(said.code, Some(2));
    user.file("half.toml", "[ask]\nprovider = 'openai'\n");
    let half = user.folder().join("half.toml");
    let said = user.tidegate(&["--config", half.to_str().unwrap(), "ask", "How many?"]);
    assert!(said.code == Some(2) && said.stderr.contains("`model` is missing"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_comes_from_where_the_setting_says() {
    let asker = Asker::of([Turn::program("return 1"), Turn::say("One.")], "").await;
    let mut command = asker.command(&["How many?"]);
    let said = Said::from(command.env_remove(VARIABLE).output().unwrap());
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("`key`") && said.stderr.contains(VARIABLE), "{said:?}");
    assert!(asker.server.asked().is_empty());
    // The provider takes no other key.
    let said =
        Said::from(asker.command(&["How many?"]).env(VARIABLE, "sk-wrong").output().unwrap());
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(!said.stderr.contains("sk-wrong"), "{said:?}");
    let said = asker.ask(&["How many?"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "One.\n"), "{said:?}");
    assert!(!said.stderr.contains(KEY), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_share_that_gets_programs_comes_from_the_file() {
    for (rollout, turns, arm) in [
        ("'0%'", vec![Turn::say("Hello.")], "direct"),
        ("'100%'", vec![Turn::program("return 1"), Turn::say("Hello.")], "code"),
    ] {
        let asker = Asker::of(turns, &format!("rollout = {rollout}\n")).await;
        let said = asker.ask(&["--json", "Hello?"]);
        let answer: Value =
            serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
        assert_eq!((&answer["arm"], &answer["mode"]), (&json!(arm), &json!(arm)), "{answer}");
    }
    let asker = Asker::of([], "rollout = 'a quarter'\n").await;
    let said = asker.ask(&["Hello?"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("`rollout`") && said.stderr.contains("\"25%\""), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_way_to_fail_has_its_exit_code() {
    let failing = |turn: fn() -> Turn, more: &'static str| async move {
        let asker = Asker::of(std::iter::repeat_with(turn).take(20), more).await;
        let said = asker.ask(&["--json", "How many?"]);
        let told: Value = serde_json::from_str(&said.stdout).unwrap();
        (said.code, told["error"]["code"].as_str().unwrap().to_owned())
    };
    let raising = || Turn::program("raise ValueError('no')");
    assert_eq!(failing(raising, "").await, (Some(1), "programs_failed".to_owned()));
    let endless = || Turn::Length("And then ".to_owned());
    assert_eq!(failing(endless, "").await, (Some(1), "reply_too_long".to_owned()));
    let refusing = || Turn::Refuse("no".to_owned());
    assert_eq!(failing(refusing, "").await, (Some(1), "model_refused".to_owned()));
    let spent = failing(raising, "max-tokens = 100\n").await;
    assert_eq!(spent, (Some(3), "budget_exceeded".to_owned()));
    let broken = || Turn::Status(400, None, "no".to_owned());
    assert_eq!(failing(broken, "").await, (Some(5), "model_failed".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_cancels_at_the_model_too() {
    let asker = Asker::of([Turn::Hold("Thinking".to_owned())], "").await;
    let mut child = asker.command(&["How many?"]).spawn().unwrap();
    while asker.server.asked().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it asked");
        tokio::task::yield_now().await;
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    asker.server.was_left(1).await;
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(stderr.contains("the question was cancelled"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_a_server_is_passed_through_to_the_model() {
    let turns = [
        Turn::call("data__get_devices", json!({"kind": "motion"})),
        Turn::say("Those that see motion."),
    ];
    let more = "mode = 'hybrid'\n[tools]\ndirect = ['data.get_devices']\n";
    let asker = Asker::of(turns, more).await;
    let said = asker.ask(&["--json", "Which devices see motion?"]);
    let answer: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((&answer["mode"], said.code), (&json!("hybrid"), Some(0)), "{said:?}");
    let asked = asker.server.asked();
    let offered: Vec<&Value> =
        asked[0].body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]).collect();
    let passed = offered.iter().find(|tool| tool["name"] == "data__get_devices").unwrap();
    assert_eq!(passed["parameters"]["properties"]["room"]["type"], "string");
    assert!(offered.iter().all(|tool| tool["name"] != "data__query_device_history"));
    let result = asked[1].text();
    assert!(result.contains("motion_03") && !result.contains("temperature_"), "{result}");
    assert_eq!(asker.server.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_tools_would_have_taken_counts_every_row_a_program_read() {
    let code = |points: u32| {
        format!(
            "from data import get_devices, query_device_history\nall = await get_devices(kind='power')\nrows = await query_device_history(device_id=all['devices'][0]['id'], limit={points})\nreturn len(str(rows)) > 0"
        )
    };
    let turns = [1, 500].map(|points| [Turn::program(&code(points)), Turn::say("Yes.")]);
    let asker = Asker::of(turns.into_iter().flatten(), "").await;
    let [few, many] = [(), ()].map(|()| {
        let said = asker.ask(&["--json", "Is there anything?"]);
        let answer: Value =
            serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
        let usage = &answer["usage"];
        let (direct, saved) = (usage["direct_tokens"].as_i64().unwrap(), &usage["tokens_saved"]);
        assert_eq!(saved.as_i64().unwrap(), direct - 240, "{usage}");
        direct
    });
    assert!(many > few + 1_000, "{few} and {many}");
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_count_once_and_programs_that_failed_not_at_all() {
    let read = "from data import get_devices\nall = await get_devices()\n";
    let (works, fails) = (format!("{read}return 1"), format!("{read}raise ValueError('no')"));
    let code = |code: &str| Turn::call("execute_python", json!({ "code": code }));
    let turns = [
        vec![code(&works), Turn::say("Yes.")],
        vec![code(&fails), code(&fails), code(&works), Turn::say("Yes.")],
        vec![code(&works), code("return 2"), Turn::say("Yes.")],
    ];
    let asker = Asker::of(turns.into_iter().flatten(), "mode = 'hybrid'\n").await;
    let [once, failing, twice] = [(), (), ()].map(|()| {
        let said = asker.ask(&["--json", "Is there anything?"]);
        let answer: Value =
            serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
        answer["usage"]["direct_tokens"].as_u64().unwrap()
    });
    assert_eq!((failing, twice), (once, once));
    // Of 40 devices alone.
    assert!(once > 1_000, "{once}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_child_calls_is_counted_with_its_program() {
    let child = "from data import get_devices\nreturn (await get_devices())['count']";
    let turns = [
        Turn::program(&format!("return await spawn({child:?})")),
        Turn::say("Some."),
        Turn::program("return 1"),
        Turn::say("None."),
    ];
    let asker = Asker::of(turns, "").await;
    let [calling, idle] = [(), ()].map(|()| asker.ask(&["How many?"]));
    assert!(calling.stderr.contains("calls data.get_devices"), "{calling:?}");
    assert!(!idle.stderr.contains("calls data.get_devices"), "{idle:?}");
    let instead = |said: &Said| {
        let (_, rest) = said.stderr.split_once("instead of programs ").unwrap();
        rest.split_once(')').unwrap().0.parse::<u64>().unwrap()
    };
    // What the tool answered is some thousand tokens.
    assert!(instead(&calling) > instead(&idle) + 1_000, "{calling:?} {idle:?}");
}

/// A user with a model and a server of tools.
struct Asker {
    user: User,
    server: Scripted,
    config: PathBuf,
}

impl Asker {
    /// One whose model says these things, with more lines in `[ask]`.
    async fn of(turns: impl IntoIterator<Item = Turn>, more: &str) -> Self {
        let (user, server) = (User::new(), Scripted::saying(Format::OpenAi, turns).await);
        let (url, binary) = (server.url(), env!("CARGO_BIN_EXE_tidegate"));
        let text = format!(
            "[servers.data]\ncommand = {binary:?}\nargs = ['example-server', 'data']\n\n[ask]\nprovider = 'openai'\nmodel = '{MODEL}'\nurl = '{url}'\nkey = '${{env:{VARIABLE}}}'\n{more}"
        );
        let config = user.file("asking.toml", &text);
        Self { user, server, config }
    }

    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let config = self.config.to_str().unwrap();
        let mut command = self.user.command(&[&["--config", config, "ask"], arguments].concat());
        command.env(VARIABLE, KEY);
        command
    }

    fn ask(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }
}
