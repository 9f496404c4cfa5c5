//! Rules about calls, and people who are asked, over the real gateway.

use std::time::Duration;

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

const KEPT: [&str; 4] = ["--durable", "true", "--freeze-after", "0.1s"];

const ASKS: &str = r#"
[[policy.rules]]
name = "bookings"
tools = "desk.book"
action = "ask"
reason = "bookings cost money"
"#;

/// Three bookings at once, then one more.
const PROGRAM: &str = "import asyncio\nfrom servers.desk import book, look\nawait look(key='l')\nfirst = await asyncio.gather(*[book(key=f'k{n}') for n in range(3)])\nlast = await book(key='last')\nlen(first) + 1";

fn waiting(gateway: &Gateway, count: usize) -> Value {
    for _ in 0..600 {
        let groups = gateway.ask("GET", "/api/v1/approvals", None).unwrap_or_default();
        let found = groups["approvals"].as_array().cloned().unwrap_or_default();
        let items: usize = found.iter().map(|one| one["items"].as_array().unwrap().len()).sum();
        if items == count {
            return groups["approvals"].clone();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{count} calls did not come to wait; see {}", gateway.folder.display())
}

fn answer(gateway: &Gateway, run: &str, body: &Value) -> Value {
    gateway.ask("POST", &format!("/api/v1/approvals/{run}"), Some(body)).unwrap()
}

#[test]
fn calls_are_asked_about_together_and_answered_once_also_over_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT).with_settings(ASKS);
    gateway.start();
    let run = gateway.begin(&json!({ "code": PROGRAM })).unwrap();
    let groups = waiting(&gateway, 3);
    assert_eq!(groups.as_array().unwrap().len(), 1, "{groups:#}");
    let group = &groups[0];
    assert_eq!((&group["tool"], &group["count"]), (&json!("desk.book"), &json!(3)));
    assert_eq!(group["rule"], "bookings");
    assert!(group["reason"].as_str().unwrap().contains("cost money"), "{group:#}");
    assert_eq!(group["done"], json!({ "desk.look": 1 }));
    let asked = group["items"].as_array().unwrap().iter();
    let mut asked: Vec<&str> = asked.filter_map(|one| one["arguments"]["key"].as_str()).collect();
    asked.sort_unstable();
    assert_eq!(asked, ["k0", "k1", "k2"]);
    assert_eq!(gateway.counted(), ["look l"]);
    let told = gateway.run(&run).unwrap();
    assert_eq!((&told["status"], &told["waiting"]["approvals"]), (&json!("waiting"), &json!(3)));
    gateway.kill();
    gateway.start();
    // The same questions, not new ones.
    let after = waiting(&gateway, 3);
    assert_eq!(after[0]["items"], group["items"]);
    // Who looks at it in a terminal sees what was done, and calls that are called the same tomorrow.
    let listed = gateway.command("approvals", &[]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("done so far: 1 x desk.look"), "{listed}");
    let numbers: Vec<&Value> =
        after[0]["items"].as_array().unwrap().iter().map(|one| &one["number"]).collect();
    assert_eq!(numbers, [&json!(1), &json!(2), &json!(3)]);
    // Some, and nothing else.
    let some: Vec<&Value> =
        group["items"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    let taken =
        answer(&gateway, &run, &json!({ "decision": "approve", "items": [some[0], some[2]] }));
    assert_eq!(taken, json!({ "answered": { "desk.book": 2 }, "left": 1 }));
    let again = answer(&gateway, &run, &json!({ "decision": "approve", "items": [some[0]] }));
    assert_eq!(again["error"]["code"], "invalid_request", "{again:#}");
    // By another process, without asking the gateway.
    let said = gateway.command("approvals", &["approve", &run, "--yes"]);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    waiting(&gateway, 1);
    gateway.kill();
    gateway.start();
    waiting(&gateway, 1);
    answer(&gateway, &run, &json!({ "decision": "approve" }));
    let run = gateway.over(&run, PATIENCE);
    assert_eq!(run["return_value"], 4, "{run:#}");
    let mut booked = gateway.counted();
    booked.retain(|call| call.starts_with("book"));
    booked.sort();
    assert_eq!(booked, ["book k0", "book k1", "book k2", "book last"]);
}

#[test]
fn what_left_for_another_gateway_is_not_asked_about_here_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT).with_settings(ASKS);
    gateway.start();
    let code = "from servers.desk import book\nawait book(key='once')";
    let run = gateway.begin(&json!({ "code": code })).unwrap();
    waiting(&gateway, 1);
    gateway.runs(&["export", &run, "-o", folder.path().join("moved.run").to_str().unwrap()]);
    waiting(&gateway, 0);
    let answered = answer(&gateway, &run, &json!({ "decision": "approve" }));
    assert_eq!(answered["error"]["code"], "nothing_to_approve", "{answered:#}");
}

#[test]
fn what_is_denied_reaches_the_program_and_what_is_remembered_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT).with_settings(ASKS);
    gateway.start();
    let code = "from servers.desk import book\ntry:\n    await book(key='x')\nexcept PolicyError as error:\n    told = str(error)\nelse:\n    told = 'booked'\ntold";
    let run = gateway.begin(&json!({ "code": code })).unwrap();
    waiting(&gateway, 1);
    answer(&gateway, &run, &json!({ "decision": "deny", "reason": "too dear" }));
    let run = gateway.over(&run, PATIENCE);
    let told = run["return_value"].as_str().unwrap_or_default();
    assert!(told.contains("said no: too dear") && told.contains("bookings"), "{run:#}");
    assert_eq!(run["calls"][0]["fate"], "not_attempted");
    // It was refused once, and is counted once.
    let report = gateway.ask("GET", "/api/v1/security/report", None).unwrap();
    let refused = report["by_type"].as_array().unwrap().iter();
    let refused: Vec<&Value> = refused.filter(|one| one["name"] == "approval_refused").collect();
    assert_eq!(refused, [&json!({ "name": "approval_refused", "count": 1 })], "{report:#}");
    // A pattern for the session.
    let code = "from servers.desk import book\nfor n in range(3):\n    await book(key=f'a{n}')\nawait book(key='b')\n1";
    let run = gateway.begin(&json!({ "code": code })).unwrap();
    waiting(&gateway, 1);
    let remember = json!({ "decision": "approve", "remember": ["key matches 'a.*'"] });
    answer(&gateway, &run, &remember);
    let groups = waiting(&gateway, 1);
    assert_eq!(groups[0]["items"][0]["arguments"]["key"], "b", "{groups:#}");
    answer(&gateway, &run, &json!({ "decision": "approve" }));
    assert_eq!(gateway.over(&run, PATIENCE)["return_value"], 1);
    assert_eq!(gateway.counted(), ["book a0", "book a1", "book a2", "book b"]);
}

#[test]
fn rules_deny_count_and_keep_data_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &[]).with_settings(
        r#"
[[policy.rules]]
name = "no secrets"
tools = "desk.*"
when = "key matches 'secret.*'"
action = "deny"
reason = "that is nobody's business"

[[policy.rules]]
name = "few bookings"
tools = "desk.book"
per-run = 2

[[policy.flow]]
from = "desk.look"
to = "desk.book"
action = "deny"
"#,
    );
    gateway.start();
    let ask = |code: &str, session: Option<&Value>| {
        let mut body = json!({ "code": code });
        if let Some(session) = session {
            body["session"] = session.clone();
        }
        gateway.ask("POST", "/execute", Some(&body)).unwrap()
    };
    let run = ask("from servers.desk import look\nawait look(key='secret1')", None);
    let message = run["error"]["message"].as_str().unwrap_or_default();
    assert_eq!(run["error"]["type"], "PolicyError", "{run:#}");
    assert!(message.contains("no secrets") && message.contains("nobody's business"), "{message}");
    let run =
        ask("from servers.desk import book\nfor n in range(3):\n    await book(key=f'n{n}')", None);
    let message = run["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("few bookings") && message.contains("per-run"), "{run:#}");
    // What a session has read stays with it, and with its forks.
    let run = ask("from servers.desk import look\nawait look(key='hr')", None);
    let session = run["session"].clone();
    let fork = format!("/api/v1/sessions/{}/fork", session.as_str().unwrap());
    let fork = gateway.ask("POST", &fork, None).unwrap();
    for session in [&session, &fork["id"]] {
        let run = ask("from servers.desk import book\nawait book(key='out')", Some(session));
        let message = run["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("has read from desk.look"), "{run:#}");
    }
    // Nor does it get out by way of what was left for later programs.
    let run =
        ask("from servers.desk import look\nseen = await look(key='hr')\n[seen] * 3000", None);
    let result = run["run_id"].as_str().unwrap();
    let code = format!(
        "import json\nfrom servers.desk import book\nrows = json.load(open('/results/{result}.json'))\nawait book(key='out')"
    );
    let run = ask(&code, None);
    let message = run["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("has read from desk.look"), "{run:#}");
    assert!(!gateway.counted().iter().any(|call| call == "book out"));
    let fresh = ask("from servers.desk import book\nawait book(key='in')", None);
    assert_eq!(fresh["success"], true, "{fresh:#}");
}

#[test]
fn clients_are_asked_in_the_way_they_know_and_whoever_may_only_run_programs_approves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT).with_settings(ASKS);
    gateway.start();
    let asks = json!({ "elicitation": { "form": {} } });
    let code = "from servers.desk import book\nawait book(key='m')\n'done'";
    let call = json!({ "name": "execute_python", "arguments": { "code": code } });
    let asked = gateway.mcp_with(&asks, "tools/call", call.clone());
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked:#}");
    let message = result["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    assert!(message.contains("1 x desk.book") && message.contains("key: \"m\""), "{message}");
    let mut repeated = call.clone();
    repeated["requestState"] = result["requestState"].clone();
    repeated["inputResponses"] =
        json!({ "approval": { "action": "accept", "content": { "decision": "approve" } } });
    let done = gateway.mcp_with(&asks, "tools/call", repeated.clone());
    assert_eq!(done["result"]["structuredContent"]["return_value"], "done", "{done:#}");
    // Said twice, it is the same result, and nothing is done again.
    let again = gateway.mcp_with(&asks, "tools/call", repeated);
    assert_eq!(again["result"]["structuredContent"]["return_value"], "done", "{again:#}");
    assert_eq!(gateway.counted(), ["book m"]);
    // One that cannot be asked is told where a person can answer, and comes back.
    let told = gateway.mcp_with(&json!({}), "tools/call", call.clone());
    let run = told["result"]["structuredContent"]["run_id"].as_str().unwrap().to_owned();
    let text = told["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("/approvals/{run}")) && text.contains("resume_from"), "{text}");
    let token = |scopes: &str| {
        let made = gateway.command("token", &["create", "local", "--scopes", scopes]);
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let body = json!({ "decision": "approve" });
    let path = format!("/api/v1/approvals/{run}");
    let refused = gateway.ask_as(&token("execute,read"), "POST", &path, Some(&body)).unwrap();
    assert_eq!(refused["error"]["code"], "scope_missing", "{refused:#}");
    let other = gateway.command("token", &["create", "other", "--scopes", "execute,approve"]);
    let other = String::from_utf8(other.stdout).unwrap().trim().to_owned();
    let refused = gateway.ask_as(&other, "POST", &path, Some(&body)).unwrap();
    assert_eq!(refused["error"]["code"], "nothing_to_approve", "{refused:#}");
    let taken = gateway.ask_as(&token("approve"), "POST", &path, Some(&body)).unwrap();
    assert_eq!(taken["answered"], json!({ "desk.book": 1 }), "{taken:#}");
    let mut back = call;
    back["arguments"]["resume_from"] = json!(run);
    // By the owner's own token: without one, strangers to it share nothing.
    let done = gateway.mcp_as(&token("execute,read"), &json!({}), "tools/call", back);
    assert_eq!(done["result"]["structuredContent"]["return_value"], "done", "{done:#}");
    assert_eq!(gateway.counted(), ["book m", "book m"]);
}

#[test]
fn what_was_approved_is_not_done_once_it_is_forbidden_or_the_tool_is_another() {
    for is_pinned in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let pin = if is_pinned { "pin = true\n" } else { "" };
        let settings = format!("{pin}{ASKS}");
        let mut gateway = Gateway::new(folder.path(), 0.01, &[]).with_settings(&settings);
        gateway.start();
        let code = "from servers.desk import book\nawait book(key='x')";
        let run = gateway.begin(&json!({ "code": code })).unwrap();
        waiting(&gateway, 1);
        std::fs::write(folder.path().join("counted.changed"), "").unwrap();
        // Until the gateway has heard of it.
        std::thread::sleep(Duration::from_secs(2));
        answer(&gateway, &run, &json!({ "decision": "approve" }));
        let run = gateway.over(&run, PATIENCE);
        let message = run["error"]["message"].as_str().unwrap_or_default();
        let said = if is_pinned { "held back" } else { "has changed what it says" };
        assert!(message.contains(said), "{run:#}");
        assert!(gateway.counted().is_empty());
    }
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &[]).with_settings(ASKS);
    gateway.start();
    let code = "from servers.desk import book\nawait book(key='x')";
    let run = gateway.begin(&json!({ "code": code })).unwrap();
    waiting(&gateway, 1);
    let file = folder.path().join("tidegate.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("action = \"ask\"", "action = \"deny\"")).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    answer(&gateway, &run, &json!({ "decision": "approve" }));
    let run = gateway.over(&run, PATIENCE);
    assert!(run["error"].to_string().contains("bookings cost money"), "{run:#}");
    assert!(gateway.counted().is_empty());
}

#[test]
fn an_answer_that_comes_too_late_is_none_and_the_page_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let lasts = [&KEPT[..], &["--approval-lasts", "1s"]].concat();
    let mut gateway = Gateway::new(folder.path(), 0.01, &lasts).with_settings(ASKS);
    gateway.start();
    let run =
        gateway.begin(&json!({ "code": "from servers.desk import book\nawait book(key='z')" }));
    let run = gateway.over(&run.unwrap(), PATIENCE);
    let message = run["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("nobody answered in time"), "{run:#}");
    assert!(gateway.counted().is_empty());
    let late = answer(&gateway, run["run_id"].as_str().unwrap(), &json!({ "decision": "approve" }));
    assert_eq!(late["error"]["code"], "nothing_to_approve", "{late:#}");
}

#[test]
fn a_program_that_a_review_finds_dangerous_waits_for_somebody_before_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let settings = "[review.production]\nhigh = \"ask\"\n";
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT).with_settings(settings);
    gateway.start();
    let run = gateway.begin(&json!({ "code": "exec('found = 42')\nfound" })).unwrap();
    let groups = waiting(&gateway, 1);
    assert_eq!(groups[0]["tool"], "review.run_program", "{groups:#}");
    let finding = groups[0]["items"][0]["arguments"]["finding"].as_str().unwrap();
    assert!(finding.contains("exec"), "{finding}");
    answer(&gateway, &run, &json!({ "decision": "approve" }));
    assert_eq!(gateway.over(&run, PATIENCE)["return_value"], 42);
    let run = gateway.begin(&json!({ "code": "exec('found = 43')\nfound" })).unwrap();
    waiting(&gateway, 1);
    answer(&gateway, &run, &json!({ "decision": "deny", "reason": "write it plainly" }));
    let run = gateway.over(&run, PATIENCE);
    assert_eq!(run["error"]["type"], "ApprovalNeeded", "{run:#}");
    assert!(run["error"]["message"].as_str().unwrap().contains("write it plainly"), "{run:#}");
}

#[test]
fn an_analysis_that_somebody_has_to_approve_goes_on_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT).with_settings(ASKS);
    gateway.start();
    let data = json!({ "tool": "desk.book", "arguments": { "key": "rows" } });
    let body = json!({ "analysis_type": "describe", "data": data });
    // Nobody waits on the line for somebody who may take days.
    let told = gateway.ask("POST", "/api/v1/analysis", Some(&body)).unwrap();
    let run = told["run_id"].as_str().unwrap().to_owned();
    assert_eq!(told["links"]["run"], format!("/api/v1/runs/{run}"), "{told:#}");
    waiting(&gateway, 1);
    answer(&gateway, &run, &json!({ "decision": "approve" }));
    gateway.over(&run, PATIENCE);
    assert_eq!(gateway.counted(), ["book rows"]);
}
