//! The REST door, asked over real connections, with a real sandbox behind it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod access;
mod analyses;
mod asking;
mod bodies;
mod chatting;
mod events;
mod house;
mod minds;
mod pages;
mod places;
mod receipts;
mod sharing;
mod skills;
mod typescript;

use self::events::{Event, events};
use self::house::{House, assert_problem, bodies_of, text};
use std::time::Duration;

use gateway::service::gate::Room;
use gateway::service::{Readiness, Scope, Settings};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use server::rest::{AccessRules, RestOptions};

#[tokio::test(flavor = "multi_thread")]
async fn a_program_runs_and_its_answer_has_every_part() {
    let house = House::new().await;
    let answer = house
        .run(json!({"code": "print('hi')\nreturn {'sum': a + b}", "context": {"a": 1, "b": 2}}))
        .await;
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(answer["return_value"], json!({"sum": 3}));
    assert_eq!((&answer["stdout"], &answer["stderr"]), (&json!("hi\n"), &json!("")));
    assert_eq!((&answer["status"], &answer["error"]), (&json!("succeeded"), &Value::Null));
    for part in ["execution_time_ms", "run_id", "session", "usage", "artifacts", "receipt", "note"]
    {
        assert!(answer.get(part).is_some(), "{part} is missing in {answer}");
    }
    let stored = house.get(&format!("/api/v1/runs/{}", text(&answer["run_id"]))).await;
    assert_eq!(stored["return_value"], answer["return_value"]);
    assert!(text(&stored["program"]).starts_with("print"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_fails_is_an_answer_too() {
    let house = House::new().await;
    let response =
        house.post("/api/v1/execute", json!({"code": "x = 1\nraise ValueError('no')"})).await;
    assert_eq!(response.status(), StatusCode::OK);
    let answer: Value = response.json().await.unwrap();
    assert_eq!((&answer["success"], &answer["status"]), (&json!(false), &json!("failed")));
    assert_eq!(answer["error"]["type"], "ValueError");
    assert_eq!(answer["error"]["line"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_cut_and_the_rest_can_be_had() {
    let house = House::new().await;
    let code = "rows = [{'id': n, 'name': f'device {n}'} for n in range(5000)]\nprint('x' * 50000)\nreturn {'rows': rows, 'total': len(rows)}";
    let run = house.run(json!({ "code": code, "max_output_tokens": 300 })).await;
    let left = &run["truncated"];
    assert!(left["tokens"].as_u64().unwrap() <= 300, "{left}");
    assert_eq!(run["return_value"]["total"], 5000);
    let id = text(&run["run_id"]);
    assert_eq!(left["path"], format!("/results/{id}.json"));

    // The next program reads all of it, in this session and in another, also where it may write nothing.
    let again = format!(
        "import json\nwhole = json.load(open('/results/{id}.json'))\nreturn [len(whole['rows']), len(open('/results/{id}.stdout.txt').read())]"
    );
    for body in [
        json!({ "code": again, "session": run["session"] }),
        json!({ "code": again }),
        json!({ "code": again, "level": "hardened" }),
    ] {
        let next = house.run(body).await;
        assert_eq!(next["return_value"], json!([5000, 50001]), "{next}");
    }

    let page = house.get(&format!("/api/v1/runs/{id}/result?pointer=/rows&offset=4998")).await;
    assert_eq!((&page["total"], &page["value"][1]["id"]), (&json!(5000), &json!(4999)));
    let whole = house.get(&format!("/api/v1/runs/{id}")).await;
    assert_eq!(whole["return_value"]["rows"].as_array().unwrap().len(), 5000);

    let brief = house.run(json!({ "code": code, "output_strategy": "schema" })).await;
    assert_eq!(brief["return_value"]["rows"]["count"], 5000, "{brief}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_needs_no_program() {
    let house = House::new().await;
    let rows = json!([{"kind": "a", "n": 1}, {"kind": "b", "n": 5}, {"kind": "a", "n": 3}]);
    let ask = async |body: Value| {
        let answer = house.post("/api/v1/analysis", body).await;
        answer.json::<Value>().await.unwrap()
    };
    let parameters = json!({"conditions": [{"field": "n", "operator": ">", "value": 2}]});
    let found =
        ask(json!({"analysis_type": "filter", "data": rows, "parameters": parameters})).await;
    assert_eq!(found["return_value"]["result"].as_array().unwrap().len(), 2, "{found}");
    let parameters = json!({"group_by": "kind", "aggregations": {"n": ["sum"]}});
    let sums =
        ask(json!({"analysis_type": "aggregate", "data": rows, "parameters": parameters})).await;
    assert_eq!(sums["success"], true, "{sums}");
    let groups = json!([{"g": "a", "x": 1.0}, {"g": "a", "x": 2.0}, {"g": "a", "x": 2.5},
        {"g": "b", "x": 4.0}, {"g": "b", "x": 5.0}, {"g": "b", "x": 4.4}]);
    let parameters = json!({"test": "t", "field": "x", "group_field": "g"});
    let tested =
        ask(json!({"analysis_type": "test", "data": groups, "parameters": parameters})).await;
    // What scipy says of the same rows.
    let p_value = tested["return_value"]["result"]["p_value"].as_f64().unwrap_or(f64::NAN);
    assert!((p_value - 0.007_562_736_534_974_067).abs() < 1e-12, "{tested}");
    // Rows that an earlier run returned, by its name alone.
    let made = house.run(json!({"code": "return [{'k': 'ab'[i % 2]} for i in range(5000)]"})).await;
    let data = json!({"result": made["run_id"]});
    let parameters = json!({"group_by": "k"});
    let counted =
        ask(json!({"analysis_type": "aggregate", "data": data, "parameters": parameters})).await;
    assert_eq!(counted["return_value"]["rows_in"], 5000, "{counted}");
    let line: Vec<Value> = (0..20).map(|x| json!({"x": x, "y": 2 * x + 1})).collect();
    let parameters = json!({"model": "linear", "target": "y", "features": ["x"]});
    let fitted =
        ask(json!({"analysis_type": "predict", "data": line, "parameters": parameters})).await;
    let slope = fitted["return_value"]["result"]["coefficients"]["x"].as_f64();
    assert!((slope.unwrap_or(f64::NAN) - 2.0).abs() < 1e-9, "{fitted}");
    let wrong = json!({"conditions": [{"field": "m", "operator": ">", "value": 2}]});
    let wrong = ask(json!({"analysis_type": "filter", "data": rows, "parameters": wrong})).await;
    assert!(text(&wrong["error"]["message"]).contains('n'), "{wrong}");
    let unknown =
        house.post("/api/v1/analysis", json!({"analysis_type": "guess", "data": []})).await;
    assert!(assert_problem(unknown, 400, "invalid_request").await.contains("correlate"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_can_summarize_what_it_has() {
    let house = House::new().await;
    let code = "rows = [{'id': n, 'kind': 'ab'[n % 2]} for n in range(90000)]\nreturn summarize(rows), summarize(rows, 'schema', 100)";
    let run = house.run(json!({ "code": code })).await;
    assert_eq!(run["return_value"][0]["fields"]["id"]["max"], 89_999, "{run}");
    assert_eq!(run["return_value"][1]["count"], 90_000);
    let wrong = house.run(json!({ "code": "summarize([1], 'shorter')" })).await;
    assert!(text(&wrong["error"]["message"]).contains("'schema'"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_remembers_and_a_fork_goes_its_own_way() {
    let house = House::new().await;
    let first = house.run(json!({"code": "x = 1"})).await;
    let session = text(&first["session"]);
    let fork = house.post(&format!("/api/v1/sessions/{session}/fork"), json!({})).await;
    assert_eq!(fork.status(), StatusCode::CREATED);
    assert!(fork.headers().contains_key("location"));
    let fork: Value = fork.json().await.unwrap();
    house.run(json!({"code": "x = 10", "session": fork["id"]})).await;
    let own = house.run(json!({"code": "return x + 1", "session": session})).await;
    let other = house.run(json!({"code": "return x + 1", "session": fork["id"]})).await;
    assert_eq!((&own["return_value"], &other["return_value"]), (&json!(2), &json!(11)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_be_followed_as_it_happens() {
    let house = House::new().await;
    for request in [
        house.asked(Method::POST, "/execute?stream=true"),
        house.asked(Method::POST, "/execute").header("accept", "text/event-stream"),
    ] {
        let response =
            request.json(&json!({"code": "print('one')\nreturn 2"})).send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let events = events(&response.text().await.unwrap());
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["status", "status", "output", "status", "end"]);
        let ids: Vec<usize> = events.iter().map(Event::number).collect();
        assert_eq!(ids, [0, 1, 2, 3, 4]);
        assert_eq!(events[2].data, json!({"stream": "stdout", "text": "one\n"}));
        assert_eq!(events[4].data["return_value"], 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_be_left_alone_and_asked_for_later() {
    let house = House::new().await;
    let response = house.post("/execute?async=true", json!({"code": "return 7"})).await;
    assert_eq!(response.status(), StatusCode::ACCEPTED);
    let at = response.headers()["location"].to_str().unwrap().to_owned();
    let accepted: Value = response.json().await.unwrap();
    assert_eq!(accepted["links"]["run"], at);
    let run = house.until(&at, |run| run["status"] == "succeeded").await;
    assert_eq!(run["return_value"], 7);
    let followed = house.asked(Method::GET, text(&accepted["links"]["events"])).send().await;
    let events = events(&followed.unwrap().text().await.unwrap());
    assert_eq!(events.last().unwrap().name, "end");
    let listed = house
        .get(&format!("/api/v1/runs?session={}&status=succeeded", text(&accepted["session"])))
        .await;
    assert_eq!(listed["runs"][0]["run_id"], accepted["run_id"]);
    assert_eq!(house.get("/api/v1/runs?before=2000-01-01T00:00:00Z").await["runs"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_up_cancels_the_run_and_leaves_the_session_usable() {
    let house = House::new().await;
    for path in ["/execute", "/execute?stream=true"] {
        let session = house.create_session().await;
        let asked = house
            .asked(Method::POST, path)
            .json(&json!({"code": "while True: pass", "session": session}));
        let waiting = tokio::spawn(async move { asked.send().await.unwrap().bytes().await });
        let runs = format!("/api/v1/runs?session={session}");
        house.until(&runs, |runs| runs["runs"][0]["status"] == "running").await;
        waiting.abort();
        house.until(&runs, |runs| runs["runs"][0]["status"] == "cancelled").await;
        let after = house.run(json!({"code": "return 1", "session": session})).await;
        assert_eq!(after["return_value"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_computes_for_too_long_is_told_which_time_it_met() {
    let house = House::new().await;
    let late = house.run(json!({"code": "while True: pass", "timeout": 1})).await;
    assert_eq!(late["status"], "timed_out", "{late}");
    assert!(text(&late["error"]["message"]).contains("the 1 s that were asked for"), "{late}");
    assert!(text(&late["error"]["hint"]).contains("longer `timeout`"), "{late}");
    let limited = json!({"code": "while True: pass", "timeout": 30, "limits": {"wall": 1}});
    let limited = house.run(limited).await;
    assert!(text(&limited["error"]["message"]).contains("`wall`"), "{limited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_the_gateway_ended_does_not_say_that_somebody_did() {
    let house = House::new().await;
    let code = json!({"code": "import asyncio\nawait asyncio.sleep(60)"});
    let run: Value = house.post("/execute?async=true", code).await.json().await.unwrap();
    let at = format!("/api/v1/runs/{}", text(&run["run_id"]));
    house.until(&at, |run| run["status"] == "waiting").await;
    house.service.close(Duration::ZERO).await;
    let stored = house.get(&at).await;
    assert_eq!(stored["status"], "cancelled", "{stored}");
    assert!(text(&stored["error"]["message"]).contains("the gateway stopped"), "{stored}");
    assert!(text(&stored["error"]["hint"]).contains("`durable`"), "{stored}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_printed_before_a_run_was_stopped_is_kept() {
    let house = House::new().await;
    let code = "import asyncio, sys\nprint('step one')\nprint('oh', file=sys.stderr)\nawait asyncio.sleep(60)";
    let asked = json!({"code": code, "timeout": 1});
    let late: Value = house.post("/execute", asked).await.json().await.unwrap();
    assert_eq!(
        (&late["status"], &late["stdout"]),
        (&json!("timed_out"), &json!("step one\n")),
        "{late}"
    );
    assert_eq!(late["stderr"], "oh\n");
    let asked = json!({"code": code});
    let run: Value = house.post("/execute?async=true", asked).await.json().await.unwrap();
    let at = format!("/api/v1/runs/{}", text(&run["run_id"]));
    house.until(&at, |run| run["status"] == "waiting").await;
    house.post(&format!("{at}/cancel"), json!({})).await;
    let stored = house.get(&at).await;
    assert_eq!(
        (&stored["status"], &stored["stdout"]),
        (&json!("cancelled"), &json!("step one\n")),
        "{stored}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_be_cancelled_by_name() {
    let house = House::new().await;
    let run: Value = house
        .post("/execute?async=true", json!({"code": "while True: pass"}))
        .await
        .json()
        .await
        .unwrap();
    let at = format!("/api/v1/runs/{}/cancel", text(&run["run_id"]));
    let first: Value = house.post(&at, json!({})).await.json().await.unwrap();
    assert_eq!((&first["cancelled"], &first["run"]["status"]), (&json!(true), &json!("cancelled")));
    let again: Value = house.post(&at, json!({})).await.json().await.unwrap();
    assert_eq!(again["cancelled"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_in_and_come_out_as_they_are() {
    let house = House::new().await;
    let session = house.create_session().await;
    let files = format!("/api/v1/sessions/{session}/files");
    let bytes: Vec<u8> = (0..=255).collect();
    let put = |path: &str| house.asked(Method::PUT, &format!("{files}/{path}")).body(bytes.clone());
    assert_eq!(put("in/data.bin").send().await.unwrap().status(), StatusCode::NO_CONTENT);
    let code = "d = open('/workspace/in/data.bin', 'rb').read()\nopen('/workspace/out.bin', 'wb').write(d[::-1])\nreturn len(d)";
    let run = house.run(json!({"code": code, "session": session})).await;
    assert_eq!(run["return_value"], 256);
    let listed = house.get(&files).await;
    assert_eq!(
        listed["files"],
        json!([{"path": "in/data.bin", "bytes": 256}, {"path": "out.bin", "bytes": 256}])
    );
    let out = house.asked(Method::GET, &format!("{files}/out.bin")).send().await.unwrap();
    let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
    assert_eq!(out.bytes().await.unwrap(), reversed);
    let removed = house.asked(Method::DELETE, &format!("{files}/out.bin")).send().await.unwrap();
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
    let gone = house.asked(Method::GET, &format!("{files}/out.bin")).send().await.unwrap();
    assert_problem(gone, 404, "unknown_file").await;
    let outside = put("..%2F..%2Fetc%2Fpasswd").send().await.unwrap();
    assert_problem(outside, 422, "file_refused").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_told_with_their_field() {
    let house = House::new().await;
    for (body, named) in [
        (json!({"code": "1", "cod": "1"}), "`cod`"),
        (json!({"code": 1}), "`code`"),
        (json!({"language": "python"}), "`code`"),
        (json!({"code": " "}), "`code`"),
        (json!({"code": "1", "timeout": "soon"}), "`timeout`"),
        (json!({"code": "1", "timeout": 0}), "`timeout`"),
        (json!({"code": "1", "timeout": -1}), "`timeout`"),
        (json!({"code": "1", "level": "lax"}), "`level`"),
        (json!({"code": "1", "session": "mine"}), "`session`"),
        (json!({"code": "1", "context": [1]}), "`context`"),
        (json!({"code": "1", "language": "cobol"}), "`language`"),
        (json!({"code": "1", "max_output_tokens": 0}), "`max_output_tokens`"),
        (json!({"code": "1", "max_output_tokens": 49}), "`max_output_tokens`"),
        (json!({"code": "1", "output_strategy": "less"}), "`output_strategy`"),
        (json!({"code": "1", "if_busy": "leave"}), "`if_busy`"),
        (json!([]), "JSON object"),
    ] {
        let told = assert_problem(house.post("/execute", body).await, 400, "invalid_request").await;
        assert!(told.contains(named), "{told} does not name {named}");
    }
    // What is well-formed, and cannot be: the API's description does not list every word of a language.
    for context in
        [json!({"not a name": 1}), json!({"if": 1}), json!({"__name__": 1}), json!({"²": 1})]
    {
        let body = json!({"code": "1", "context": context});
        let told = assert_problem(house.post("/execute", body).await, 422, "invalid_request").await;
        assert!(told.contains("`context`"), "{told}");
    }
    // Python reads names in their normal form, and would never find this one.
    let body = json!({"code": "return ﬁ", "context": {"ﬁ": 1}});
    let told = assert_problem(house.post("/execute", body).await, 422, "invalid_request").await;
    assert!(told.contains("name it \"fi\"") || told.contains("name it \\\"fi\\\""), "{told}");
    let broken = house.asked(Method::POST, "/execute").header("content-type", "application/json");
    let broken = broken.body("{\n \"code\": }").send().await.unwrap();
    let told = assert_problem(broken, 400, "invalid_json").await;
    assert!(told.contains("line 2 column 10"), "{told}");
    let form = house.asked(Method::POST, "/execute").form(&[("code", "1")]).send().await.unwrap();
    assert_problem(form, 415, "unsupported_media_type").await;
    for path in ["/execute?stream=perhaps", "/execute?streem=true"] {
        assert_problem(house.post(path, json!({"code": "1"})).await, 400, "invalid_request").await;
    }
    for path in ["/api/v1/runs?limit=0", "/api/v1/runs?limit=1&limit=2", "/api/v1/runs?before=now"]
    {
        assert_problem(house.ask(path).await, 400, "invalid_request").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_has_a_word_for_it() {
    let house = House::new().await;
    let nobody = "0".repeat(32);
    for (path, code) in [
        (format!("/api/v1/sessions/s_{nobody}"), "unknown_session"),
        ("/api/v1/sessions/mine".to_owned(), "unknown_session"),
        (format!("/api/v1/runs/r_{nobody}"), "unknown_run"),
        (format!("/api/v1/runs/r_{nobody}/events"), "unknown_run"),
        ("/api/v1/tools/shop/nothing".to_owned(), "unknown_tool"),
        ("/api/v1/mcp/tools/search?server=nobody".to_owned(), "unknown_server"),
        ("/nowhere".to_owned(), "not_found"),
    ] {
        assert_problem(house.ask(&path).await, 404, code).await;
    }
    let body = json!({"code": "1", "session": format!("s_{nobody}")});
    assert_problem(house.post("/execute", body).await, 404, "unknown_session").await;
    let wrong = house.ask("/execute").await;
    assert_eq!(wrong.headers()["allow"], "POST");
    assert_problem(wrong, 405, "method_not_allowed").await;
    let run = house.run(json!({"code": "return 1"})).await;
    let artifact = format!("/api/v1/runs/{}/artifacts/plot.png", text(&run["run_id"]));
    assert_problem(house.ask(&artifact).await, 404, "unknown_artifact").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused() {
    let rest = RestOptions { bodies: bodies_of(1_000), ..RestOptions::default() };
    let house = House::with(Settings::default(), rest).await;
    let large = json!({"code": "1", "context": {"data": "x".repeat(2_000)}});
    assert_problem(house.post("/execute", large).await, 413, "too_large").await;
    let parts = (0..20).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 100]));
    let unsaid = reqwest::Body::wrap_stream(futures_util::stream::iter(parts));
    let sent = house.asked(Method::POST, "/execute").body(unsaid).send().await.unwrap();
    assert_problem(sent, 413, "too_large").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_imported_may_be_larger_than_other_bodies() {
    let bodies = bodies_of(1_000);
    let rest = RestOptions { bodies, import_bytes: 5_000, ..RestOptions::default() };
    let house = House::with(Settings::default(), rest).await;
    for path in ["/api/v1/runs/import", "/api/v1/sessions/import"] {
        let send = |bytes: usize| house.asked(Method::POST, path).body(vec![b'x'; bytes]).send();
        // It is read, and is nothing that was exported.
        assert_problem(send(5_000).await.unwrap(), 409, "not_movable").await;
        assert_problem(send(5_001).await.unwrap(), 413, "too_large").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_is_refused_even_here() {
    let house = House::new().await;
    for wrong in ["Bearer tgt_wrong", "Basic YTpi", "Bearer"] {
        let asked = house.asked(Method::GET, "/api/v1/sessions").header("authorization", wrong);
        assert_problem(asked.send().await.unwrap(), 401, "unauthorized").await;
    }
    let proxied = house.asked(Method::GET, "/api/v1/sessions").header("x-forwarded-for", "9.9.9.9");
    assert_problem(proxied.send().await.unwrap(), 401, "unauthorized").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_owner_does_not_see_what_another_has() {
    let house = House::new().await;
    let anna = house.token("anna", &[Scope::Execute, Scope::Read]).await;
    let boris = house.token("boris", &[Scope::Execute, Scope::Read]).await;
    let asked = house.asked(Method::POST, "/execute").bearer_auth(&anna);
    let run = asked.json(&json!({"code": "secret = 1"})).send().await.unwrap();
    let run: Value = run.json().await.unwrap();
    let session = text(&run["session"]);
    let as_boris = |method: Method, path: String| house.asked(method, &path).bearer_auth(&boris);
    let sessions = as_boris(Method::GET, "/api/v1/sessions".to_owned()).send().await.unwrap();
    assert_eq!(sessions.json::<Value>().await.unwrap()["sessions"], json!([]));
    for (method, path, code) in [
        (Method::GET, format!("/api/v1/sessions/{session}"), "unknown_session"),
        (Method::DELETE, format!("/api/v1/sessions/{session}"), "unknown_session"),
        (Method::GET, format!("/api/v1/sessions/{session}/files"), "unknown_session"),
        (Method::GET, format!("/api/v1/runs/{}", text(&run["run_id"])), "unknown_run"),
    ] {
        assert_problem(as_boris(method, path).send().await.unwrap(), 404, code).await;
    }
    let body = json!({"code": "return secret", "session": session});
    let use_it = as_boris(Method::POST, "/execute".to_owned()).json(&body).send().await.unwrap();
    assert_problem(use_it, 404, "unknown_session").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_with_another_name_are_turned_away() {
    let rules = AccessRules {
        hosts: vec!["gate.example".to_owned()],
        cors_origins: vec!["https://app.example".to_owned()],
        ..AccessRules::default()
    };
    let house = House::guarded(rules).await;
    let sent = |name: &'static str, value: &'static str| {
        house.asked(Method::GET, "/api/v1/sessions").header(name, value).send()
    };
    assert_problem(sent("host", "evil.example").await.unwrap(), 421, "host_not_allowed").await;
    let evil = sent("origin", "https://evil.example").await.unwrap();
    assert!(!evil.headers().contains_key("access-control-allow-origin"));
    assert_problem(evil, 403, "origin_not_allowed").await;
    // By that name others call it, too, so that who does needs a token.
    let named = sent("host", "gate.example").await.unwrap();
    assert_eq!(named.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(sent("origin", "http://localhost:5173").await.unwrap().status(), StatusCode::OK);
    let listed = sent("origin", "https://app.example").await.unwrap();
    assert_eq!(listed.headers()["access-control-allow-origin"], "https://app.example");
    let probe = house.asked(Method::GET, "/health").header("host", "10.0.0.7:8080");
    assert_eq!(probe.send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_session_goes_to_disk_comes_back_and_can_be_removed() {
    let settings = Settings { idle: Duration::from_millis(50), ..Settings::default() };
    let house = House::with(settings, RestOptions::default()).await;
    let session = house.create_session().await;
    house.run(json!({"code": "x = 41", "session": session})).await;
    let at = format!("/api/v1/sessions/{session}");
    house.until(&at, |session| session["state"] == "frozen").await;
    let image = house.folder.path().join("sessions").join(format!("{session}.image"));
    assert!(image.exists());
    let thawed = house.run(json!({"code": "return x + 1", "session": session})).await;
    assert_eq!(thawed["return_value"], 42);
    let removed = house.asked(Method::DELETE, &at).send().await.unwrap();
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
    assert!(!image.exists());
    assert_problem(house.ask(&at).await, 404, "unknown_session").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_can_be_frozen_by_name_and_refuses_when_busy() {
    let house = House::new().await;
    let session = house.create_session().await;
    house.run(json!({"code": "x = 1", "session": session})).await;
    let at = format!("/api/v1/sessions/{session}/freeze");
    let frozen: Value = house.post(&at, json!({})).await.json().await.unwrap();
    assert_eq!(frozen["state"], "frozen");
    let body = json!({"code": "while True: pass", "session": session});
    let run: Value = house.post("/execute?async=true", body).await.json().await.unwrap();
    house.until(text(&run["links"]["run"]), |run| run["status"] == "running").await;
    let body = json!({"code": "1", "session": session, "if_busy": "refuse"});
    assert_problem(house.post("/execute", body).await, 409, "session_busy").await;
    house.post(text(&run["links"]["cancel"]), json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_says_when_to_come_again() {
    let room = Room { running: 1, waiting: 1, waiting_per_owner: 1, waiting_bytes: 1 << 20 };
    let house = House::with(Settings { room, ..Settings::default() }, RestOptions::default()).await;
    let endless = json!({"code": "while True: pass"});
    let first: Value =
        house.post("/execute?async=true", endless.clone()).await.json().await.unwrap();
    house.until(text(&first["links"]["run"]), |run| run["status"] == "running").await;
    let second: Value = house.post("/execute?async=true", endless).await.json().await.unwrap();
    let sessions = house.get("/api/v1/sessions").await;
    for (path, body) in [
        ("/execute", json!({"code": "1"})),
        ("/execute?async=true", json!({"code": "1"})),
        ("/api/v1/analysis", json!({"analysis_type": "describe", "data": []})),
    ] {
        let refused = house.post(path, body).await;
        assert!(refused.headers().contains_key("retry-after"));
        assert_problem(refused, 429, "too_many_requests").await;
    }
    // Nothing was made for who was not let in.
    let after = house.get("/api/v1/sessions").await;
    assert_eq!(after["sessions"].as_array().unwrap().len(), 2, "{sessions} {after}");
    for run in [second, first] {
        house.post(text(&run["links"]["cancel"]), json!({})).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn those_that_wait_hold_no_more_bytes_than_they_may() {
    let room = Room { running: 1, waiting: 8, waiting_per_owner: 8, waiting_bytes: 2_000 };
    let house = House::with(Settings { room, ..Settings::default() }, RestOptions::default()).await;
    let endless = json!({"code": "while True: pass"});
    let first: Value = house.post("/execute?async=true", endless).await.json().await.unwrap();
    house.until(text(&first["links"]["run"]), |run| run["status"] == "running").await;
    let large = json!({"code": "1", "context": {"data": "x".repeat(900)}});
    let second: Value =
        house.post("/execute?async=true", large.clone()).await.json().await.unwrap();
    let refused = house.post("/execute?async=true", large).await;
    assert!(refused.headers().contains_key("retry-after"));
    let said = refused.text().await.unwrap();
    assert!(said.contains("max-queued-bytes") && said.contains("too_many_requests"), "{said}");
    // A small one still finds room.
    let small: Value =
        house.post("/execute?async=true", json!({"code": "1"})).await.json().await.unwrap();
    for run in [small, second, first] {
        house.post(text(&run["links"]["cancel"]), json!({})).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_found_listed_and_described() {
    let house = House::new().await;
    let found = house.get("/api/v1/mcp/tools/search?query=refund&detail_level=full&limit=1").await;
    assert_eq!(found["tools"][0]["name"], "refund_order");
    assert!(found["tools"][0]["input_schema"].is_object());
    let named = house.get("/api/v1/mcp/tools/search?server=shop").await;
    assert_eq!(named["tools"][0].get("description"), None);
    let all = house.get("/api/v1/tools").await;
    assert_eq!(all["servers"][0]["server"], "shop");
    assert_eq!(all["servers"][0]["tools"][0]["original_name"], "refund-order");
    let tool = house.get("/api/v1/tools/shop/refund-order").await;
    assert!(text(&tool["signature"]).contains("refund_order("), "{tool}");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_added_and_removed_by_who_may() {
    let house = House::new().await;
    let body = json!({"name": "new", "command": "true", "args": ["x"]});
    let added = house.post("/api/v1/servers", body).await;
    assert_eq!(added.status(), StatusCode::CREATED);
    let refused = house.post("/api/v1/servers", json!({"name": "bad", "url": "nowhere"})).await;
    assert_problem(refused, 422, "server_refused").await;
    let nothing = house.post("/api/v1/servers", json!({"name": "new"})).await;
    assert_problem(nothing, 400, "invalid_request").await;
    for (name, status) in [("new", StatusCode::NO_CONTENT), ("other", StatusCode::NOT_FOUND)] {
        let at = format!("/api/v1/servers/{name}");
        assert_eq!(house.asked(Method::DELETE, &at).send().await.unwrap().status(), status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_how_it_is_doing() {
    let house = House::new().await;
    assert_eq!(house.get("/health").await["status"], "ok");
    let ready = house.get("/health/ready").await;
    assert_eq!((&ready["status"], &ready["runtime"]["state"]), (&json!("ready"), &json!("ready")));
    house.run(json!({"code": "return 1"})).await;
    let metrics = house.ask("/metrics").await.text().await.unwrap();
    let mut names: Vec<&str> = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .filter(|name| name.starts_with("tidegate_"))
        .collect();
    names.dedup();
    assert!(names.len() >= 6, "{names:?}");
    for name in ["tidegate_runs_total", "tidegate_sessions", "tidegate_upstreams_up"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_waits_for_the_runtime_without_hiding_it() {
    let stage = "compiling".to_owned();
    let house = House::made(
        Settings::default(),
        RestOptions::default(),
        Readiness::Installing { percent: 40, stage },
    )
    .await;
    let not_ready = house.ask("/health?ready=true").await;
    assert_eq!(not_ready.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(not_ready.json::<Value>().await.unwrap()["runtime"]["percent"], 40);
    assert_eq!(house.ask("/health").await.status(), StatusCode::OK);
    let refused = house.post("/execute", json!({"code": "1"})).await;
    assert!(refused.headers().contains_key("retry-after"));
    assert_problem(refused, 503, "installing").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_answers_are_packed_for_those_who_take_it() {
    let house = House::new().await;
    let plain = Client::builder().no_gzip().build().unwrap();
    let at = format!("http://{}/openapi.json", house.address);
    let packed = plain.get(&at).header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    assert!(!plain.get(&at).send().await.unwrap().headers().contains_key("content-encoding"));
    let api = house.get("/openapi.json").await;
    assert!(api["paths"]["/execute"]["post"]["responses"]["429"].is_object());
}
