//! Programs that ask models, and leave each other messages: through REST and through the MCP door.

use std::sync::Arc;

use agent::{ModelSettings, Prices, Provider, ProviderName};
use scripted::{Format, KEY, MODEL, Scripted, Turn};
use server::mcp::{Mcp, McpOptions, Parting};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use upstream::Secret;

use super::*;

const KINDS: &str = r#"
schema = {"type": "object", "properties": {"kind": {"enum": ["praise", "complaint"]}}, "required": ["kind"]}
"#;

/// A gateway whose configured provider says these things.
async fn provided(turns: impl IntoIterator<Item = Turn>) -> (House, Scripted) {
    let model = Scripted::saying(Format::OpenAi, turns).await;
    let mut own = ModelSettings::new(ProviderName::OpenAi, MODEL, model.url().parse().unwrap());
    own.key = Some(Secret::new(KEY.to_owned()));
    own.retry_after = Duration::from_millis(1);
    let settings = agent::Settings {
        prices: Prices { input: 10.0, output: 100.0 },
        ..agent::Settings::new(own)
    };
    let house = House::new().await;
    let provider =
        move || Provider::of(settings.clone()).map(Some).map_err(|error| error.to_string());
    house.service.tools().minds().are_provided_by(Arc::new(provider));
    (house, model)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_asks_the_provider_and_its_receipt_says_what_that_took() {
    let turns = [
        Turn::say("three"),
        Turn::say(r#"{"kind": "complain"}"#),
        Turn::say(r#"{"kind": "complaint"}"#),
    ];
    let (house, model) = provided(turns).await;
    let code = format!(
        "{KINDS}first = await ask_model('how many?')\nsecond = await ask_model('what is it?', schema=schema)\nreturn [first, second['kind']]"
    );
    let run = house.run(json!({ "code": code, "agent": "planner" })).await;
    assert_eq!(run["return_value"], json!(["three", "complaint"]), "{run}");
    let models = &run["receipt"]["models"];
    // As the provider says: 100 tokens read and 20 written each time.
    assert_eq!(
        (&models["questions"], &models["input_tokens"], &models["output_tokens"]),
        (&json!(3), &json!(300), &json!(60))
    );
    assert!((models["cost"].as_f64().unwrap() - 0.009).abs() < 1e-9, "{models}");
    assert_eq!(
        (&run["agent"], &run["calls"][0]["tool"]),
        (&json!("planner"), &json!("$ask_model"))
    );
    assert!(!run["calls"].to_string().contains("how many?"), "what was asked is nobody's business");
    let stats = house.get("/api/v1/stats").await;
    assert_eq!(
        (&stats["models"]["questions"], &stats["models"]["input_tokens"]),
        (&json!(3), &json!(300))
    );
    assert_eq!(model.complaints(), Vec::<String>::new());
    assert!(model.asked()[2].text().contains("That cannot be used"), "{:?}", model.asked());
    let told = house.ask("/metrics").await.text().await.unwrap();
    assert!(told.contains("tidegate_program_questions_total"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_in_typescript_asks_and_leaves_messages_too() {
    let (house, model) = provided([Turn::say("three"), Turn::say(r#"{"kind": "praise"}"#)]).await;
    let code = r#"
const said = await askModel("how many?");
const schema = { type: "object", properties: { kind: { enum: ["praise"] } }, required: ["kind"] };
const judged = await askModel("what is it?", schema);
await post("done", { said });
const back = await receive("done", { timeout: 60 });
let late = "";
try {
  await receive("done", { timeout: 0 });
} catch (error) {
  late = (error as Error).name;
}
return [back.said, judged.kind, late];
"#;
    let run = house.run(json!({ "code": code, "language": "typescript" })).await;
    assert_eq!(run["return_value"], json!(["three", "praise", "TimeoutError"]), "{run}");
    assert_eq!(run["receipt"]["models"]["questions"], 2, "{run}");
    assert_eq!(model.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_can_be_caught_and_children_share_the_budget() {
    let (house, model) = provided([Turn::say("one"), Turn::say("x"), Turn::say("y")]).await;
    let code = format!(
        "{KINDS}said = []
first = await spawn(\"return await ask_model('one?')\", agent='worker')
try:
    await ask_model('what is it?', schema=schema)
except ToolError as error:
    said.append(error.kind)
try:
    await ask_model('again?')
except ToolError as error:
    said.append([error.kind, '`model-tokens`' in str(error)])
return [first, said]"
    );
    let limits = json!({ "model_tokens": 360 });
    let run = house.run(json!({ "code": code, "limits": limits })).await;
    assert_eq!(
        run["return_value"],
        json!(["one", ["SchemaError", ["LimitExceeded", true]]]),
        "{run}"
    );
    assert_eq!(model.asked().len(), 3);
    let calls = run["calls"].as_array().unwrap();
    assert!(
        calls.iter().any(|call| call["agent"] == "worker" && call["tool"] == "$ask_model"),
        "{run}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_model_is_configured_a_program_is_told_which_settings_name_one() {
    let house = House::new().await;
    let run = house.run(json!({ "code": "await ask_model('anybody?')" })).await;
    assert_eq!(run["error"]["type"], "ServerError", "{run}");
    assert!(text(&run["error"]["message"]).contains("[ask]"), "{run}");
}

/// A client that speaks lines of JSON.
struct Client {
    reading: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writing: WriteHalf<DuplexStream>,
    parting: Parting,
}

impl Client {
    async fn of(house: &House, capabilities: Value) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let parting = Parting::default();
        let mcp = Mcp::new(house.shared(), McpOptions::default());
        tokio::spawn(mcp.serve(tokio::io::split(theirs), parting.clone()));
        let (reading, writing) = tokio::io::split(ours);
        let mut client = Self { reading: BufReader::new(reading).lines(), writing, parting };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" } });
        client.send(json!({ "id": 0, "method": "initialize", "params": hello })).await;
        client.next(|message| message["id"] == 0).await;
        client.send(json!({ "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.writing.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = tokio::time::timeout(Duration::from_secs(60), self.reading.next_line());
            let message: Value =
                serde_json::from_str(&line.await.unwrap().unwrap().unwrap()).unwrap();
            if is_it(&message) {
                return message;
            }
        }
    }

    async fn run(&mut self, code: &str) {
        let params = json!({ "name": "execute_python", "arguments": { "code": code } });
        self.send(json!({ "id": 1, "method": "tools/call", "params": params })).await;
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.parting.ending.cancel();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_of_a_client_that_offers_it_is_asked_and_not_the_provider() {
    let (house, model) = provided([]).await;
    let mut client = Client::of(&house, json!({ "sampling": {} })).await;
    let code = "import asyncio\nreturn await asyncio.gather(ask_model('a?'), ask_model('b?'))";
    client.run(code).await;
    for _ in 0..2 {
        let asked = client.next(|message| message["method"] == "sampling/createMessage").await;
        let prompt = text(&asked["params"]["messages"][0]["content"]["text"]).to_owned();
        assert!(asked["params"]["maxTokens"].as_u64() > Some(0), "{asked}");
        let result = json!({ "role": "assistant", "model": "mine", "stopReason": "endTurn",
            "content": { "type": "text", "text": prompt.to_uppercase() } });
        client.send(json!({ "id": asked["id"], "result": result })).await;
    }
    let answer = client.next(|message| message["id"] == 1).await;
    let content = &answer["result"]["structuredContent"];
    assert_eq!(content["return_value"], json!(["A?", "B?"]), "{answer}");
    let run = house.get(&format!("/api/v1/runs/{}", text(&content["run_id"]))).await;
    assert_eq!(run["receipt"]["models"]["questions"], 2, "{run}");
    assert_eq!(run["receipt"]["models"]["cost"], 0.0, "{run}");
    assert!(model.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_refuses_is_not_gone_around_and_one_without_a_model_is_not_asked() {
    let (house, model) = provided([Turn::say("the provider")]).await;
    let mut client = Client::of(&house, json!({ "sampling": {} })).await;
    client.run("try:\n    await ask_model('a?')\nexcept ToolError as error:\n    said = [error.kind, str(error)]\nreturn said").await;
    let asked = client.next(|message| message["method"] == "sampling/createMessage").await;
    let error = json!({ "code": -1, "message": "User rejected sampling request" });
    client.send(json!({ "id": asked["id"], "error": error })).await;
    let answer = client.next(|message| message["id"] == 1).await;
    let said = &answer["result"]["structuredContent"]["return_value"];
    assert_eq!(said[0], "ModelError", "{answer}");
    assert!(text(&said[1]).contains("User rejected"), "{answer}");
    let mut other = Client::of(&house, json!({})).await;
    other.run("return await ask_model('a?')").await;
    let answer = other.next(|message| message["id"] == 1).await;
    assert_eq!(answer["result"]["structuredContent"]["return_value"], "the provider", "{answer}");
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_newest_revision_repeats_its_call_with_what_its_model_said() {
    let (house, model) = provided([]).await;
    let ask = async |extra: Value| {
        let mut params = json!({
            "name": "execute_python",
            "arguments": { "code": "first = await ask_model('a?')\nreturn [first, await ask_model('b?')]" },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": { "sampling": {} },
                "tidegate/agent": "planner",
            },
        });
        for (key, value) in extra.as_object().unwrap() {
            params[key] = value.clone();
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let request = house.asked(Method::POST, "/mcp").json(&body);
        let request = request
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "execute_python");
        let said = request.send().await.unwrap().text().await.unwrap();
        let lines = said.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let found: Vec<Value> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        found.into_iter().find(|message| message["id"] == 1).unwrap_or_else(|| panic!("{said}"))
    };
    let mut answer = ask(json!({})).await;
    for _ in 0..2 {
        let result = &answer["result"];
        assert_eq!(result["resultType"], "input_required", "{answer}");
        let (key, asked) = result["inputRequests"].as_object().unwrap().iter().next().unwrap();
        assert_eq!(asked["method"], "sampling/createMessage", "{answer}");
        let prompt = text(&asked["params"]["messages"][0]["content"]["text"]);
        let said = json!({ "role": "assistant", "model": "mine", "stopReason": "endTurn",
            "content": { "type": "text", "text": prompt.to_uppercase() } });
        let back =
            json!({ "requestState": result["requestState"], "inputResponses": { key: said } });
        answer = ask(back).await;
    }
    let content = &answer["result"]["structuredContent"];
    assert_eq!(content["return_value"], json!(["A?", "B?"]), "{answer}");
    let run = house.get(&format!("/api/v1/runs/{}", text(&content["run_id"]))).await;
    assert_eq!(run["agent"], "planner", "{run}");
    assert!(model.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_of_several_agents_tell_each_other_something_in_sessions_of_their_own() {
    let house = House::new().await;
    let made = house.post("/api/v1/sessions", json!({ "agent": "planner" })).await;
    let session: Value = made.json().await.unwrap();
    assert_eq!(session["agent"], "planner", "{session}");
    let fork = format!("/api/v1/sessions/{}/fork", text(&session["id"]));
    house.run(json!({ "code": "rows = [1, 2]", "session": session["id"] })).await;
    let forked: Value = house.post(&fork, json!({ "agent": "worker" })).await.json().await.unwrap();
    assert_eq!(forked["agent"], "worker", "{forked}");
    let same: Value = house.post(&fork, json!({})).await.json().await.unwrap();
    assert_eq!(same["agent"], "planner", "{same}");
    let works = house.run(json!({
        "code": "job = await receive('jobs', timeout=60)\nawait post('done', {'sum': sum(rows) + job['plus']})",
        "session": forked["id"],
    }));
    let plans = house.run(json!({
        "code": "await post('jobs', {'plus': 4})\nreturn await receive('done', timeout=60)",
        "session": session["id"],
    }));
    let (works, plans) = tokio::join!(works, plans);
    assert_eq!(plans["return_value"], json!({ "sum": 7 }), "{plans} {works}");
    assert_eq!((&works["agent"], &plans["agent"]), (&json!("worker"), &json!("planner")));
    let late = house.run(json!({ "code": "try:\n    await receive('jobs', timeout=0)\nexcept TimeoutError as error:\n    return error.kind" })).await;
    assert_eq!(late["return_value"], "TimedOut", "{late}");
    for agent in [json!(""), json!("a b"), json!("worker-*")] {
        let response = house.post("/execute", json!({ "code": "1", "agent": agent })).await;
        assert_problem(response, 400, "invalid_request").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_survive_the_gateway() {
    let house = House::new().await;
    let posted = house.run(json!({ "code": "await post('later', [1, {'two': 3}])" })).await;
    assert_eq!(posted["success"], true, "{posted}");
    let House { service, folder, .. } = house;
    service.close(Duration::from_secs(5)).await;
    drop(service);
    let (readiness, sources) =
        (Readiness::Ready(house::sandbox()), gateway::skillset::Sources::default());
    let (service, folder) = House::opened_in(folder, Settings::default(), readiness, sources).await;
    let again = House::serving(service, folder, RestOptions::default()).await;
    let received = again.run(json!({ "code": "return await receive('later', timeout=0)" })).await;
    assert_eq!(received["return_value"], json!([1, { "two": 3 }]), "{received}");
}

/// Gives up waiting in the very moment in which a message comes, again and again.
const IN_THE_SAME_MOMENT: &str = "
import asyncio

async def waits(name):
    return await receive(name)

async def gives_up(waiting, name):
    await post('done-' + name, 1)
    waiting.cancel()

got = []
for number in range(50):
    name = f'work-{number}'
    await post(name, number)
    waiting = asyncio.create_task(waits(name))
    giving_up = asyncio.create_task(gives_up(waiting, name))
    try:
        got.append(await waiting)
    except asyncio.CancelledError:
        got.append(await receive(name, timeout=60))
    await giving_up
return got == list(range(50))
";

/// Waits for a moment only, while somebody posts.
const IN_MOMENTS: &str = "
import asyncio

async def posts():
    for number in range(30):
        await post('work', number)
        await asyncio.sleep(0.001)

async def takes():
    got = []
    while len(got) < 30:
        try:
            got.append(await asyncio.wait_for(receive('work'), 0.005))
        except TimeoutError:
            pass
    return got

_, got = await asyncio.wait_for(asyncio.gather(posts(), takes()), 120)
return sorted(got) == list(range(30))
";

#[tokio::test(flavor = "multi_thread")]
async fn whoever_gives_up_waiting_loses_no_message() {
    let house = House::new().await;
    for code in [IN_THE_SAME_MOMENT, IN_MOMENTS] {
        let run = house.run(json!({ "code": code })).await;
        assert_eq!(run["return_value"], true, "{run}");
    }
    // One that is cancelled while it waits takes nothing either.
    let code = json!({ "code": "return await receive('late')" });
    let run: Value = house.post("/execute?async=true", code).await.json().await.unwrap();
    let at = format!("/api/v1/runs/{}", text(&run["run_id"]));
    house.until(&at, |run| run["waiting"]["for"] == json!(["$receive"])).await;
    house.post(&format!("{at}/cancel"), json!({})).await;
    house.run(json!({ "code": "await post('late', 7)" })).await;
    let received = house.run(json!({ "code": "return await receive('late', timeout=0)" })).await;
    assert_eq!(received["return_value"], 7, "{received}");
}
