//! Programs in TypeScript over HTTP: a session has one language, and everything else is as with Python.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::house::{House, assert_problem, text};

impl House {
    /// The answer to a program in TypeScript that succeeds.
    async fn script(&self, code: &str) -> Value {
        let answer = self.run(json!({"code": code, "language": "typescript"})).await;
        assert_eq!(answer["success"], true, "{answer}");
        answer
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_runs_and_its_answer_has_every_part() {
    let house = House::new().await;
    let code = "interface Sum { sum: number }\nconsole.log('hi');\nconst made: Sum = { sum: a + b };\nreturn made";
    let asked = json!({"code": code, "language": "typescript", "context": {"a": 1, "b": 2}});
    let answer = house.run(asked).await;
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(answer["return_value"], json!({"sum": 3}));
    assert_eq!((&answer["stdout"], &answer["language"]), (&json!("hi\n"), &json!("typescript")));
    let stored = house.get(&format!("/api/v1/runs/{}", text(&answer["run_id"]))).await;
    assert_eq!(stored["language"], "typescript");
    assert!(text(&stored["program"]).starts_with("interface"));
    let failed =
        house.run(json!({"code": "const n: any = null;\nn.x", "language": "typescript"})).await;
    assert_eq!(failed["error"]["type"], "TypeError");
    assert_eq!(failed["error"]["line"], 2, "{failed}");
    let metrics = house.ask("/metrics").await.text().await.unwrap();
    let line = "tidegate_runs_total{status=\"succeeded\",language=\"typescript\"}";
    assert!(metrics.lines().any(|one| one.starts_with(line)), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_one_language() {
    let house = House::new().await;
    let first =
        house.script("let count = 40; const add = (n: number) => (count += n); count").await;
    let session = text(&first["session"]);
    // What it has need not be said again.
    let next = house.run(json!({"code": "add(2)", "session": session})).await;
    assert_eq!(next["return_value"], 42, "{next}");
    let at = format!("/api/v1/sessions/{session}");
    assert_eq!(house.get(&at).await["language"], "typescript");
    let other = json!({"code": "1", "session": session, "language": "python"});
    let said = assert_problem(house.post("/execute", other).await, 409, "other_language").await;
    assert!(said.contains("has TypeScript") && said.contains("leave `session` out"), "{said}");
    let analysis = json!({"analysis_type": "describe", "data": [{"a": 1}], "session": session});
    let said = house.post("/api/v1/analysis", analysis).await;
    assert!(assert_problem(said, 409, "other_language").await.contains("has TypeScript"));
    let python = house.create_session().await;
    let other = json!({"code": "1", "session": python, "language": "typescript"});
    let said = assert_problem(house.post("/execute", other).await, 409, "other_language").await;
    assert!(said.contains("has Python"), "{said}");
    let made = house.post("/api/v1/sessions", json!({"language": "typescript"})).await;
    assert_eq!(made.status(), StatusCode::CREATED);
    let made: Value = made.json().await.unwrap();
    assert_eq!(made["language"], "typescript");
    let ran = house.run(json!({"code": "typeof globalThis", "session": made["id"]})).await;
    assert_eq!(ran["return_value"], "object", "{ran}");
    let refused = house.post("/api/v1/sessions", json!({"language": "cobol"})).await;
    let said = assert_problem(refused, 400, "invalid_request").await;
    assert!(said.contains("python") && said.contains("typescript"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_frozen_forked_moved_and_goes_on() {
    let house = House::new().await;
    let code =
        "const rows = [1, 2, 3]; const sum = () => rows.reduce((a, b) => a + b); rows.length";
    let first = house.script(code).await;
    let session = text(&first["session"]);
    let frozen = house.post(&format!("/api/v1/sessions/{session}/freeze"), json!({})).await;
    let frozen: Value = frozen.json().await.unwrap();
    assert_eq!((&frozen["state"], &frozen["language"]), (&json!("frozen"), &json!("typescript")));
    // Small enough to be kept by the thousand.
    assert!(frozen["image_bytes"].as_u64().unwrap() < 1 << 20, "{frozen}");
    let thawed = house.run(json!({"code": "rows.push(4); sum()", "session": session})).await;
    assert_eq!(thawed["return_value"], 10, "{thawed}");
    let fork = house.post(&format!("/api/v1/sessions/{session}/fork"), json!({})).await;
    let fork: Value = fork.json().await.unwrap();
    assert_eq!(fork["language"], "typescript");
    house.run(json!({"code": "rows.push(100)", "session": session})).await;
    let forked = house.run(json!({"code": "sum()", "session": fork["id"]})).await;
    assert_eq!(forked["return_value"], 10, "{forked}");
    let export = house.asked(Method::GET, &format!("/api/v1/sessions/{session}/export"));
    let bytes = export.send().await.unwrap().bytes().await.unwrap();
    let import = house.asked(Method::POST, "/api/v1/sessions/import").body(bytes);
    let moved: Value = import.send().await.unwrap().json().await.unwrap();
    assert_eq!(moved["language"], "typescript", "{moved}");
    let moved = house.run(json!({"code": "sum()", "session": moved["id"]})).await;
    assert_eq!(moved["return_value"], 110, "{moved}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_language_starts_programs_in_the_other() {
    let house = House::new().await;
    let code = "const rows = [3, 1, 2];\nconst sorted = await spawn('return sorted(rows)', { rows }, { language: 'python' });\nconst squares = await spawnMap('return item ** 2', sorted, { language: 'python' });\nconst own = await spawn('return rows.length', { rows });\nreturn { sorted, squares, own }";
    let answer = house.script(code).await;
    let expected = json!({"sorted": [1, 2, 3], "squares": [1, 4, 9], "own": 3});
    assert_eq!(answer["return_value"], expected, "{answer}");
    let code = "return [await spawn('rows.map((n: number) => n * 2)', {'rows': [1, 2]}, language='typescript'), await spawn_map('return `${item}!`', ['a', 'b'], language='TypeScript')]";
    let answer = house.run(json!({ "code": code })).await;
    assert_eq!(answer["return_value"], json!([[2, 4], ["a!", "b!"]]), "{answer}");
    let unknown = house.run(json!({"code": "await spawn('1', language='ruby')"})).await;
    let said = text(&unknown["error"]["message"]);
    assert!(said.contains("python") && said.contains("typescript"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_hold_and_say_the_same() {
    let house = House::new().await;
    let endless = json!({"code": "for (;;) {}", "language": "typescript", "timeout": 1});
    let late = house.run(endless).await;
    assert_eq!(late["status"], "timed_out", "{late}");
    let greedy = json!({
        "code": "const all = []; for (;;) all.push(new Uint8Array(1 << 20))", "language": "typescript",
        "limits": {"memory_bytes": 8 << 20},
    });
    let greedy = house.run(greedy).await;
    assert_eq!(greedy["success"], false, "{greedy}");
    let gone = house.run(json!({"code": "1", "language": "typescript"})).await;
    assert_eq!(gone["return_value"], 1, "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_names_the_languages() {
    let api = House::new().await.get("/openapi.json").await;
    assert_eq!(api["components"]["schemas"]["Language"]["enum"], json!(["python", "typescript"]));
}
