//! What happened is written down, and whoever changes that is found out.

use serde_json::{Value, json};

use crate::gateway::Gateway;

/// What a command of ours says, and whether it succeeded.
fn said(gateway: &Gateway, arguments: &[&str]) -> (String, Option<i32>) {
    let output = gateway.command("audit", arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (text, output.status.code())
}

#[test]
fn runs_calls_limits_and_refusals_are_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--max-sessions", "2"]);
    gateway.start();
    let code = "from servers.desk import book\nreturn await book(key='one')";
    let run = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
    let id = run["run_id"].as_str().unwrap();
    let endless = json!({ "code": "while True: pass", "timeout": 1 });
    gateway.ask("POST", "/execute", Some(&endless)).unwrap();
    for _ in 0..6 {
        gateway.ask("POST", "/api/v1/sessions", Some(&json!({})));
    }
    let report = gateway.ask("GET", "/api/v1/security/report", None).unwrap();
    assert!(report["runs"].as_u64() >= Some(2) && report["calls"] == 1, "{report:#}");
    let kinds: Vec<&Value> =
        report["by_type"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert!(kinds.contains(&&json!("limit_hit")), "{report:#}");
    assert!(kinds.contains(&&json!("access_refused")), "{report:#}");
    gateway.stop();
    assert_eq!(said(&gateway, &["verify"]).1, Some(0));
    let (lines, _) = said(&gateway, &["search", "--run", id, "--json"]);
    assert_eq!(lines.lines().count(), 3, "{lines}");
    assert!(lines.contains("await book(key='one')") && lines.contains("desk.book"), "{lines}");
    let (table, _) = said(&gateway, &["export", "--format", "csv", "--kind", "call"]);
    assert_eq!(table.lines().count(), 2, "{table}");
    // Whoever changes one letter of it is found out, also by the next start.
    let segment = folder.path().join("data/audit/000001.jsonl");
    let text = std::fs::read_to_string(&segment).unwrap();
    std::fs::write(&segment, text.replacen("desk.book", "desk.look", 1)).unwrap();
    let (words, code) = said(&gateway, &["verify"]);
    assert_eq!(code, Some(1), "{words}");
}

#[test]
fn only_a_hash_of_programs_is_kept_where_that_was_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &["--audit", "hash"]);
    gateway.start();
    gateway.ask("POST", "/execute", Some(&json!({ "code": "secret_plan = 1" }))).unwrap();
    gateway.stop();
    let (lines, _) = said(&gateway, &["search", "--json"]);
    assert!(lines.contains("sha256") && !lines.contains("secret_plan"), "{lines}");
}
