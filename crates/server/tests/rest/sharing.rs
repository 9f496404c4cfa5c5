//! Sessions that share their files, each with its own language, variables and life.

use std::time::Duration;

use gateway::service::{Readiness, Scope, Settings};
use gateway::skillset::Sources;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use server::rest::{AccessRules, RestOptions};

use super::house::{House, assert_problem, sandbox, text};

const WRITE: &str = "open('/workspace/rows.json', 'w').write('[1, 2, 3]')";
const READ: &str = "return JSON.parse(await readFile('/workspace/rows.json'))";

impl House {
    /// A Python session, and one for TypeScript that has its files.
    async fn pair(&self) -> (String, String) {
        let python = self.create_session().await;
        let asked = json!({"language": "typescript", "workspace_of": python});
        let made = self.post("/api/v1/sessions", asked).await;
        assert_eq!(made.status(), StatusCode::CREATED);
        let made: Value = made.json().await.unwrap();
        assert_eq!(made["shares_with"], json!([python]), "{made}");
        (python, text(&made["id"]).to_owned())
    }

    /// What a program returns that succeeds.
    async fn value(&self, session: &str, code: &str) -> Value {
        let answer = self.run(json!({"code": code, "session": session})).await;
        assert_eq!(answer["success"], true, "{answer}");
        answer["return_value"].clone()
    }

    async fn deleted(&self, session: &str) {
        let asked = self.asked(Method::DELETE, &format!("/api/v1/sessions/{session}"));
        assert_eq!(asked.send().await.unwrap().status(), StatusCode::NO_CONTENT);
    }

    /// The same gateway, started again.
    async fn again(self, settings: Settings) -> Self {
        let Self { service, folder, .. } = self;
        service.close(Duration::from_secs(5)).await;
        drop(service);
        let (ready, sources) = (Readiness::Ready(sandbox()), Sources::default());
        let (service, folder) = Self::opened_in(folder, settings, ready, sources).await;
        Self::serving(service, folder, RestOptions::default()).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_language_finds_what_the_other_wrote() {
    let house = House::new().await;
    let (python, script) = house.pair().await;
    house.value(&python, &format!("count = 1\n{WRITE}")).await;
    assert_eq!(house.value(&script, READ).await, json!([1, 2, 3]));
    house.value(&script, "await writeFile('/workspace/d/more.txt', 'ü'); let own = 5; 1").await;
    let code = "import os\nos.remove('rows.json')\nreturn [open('d/more.txt').read(), count]";
    assert_eq!(house.value(&python, code).await, json!(["ü", 1]));
    // What is removed is gone for both, and variables are each session's own.
    let code = "return [await listDirectory('/workspace'), own]";
    assert_eq!(house.value(&script, code).await, json!([["d/"], 5]));
    for session in [&python, &script] {
        let files = house.get(&format!("/api/v1/sessions/{session}/files")).await;
        assert_eq!(files["files"], json!([{"path": "d/more.txt", "bytes": 2}]), "{files}");
    }
    let at = format!("/api/v1/sessions/{script}/files/in.txt");
    house.asked(Method::PUT, &at).body("given").send().await.unwrap();
    assert_eq!(house.value(&python, "return open('in.txt').read()").await, "given");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_can_ask_for_a_session_beside_another() {
    let house = House::new().await;
    let first = house.run(json!({ "code": WRITE })).await;
    let python = text(&first["session"]);
    let asked = json!({"code": READ, "language": "typescript", "workspace_of": python});
    let second = house.run(asked).await;
    assert_eq!(second["return_value"], json!([1, 2, 3]), "{second}");
    let shown = house.get(&format!("/api/v1/sessions/{python}")).await;
    assert_eq!(shown["shares_with"], json!([second["session"]]));
    let both = json!({"code": "1", "session": python, "workspace_of": python});
    let said = assert_problem(house.post("/execute", both).await, 422, "invalid_request").await;
    assert!(said.contains("`workspace_of`") && said.contains("leave one of them out"), "{said}");
    let third = house
        .run(json!({"code": "import os\nreturn os.listdir()", "workspace_of": second["session"]}))
        .await;
    assert_eq!(third["return_value"], json!(["rows.json"]), "{third}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_program_at_a_time_runs_in_all_of_them() {
    let house = House::new().await;
    let (python, script) = house.pair().await;
    let code = "import asyncio\nopen('n', 'w').write('1')\nawait asyncio.sleep(0.5)\nopen('n', 'w').write('2')";
    let began = house.post("/execute?async=true", json!({"code": code, "session": python})).await;
    let began: Value = began.json().await.unwrap();
    let at = format!("/api/v1/runs/{}", text(&began["run_id"]));
    house.until(&at, |run| run["status"] == "waiting" || run["status"] == "succeeded").await;
    let refused = json!({"code": "1", "session": script, "if_busy": "refuse"});
    assert_problem(house.post("/execute", refused).await, 409, "session_busy").await;
    // Nor is a session made for whoever does not wait.
    let before = house.get("/api/v1/sessions").await["sessions"].as_array().unwrap().len();
    let refused = json!({"code": "1", "workspace_of": python, "if_busy": "refuse"});
    assert_problem(house.post("/execute", refused).await, 409, "session_busy").await;
    let after = house.get("/api/v1/sessions").await["sessions"].as_array().unwrap().len();
    assert_eq!(before, after);
    // It waits, and finds what the other left.
    assert_eq!(house.value(&script, "return await readFile('/workspace/n')").await, "2");
    assert_eq!(house.get(&at).await["status"], "succeeded");
    // Many at once, from both sides: nothing is lost.
    let adding = |session: &String, code: &'static str| {
        let body = json!({"code": code, "session": session});
        let asked = house.asked(Method::POST, "/execute").json(&body);
        tokio::spawn(async move { asked.send().await.unwrap().json::<Value>().await.unwrap() })
    };
    let mut all = Vec::new();
    for _ in 0..5 {
        all.push(adding(&python, "n = int(open('n').read()) + 1\nopen('n', 'w').write(str(n))"));
        all.push(adding(
            &script,
            "await writeFile('/workspace/n', String(Number(await readFile('/workspace/n')) + 1))",
        ));
    }
    for one in all {
        let answer = one.await.unwrap();
        assert_eq!(answer["success"], true, "{answer}");
    }
    assert_eq!(house.value(&python, "return open('n').read()").await, "12");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_leaves_the_files_as_the_others_have_them() {
    let house = House::new().await;
    let (python, script) = house.pair().await;
    house.value(&python, WRITE).await;
    let code = "await writeFile('/workspace/rows.json', '[]'); for (;;) {}";
    let late = json!({"code": code, "session": script, "timeout": 1});
    assert_eq!(house.run(late).await["status"], "timed_out");
    assert_eq!(house.value(&script, READ).await, json!([1, 2, 3]));
    assert_eq!(house.value(&python, "return open('rows.json').read()").await, "[1, 2, 3]");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_stay_when_one_session_goes() {
    let house = House::new().await;
    let (python, script) = house.pair().await;
    house.value(&python, WRITE).await;
    // It has the newest files, and nobody has read them yet.
    house.deleted(&python).await;
    assert_eq!(house.value(&script, READ).await, json!([1, 2, 3]));
    let shown = house.get(&format!("/api/v1/sessions/{script}")).await;
    assert_eq!(shown["shares_with"], json!([]), "{shown}");
    let house = house.again(Settings::default()).await;
    assert_eq!(house.value(&script, READ).await, json!([1, 2, 3]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_while_the_other_runs() {
    let house = House::new().await;
    let (python, script) = house.pair().await;
    house.value(&python, WRITE).await;
    let code = format!("await sleep(500); {READ}");
    let began = house.post("/execute?async=true", json!({"code": code, "session": script})).await;
    let began: Value = began.json().await.unwrap();
    let at = format!("/api/v1/runs/{}", text(&began["run_id"]));
    house.until(&at, |run| run["status"] != "queued").await;
    house.deleted(&python).await;
    let run = house.until(&at, |run| run["status"] == "succeeded").await;
    assert_eq!(run["return_value"], json!([1, 2, 3]), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_start_the_newest_files_are_found() {
    let durable = || Settings { durable: true, ..Settings::default() };
    for settings in [Settings::default(), durable()] {
        let is_durable = settings.durable;
        let house = House::with(settings, RestOptions::default()).await;
        let (python, script) = house.pair().await;
        house.value(&python, WRITE).await;
        house.value(&script, "await writeFile('/workspace/rows.json', '[7]')").await;
        let settings = if is_durable { durable() } else { Settings::default() };
        let house = house.again(settings).await;
        let shown = house.get(&format!("/api/v1/sessions/{python}")).await;
        assert_eq!(shown["shares_with"], json!([script]), "{shown}");
        assert_eq!(house.value(&python, "return open('rows.json').read()").await, "[7]");
        house.value(&python, WRITE).await;
        assert_eq!(house.value(&script, READ).await, json!([1, 2, 3]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_shares_what_is_somebody_elses() {
    let access = AccessRules { loopback_without_token: false, ..AccessRules::default() };
    let house = House::guarded(access).await;
    let ann = house.token("ann", &[Scope::Execute]).await;
    let bob = house.token("bob", &[Scope::Execute, Scope::Admin]).await;
    let ask = |token: &String, path: &str, body: Value| {
        house.asked(Method::POST, path).bearer_auth(token).json(&body).send()
    };
    let made = ask(&ann, "/execute", json!({ "code": WRITE })).await.unwrap();
    let made: Value = made.json().await.unwrap();
    assert_eq!(made["success"], true, "{made}");
    let with = json!({"workspace_of": made["session"], "language": "typescript"});
    let refused = ask(&bob, "/api/v1/sessions", with).await.unwrap();
    let said = assert_problem(refused, 404, "unknown_session").await;
    assert!(said.contains("leave `workspace_of` out"), "{said}");
    for refuses in ["wait", "refuse"] {
        let run = json!({"code": "1", "workspace_of": made["session"], "if_busy": refuses});
        let refused = ask(&bob, "/execute", run).await.unwrap();
        let said = assert_problem(refused, 404, "unknown_session").await;
        assert!(said.contains("leave `workspace_of` out") && !said.contains("`session`"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_quota_holds_for_the_files_of_all() {
    let mut settings = Settings::default();
    settings.limits.workspace_bytes = 1_000;
    let house = House::with(settings, RestOptions::default()).await;
    let (python, script) = house.pair().await;
    house.value(&python, "open('a', 'w').write('x' * 700)").await;
    let code = "await writeFile('/workspace/b', 'x'.repeat(700))";
    let refused = house.run(json!({"code": code, "session": script})).await;
    assert_eq!(refused["success"], false, "{refused}");
    assert!(refused["error"].to_string().contains("workspace-bytes"), "{refused}");
    house.value(&script, "await writeFile('/workspace/b', 'x'.repeat(300))").await;
    // A level whose sessions have no files of their own shares none.
    let other = json!({"workspace_of": python, "level": "hardened"});
    let refused = house.post("/api/v1/sessions", other).await;
    let said = assert_problem(refused, 422, "invalid_request").await;
    assert!(said.contains("`level`") && said.contains("workspace"), "{said}");
}
