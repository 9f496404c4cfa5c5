//! What a gateway counts, and whether the dashboard and the alerts ask for what is counted.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod gateway;
mod traces;

use std::collections::BTreeSet;
use std::path::Path;

use gateway::{Gateway, command};
use serde_json::{Value, json};

/// Figures whose labels are known with the first of what they count: servers, tools, routes, and guests that stand by.
const BEGINS_LATER: [&str; 4] = [
    "tidegate_host_calls_total",
    "tidegate_http_requests_total",
    "tidegate_standby_total",
    "tidegate_tool_combinations_total",
];

/// The names in a text that are ours.
fn names(text: &str) -> BTreeSet<String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !is_word(letter))
        .filter(|word| word.starts_with("tidegate_"))
        .map(str::to_owned)
        .collect()
}

/// The names in a text whose changes are asked for.
fn changes(text: &str) -> BTreeSet<String> {
    let asked = ["rate(", "increase("].into_iter().flat_map(|word| text.split(word).skip(1));
    asked.filter_map(|rest| names(rest.split('{').next()?.split('[').next()?).pop_first()).collect()
}

fn deployed(file: &str) -> String {
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    std::fs::read_to_string(Path::new(&crate_folder).join("../../deploy").join(file)).unwrap()
}

#[test]
fn the_dashboard_and_the_alerts_ask_for_what_is_counted() {
    let gateway = Gateway::start();
    // Prometheus sees no change in what begins with 1.
    let before = gateway.ask("GET", "/metrics", "", "");
    for line in [
        "tidegate_runs_total{status=\"failed\",language=\"python\"} 0",
        "tidegate_runs_total{status=\"timed_out\",language=\"python\"} 0",
        "tidegate_limit_hits_total{limit=\"wall\"} 0",
        "tidegate_errors_total{type=\"KeyError\"} 0",
        "tidegate_errors_total{type=\"other\"} 0",
        "tidegate_tokens_total{way=\"inline\",use_case=\"filtering\",language=\"python\"} 0",
        "tidegate_tokens_total{way=\"tidegate\",use_case=\"computing\",language=\"python\"} 0",
        "tidegate_cost_micros_total{way=\"inline\",use_case=\"filtering\"} 0",
        "tidegate_tokens_sent_total 0",
        "tidegate_tokens_received_total 0",
        "tidegate_bytes_kept_total 0",
        "tidegate_sessions_started_total 0",
        "tidegate_requests_total{kind=\"code\"} 0",
        "tidegate_requests_total{kind=\"direct\"} 0",
        "tidegate_code_bytes_count 0",
        "tidegate_code_bytes_sum 0",
        "tidegate_run_seconds_count{language=\"python\"} 0",
        "tidegate_run_seconds_bucket{language=\"python\",le=\"+Inf\"} 0",
        "tidegate_guest_cpu_seconds_sum{language=\"python\"} 0",
        "tidegate_guest_memory_bytes_bucket{language=\"python\",le=\"+Inf\"} 0",
        "tidegate_phase_seconds_bucket{phase=\"guest\",le=\"+Inf\"} 0",
        "tidegate_phase_seconds_bucket{phase=\"host_call\",le=\"+Inf\"} 0",
    ] {
        assert!(before.lines().any(|one| one == line), "{line} is not in\n{before}");
    }
    let first = names(&before);
    for file in ["grafana-dashboard.json", "alerts.yml"] {
        let asked = changes(&deployed(file));
        assert!(!asked.is_empty(), "{file} asks for no change");
        for name in asked.iter().filter(|name| !BEGINS_LATER.contains(&name.as_str())) {
            assert!(first.contains(name), "{file} asks how {name} changes, which begins too late");
        }
    }
    let worked = gateway.run(
        "from servers.data import get_devices\ndevices = await get_devices()\nreturn len(devices)",
    );
    assert_eq!(worked["success"], true, "{worked}");
    assert_eq!(gateway.run("import json\njson.loads('{}')['missing']")["success"], false);
    let limited = json!({ "code": "while True: pass", "timeout": 1 }).to_string();
    gateway.ask("POST", "/execute", "", &limited);
    // More than may be returned is described instead, and counted.
    let large = gateway.run("return 'x' * (33 << 20)");
    assert_eq!(large["success"], true, "{large}");
    gateway.ask("GET", "/api/v1/mcp/tools/search?query=orders", "", "");
    let text = gateway.ask("GET", "/metrics", "", "");
    let counted = names(&text);
    for file in ["grafana-dashboard.json", "alerts.yml", "alerts_test.yml"] {
        for name in names(&deployed(file)) {
            assert!(counted.contains(&name), "{file} asks for {name}, of {counted:?}");
        }
    }
    for line in [
        "tidegate_runs_total{status=\"succeeded\",language=\"python\"} 2",
        "tidegate_runs_total{status=\"timed_out\",language=\"python\"} 1",
        "tidegate_errors_total{type=\"KeyError\"} 1",
        "tidegate_limit_hits_total{limit=\"wall\"} 1",
        "tidegate_limit_hits_total{limit=\"value-bytes\"} 1",
        "tidegate_host_calls_total{server=\"data\",tool=\"get_devices\",outcome=\"ok\"} 1",
        "tidegate_tool_combinations_total{tools=\"data.get_devices\"} 1",
        "tidegate_requests_total{kind=\"code\"} 4",
        "tidegate_requests_total{kind=\"search\"} 1",
        "tidegate_upstream_up{server=\"data\"} 1",
    ] {
        assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
    }
    for phase in ["queue", "check", "guest", "host_call"] {
        let line = format!("tidegate_phase_seconds_count{{phase=\"{phase}\"}}");
        assert!(text.contains(&line), "{line}");
    }
}

#[test]
fn what_counts_by_tool_is_asked_for_with_its_first_value() {
    // Sets of tools are not known before they are called, so that theirs cannot begin with 0.
    let text = deployed("grafana-dashboard.json");
    let asks =
        text.lines().filter(|line| line.contains("increase(tidegate_tool_combinations_total"));
    let mut asked = 0;
    for line in asks {
        assert!(line.contains("unless tidegate_tool_combinations_total"), "{line}");
        asked += 1;
    }
    assert!(asked > 0, "the dashboard does not ask for combinations");
}

#[test]
fn what_was_saved_is_added_up() {
    let gateway = Gateway::start();
    let saved = |code: &str| gateway.run(code)["tokens_saved"].as_i64().unwrap();
    let first = saved("from servers.data import get_devices\nreturn len(await get_devices())");
    let second = saved("return 1");
    let stats = |arguments: &[&str]| {
        let said = command(&gateway.folder).arg("stats").args(arguments).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap()
    };
    let all: Value = serde_json::from_str(&stats(&["--json"])).unwrap();
    assert_eq!(all["total_executions"], 2, "{all}");
    assert_eq!(all["total_tokens_saved"], first + second, "{all}");
    assert_eq!(all["tool_calls"], 1, "{all}");
    let text = stats(&[]);
    assert!(text.contains("data.get_devices"), "{text}");
    assert!(text.contains(&format!("tokens saved           {}", first + second)), "{text}");
}
