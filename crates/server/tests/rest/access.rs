//! Who may come in, and what for.

use server::mcp::HttpOptions;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_the_protocol_is_its_owners_alone() {
    let strict = AccessRules { loopback_without_token: false, ..AccessRules::default() };
    let house = House::guarded(strict).await;
    let [anna, bob] =
        [house.token("anna", &[Scope::Execute]).await, house.token("bob", &[Scope::Execute]).await];
    let ask = |token: &str, session: Option<&str>, message: Value| {
        let asked = house.asked(Method::POST, "/mcp").bearer_auth(token).json(&message);
        let asked = asked.header("accept", "application/json, text/event-stream");
        match session {
            Some(session) => asked.header("mcp-session-id", session).send(),
            None => asked.send(),
        }
    };
    let begun = ask(&anna, None, hello()).await.unwrap();
    let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    drop(begun.text().await);
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    let other = ask(&bob, Some(&session), list.clone()).await.unwrap();
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
    assert!(other.text().await.unwrap().contains("no such session"));
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert!(ask(&anna, Some(&session), told).await.unwrap().status().is_success());
    let own = ask(&anna, Some(&session), list).await.unwrap().text().await.unwrap();
    assert!(own.contains("execute_python"), "{own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_requests_with_one_id_the_second_is_refused_while_the_first_is_answered() {
    let house = House::new().await;
    let ask = |session: Option<&str>, message: Value| {
        let asked = house.asked(Method::POST, "/mcp").json(&message);
        let asked = asked.header("accept", "application/json, text/event-stream");
        match session {
            Some(session) => asked.header("mcp-session-id", session).send(),
            None => asked.send(),
        }
    };
    let begun = ask(None, hello()).await.unwrap();
    let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    drop(begun.text().await);
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert!(ask(Some(&session), told).await.unwrap().status().is_success());
    let run = |code: &str| {
        json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
            "name": "execute_python", "arguments": { "code": code } } })
    };
    let first = ask(Some(&session), run("import asyncio\nawait asyncio.sleep(20)")).await.unwrap();
    let second = ask(Some(&session), run("return 1")).await.unwrap().text().await.unwrap();
    assert!(second.contains("-32600") && second.contains("id 5 is in use"), "{second}");
    // Whoever goes away may come back for the answer.
    drop(first);
    let third = ask(Some(&session), run("return 1")).await.unwrap().text().await.unwrap();
    assert!(third.contains("-32600") && third.contains("id 5 is in use"), "{third}");
    // What was answered is over.
    for _ in 0..2 {
        let list = json!({ "jsonrpc": "2.0", "id": 6, "method": "tools/list", "params": {} });
        let listed = ask(Some(&session), list).await.unwrap().text().await.unwrap();
        assert!(listed.contains("execute_python"), "{listed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_over_mcp_is_one_message_and_no_event() {
    let house = House::new().await;
    let asked = || {
        let asked = house.asked(Method::POST, "/mcp");
        asked.header("accept", "application/json, text/event-stream")
    };
    let begun = asked().json(&hello()).send().await.unwrap();
    let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    begun.text().await.unwrap();
    let run = |code: &str, modern: bool| {
        let arguments = json!({ "code": code, "output_strategy": "none" });
        let mut call = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
            "name": "execute_python", "arguments": arguments } });
        if modern {
            call["params"]["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let asked = asked().json(&call);
        if modern {
            let asked = asked.header("mcp-protocol-version", "2026-07-28");
            asked.header("mcp-method", "tools/call").header("mcp-name", "execute_python").send()
        } else {
            asked.header("mcp-session-id", &session).send()
        }
    };
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    asked().header("mcp-session-id", &session).json(&told).send().await.unwrap();
    // What starts a gateway's first guest takes longer than an answer is waited for.
    run("return 1", false).await.unwrap().text().await.unwrap();
    for modern in [false, true] {
        let large = run("return 'x' * 900_000", modern).await.unwrap();
        assert_eq!(large.headers()["content-type"], "application/json");
        let large: Value = large.json().await.unwrap();
        assert_eq!(large["id"], 5);
        let text = text(&large["result"]["content"][0]["text"]);
        assert!(text.contains(&"x".repeat(900_000)), "{} letters", text.len());
        let small = run("return 1", modern).await.unwrap();
        assert_eq!(small.headers()["content-type"], "text/event-stream");
        assert!(small.text().await.unwrap().contains("\"id\":5"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn json_that_is_no_message_is_a_bad_request() {
    let house = House::new().await;
    for (body, words) in [
        (json!({ "jsonrpc": "2.0" }), "no `method`"),
        (json!({ "jsonrpc": "2.0", "id": 1e30, "method": "ping" }), "64 bits"),
        (json!({ "jsonrpc": "2.0", "id": u64::MAX, "method": "ping" }), "64 bits"),
    ] {
        let asked = house.asked(Method::POST, "/mcp").json(&body);
        let refused = asked.header("accept", "application/json, text/event-stream").send().await;
        let refused = refused.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{body}");
        let said: Value = refused.json().await.unwrap();
        assert_eq!(said["error"]["code"], -32600, "{said}");
        assert!(text(&said["error"]["message"]).contains(words), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_from_elsewhere_and_says_nothing_has_nobodys_sessions() {
    // A request that came through a proxy is not from this machine.
    let house =
        House::guarded(AccessRules { allow_anonymous: true, ..AccessRules::default() }).await;
    let own = house.post("/execute", json!({"code": "secret = 42"})).await;
    let own: Value = own.json().await.unwrap();
    let elsewhere =
        |method, path: &str| house.asked(method, path).header("x-forwarded-for", "10.0.0.9");
    let sessions = elsewhere(Method::GET, "/api/v1/sessions").send().await.unwrap();
    let sessions: Value = sessions.json().await.unwrap();
    assert_eq!(sessions["sessions"], json!([]), "{sessions}");
    let body = json!({"code": "secret", "session": own["session"]});
    let taken = elsewhere(Method::POST, "/execute").json(&body).send().await.unwrap();
    assert_problem(taken, 404, "unknown_session").await;
    let theirs = elsewhere(Method::POST, "/execute").json(&json!({"code": "1 + 1"}));
    let theirs: Value = theirs.send().await.unwrap().json().await.unwrap();
    assert_eq!(theirs["return_value"], 2, "{theirs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_not_the_machines_own_needs_a_token() {
    let hosts = vec!["gate.example".to_owned()];
    let house = House::guarded(AccessRules { hosts, ..AccessRules::default() }).await;
    let named = |host: &str| {
        let asked = house.asked(Method::POST, "/execute").header("host", host);
        asked.json(&json!({"code": "return 1"})).send()
    };
    for host in ["gate.example", "gate.example:8443"] {
        // As a proxy passes it on that adds nothing of its own.
        assert_problem(named(host).await.unwrap(), 401, "unauthorized").await;
    }
    assert_eq!(named("localhost:8030").await.unwrap().status(), StatusCode::OK);
    for header in ["via", "x-forwarded-proto", "x-forwarded-host", "x-client-ip"] {
        let asked = house.asked(Method::GET, "/api/v1/sessions").header(header, "a.example");
        assert_problem(asked.send().await.unwrap(), 401, "unauthorized").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_say_who_asks_and_what_for() {
    let strict = AccessRules { loopback_without_token: false, ..AccessRules::default() };
    let house = House::guarded(strict).await;
    let none = house.ask("/api/v1/sessions").await;
    assert!(none.headers().contains_key("www-authenticate"));
    assert_problem(none, 401, "unauthorized").await;
    for path in ["/health", "/health/ready", "/docs", "/openapi.json"] {
        assert_eq!(house.ask(path).await.status(), StatusCode::OK, "{path}");
    }
    assert!(house.get("/health/ready").await.get("servers").is_none());
    let reader = house.token("anna", &[Scope::Read]).await;
    let runner = house.token("anna", &[Scope::Execute]).await;
    let code = json!({"code": "return 1"});
    let refused = house.asked(Method::POST, "/execute").bearer_auth(&reader).json(&code);
    assert_problem(refused.send().await.unwrap(), 403, "scope_missing").await;
    let over_mcp = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "execute_python", "arguments": code, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        } },
    });
    let asked = |token: &str| {
        let asked = house.asked(Method::POST, "/mcp").bearer_auth(token).json(&over_mcp);
        let asked = asked.header("accept", "application/json, text/event-stream");
        let asked = asked.header("mcp-protocol-version", "2026-07-28");
        asked.header("mcp-method", "tools/call").header("mcp-name", "execute_python").send()
    };
    let refused = asked(&reader).await.unwrap().text().await.unwrap();
    assert!(refused.contains("lacks the scope `execute`"), "{refused}");
    let answered = asked(&runner).await.unwrap().text().await.unwrap();
    assert!(answered.contains("\"return_value\":1"), "{answered}");
    let run = house.asked(Method::POST, "/execute").bearer_auth(&runner).json(&code);
    let run: Value = run.send().await.unwrap().json().await.unwrap();
    for token in [&reader, &runner] {
        let at = format!("/api/v1/runs/{}", text(&run["run_id"]));
        let seen = house.asked(Method::GET, &at).bearer_auth(token).send().await.unwrap();
        assert_eq!(seen.status(), StatusCode::OK);
    }
    // Whoever may run programs may search from within them.
    let tools = house.asked(Method::GET, "/api/v1/tools").bearer_auth(&runner);
    assert_eq!(tools.send().await.unwrap().status(), StatusCode::OK);
    let metrics = house.asked(Method::GET, "/metrics").bearer_auth(&runner);
    assert_problem(metrics.send().await.unwrap(), 403, "scope_missing").await;
    let server = json!({"name": "new", "command": "true"});
    let add = house.asked(Method::POST, "/api/v1/servers").bearer_auth(&reader).json(&server);
    assert_problem(add.send().await.unwrap(), 403, "scope_missing").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_of_ours_is_put_into_a_frame() {
    let house = House::guarded(AccessRules::default()).await;
    for path in ["/docs", "/approvals", "/approvals/r_0"] {
        let page = house.ask(path).await;
        assert_eq!(page.status(), StatusCode::OK, "{path}");
        assert_eq!(page.headers()["x-frame-options"], "DENY", "{path}");
        let policy = page.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_by_another_name_is_nobody() {
    let house = House::new().await;
    let ours = house.get("/health/ready").await;
    assert!(ours["servers"].is_array(), "{ours}");
    for path in ["/health/ready", "/health?ready=true"] {
        let asked = house.asked(Method::GET, path).header("host", "evil.example:8030");
        let told: Value = asked.send().await.unwrap().json().await.unwrap();
        assert!(told["status"].is_string() && told.get("servers").is_none(), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_sends_too_much_before_reading_anything_is_told_so() {
    use std::io::{Read as _, Write as _};

    let rest = RestOptions { bodies: bodies_of(1 << 20), ..RestOptions::default() };
    let house = House::with(Settings::default(), rest).await;
    let address = house.address;
    let told = tokio::task::spawn_blocking(move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let body = vec![b' '; 6 << 20];
        let head = format!(
            "POST /execute HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        let mut told = String::new();
        stream.read_to_string(&mut told).unwrap();
        told
    });
    let told = told.await.unwrap();
    assert!(told.starts_with("HTTP/1.1 413") && told.contains("too_large"), "{told}");
}

/// What a client of a revision before the newest begins with.
fn hello() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": { "name": "test", "version": "1" } },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_the_protocol_are_so_many_and_no_more() {
    let (service, folder) =
        House::opened(Settings::default(), Readiness::Ready(super::house::sandbox())).await;
    let http = HttpOptions { sessions_per_owner: 2, ..HttpOptions::default() };
    let house = House::serving_mcp(service, folder, RestOptions::default(), http).await;
    let asked = |method| {
        let asked = house.asked(method, "/mcp");
        asked.header("accept", "application/json, text/event-stream")
    };
    let begin = async || {
        let begun = asked(Method::POST).json(&hello()).send().await.unwrap();
        assert_eq!(begun.status(), StatusCode::OK);
        let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        begun.text().await.unwrap();
        session
    };
    let said = async |session: &str| {
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let said = asked(Method::POST).header("mcp-session-id", session).json(&told).send().await;
        said.unwrap().status()
    };
    let listen = |session: &str| asked(Method::GET).header("mcp-session-id", session).send();
    let first = begin().await;
    let second = begin().await;
    assert_eq!(said(&first).await, StatusCode::ACCEPTED);
    let third = begin().await;
    assert_eq!(said(&second).await, StatusCode::NOT_FOUND);
    assert_eq!(said(&third).await, StatusCode::ACCEPTED);
    // Where somebody listens in each of them, none of them is quiet.
    let listening = [listen(&first).await.unwrap(), listen(&third).await.unwrap()];
    assert!(listening.iter().all(|one| one.status() == StatusCode::OK));
    let refused = asked(Method::POST).json(&hello()).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers().contains_key("retry-after"));
    let words = refused.text().await.unwrap();
    assert!(words.contains("max-mcp-sessions-per-owner"), "{words}");
    let ended = asked(Method::DELETE).header("mcp-session-id", &first).send().await.unwrap();
    assert!(ended.status().is_success());
    begin().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_says_of_itself_is_short_since_it_is_kept() {
    let house = House::new().await;
    let mut long = hello();
    long["params"]["capabilities"]["experimental"] = json!({"x": {"y": "x".repeat(20_000)}});
    for message in [long.clone(), json!([long])] {
        let asked = house.asked(Method::POST, "/mcp").json(&message);
        let asked = asked.header("accept", "application/json, text/event-stream");
        let refused = asked.send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert!(refused.text().await.unwrap().contains("16384 that may be said"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_the_protocol_is_no_longer_than_other_bodies() {
    let rest = RestOptions { bodies: bodies_of(1_000), ..RestOptions::default() };
    let house = House::with(Settings::default(), rest).await;
    let mut long = hello();
    long["params"]["clientInfo"]["name"] = json!("x".repeat(2_000));
    let send = async |message: &Value| {
        let asked = house.asked(Method::POST, "/mcp").json(message);
        asked.header("accept", "application/json, text/event-stream").send().await.unwrap()
    };
    let refused = send(&long).await;
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(refused.text().await.unwrap().contains("`body-bytes`"));
    assert_eq!(send(&hello()).await.status(), StatusCode::OK);
    let refused = send(&json!({ "jsonrpc": "2.0", "id": 1, "method": 5 })).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let refused: Value = refused.json().await.unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_messages_at_once_are_taken_where_the_revision_has_them() {
    let house = House::new().await;
    let asked = || {
        let asked = house.asked(Method::POST, "/mcp");
        asked.header("accept", "application/json, text/event-stream")
    };
    let batch = json!([
        { "jsonrpc": "2.0", "id": 2, "method": "tools/list" },
        { "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 9 } },
        { "jsonrpc": "2.0", "id": 3, "method": "ping" },
        { "id": 4, "method": "ping" },
    ]);
    for (revision, takes) in [("2025-03-26", true), ("2025-11-25", false)] {
        let mut begins = hello();
        begins["params"]["protocolVersion"] = revision.into();
        let begun = asked().json(&begins).send().await.unwrap();
        let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        begun.text().await.unwrap();
        let send =
            |message: &Value| asked().header("mcp-session-id", &session).json(message).send();
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let status = send(&json!([told])).await.unwrap().status();
        assert_eq!(status == StatusCode::ACCEPTED, takes, "{status}");
        if !takes {
            send(&told).await.unwrap();
        }
        let answered = send(&batch).await.unwrap();
        let status = answered.status();
        let words = answered.text().await.unwrap();
        if !takes {
            assert_eq!(status, StatusCode::BAD_REQUEST, "{words}");
            assert!(words.contains("one by one"), "{words}");
            continue;
        }
        let messages: Vec<Value> = words
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .filter_map(|data| serde_json::from_str(data.trim()).ok())
            .collect();
        let of = |id: u64| messages.iter().find(|message| message["id"] == id).unwrap();
        assert!(of(2)["result"]["tools"].is_array(), "{words}");
        assert!(of(3)["result"].is_object(), "{words}");
        assert_eq!(of(4)["error"]["code"], -32600, "{words}");
        let many = vec![json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" }); 51];
        assert_eq!(send(&json!(many)).await.unwrap().status(), StatusCode::BAD_REQUEST);
    }
}
