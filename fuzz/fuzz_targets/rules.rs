//! Rules about arguments: whatever is asked, something is decided, and what is refused for a value is refused
//! for a list that has it.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use policy::{Hints, Policy, PolicySettings, Question, Verdict};
use serde_json::{Map, Value, json};

fuzz_target!(|data: (&str, &str)| {
    let (name, value) = data;
    let name = ["amount", "path", "repo", "query"].get(name.len() % 5).copied().unwrap_or(name);
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    let alone = decided(name, value.clone());
    let among = decided(name, json!(["an", value]));
    assert!(alone != Verdict::Deny || among == Verdict::Deny, "a list hides nothing");
});

fn decided(name: &str, value: Value) -> Verdict {
    let arguments = Map::from_iter([(name.to_owned(), value)]);
    let question = Question {
        agent: "",
        server: "bank",
        tool: "pay",
        hints: Hints::default(),
        is_trusted: false,
        owner: "ada",
        level: "standard",
        arguments: &arguments,
    };
    rules().decide(&question).verdict
}

fn rules() -> &'static Policy {
    static RULES: OnceLock<Policy> = OnceLock::new();
    RULES.get_or_init(|| {
        let settings: PolicySettings = serde_json::from_value(json!({
            "rules": [
                {"tools": "bank.*", "when": ["amount present", "amount > 1000"], "action": "deny"},
                {"tools": "bank.*", "when": ["path present", "path under '/etc'"], "action": "deny"},
                {"tools": "bank.*", "when": ["repo present", "repo in ['a/b', 'c/d']"], "action": "deny"},
                {"tools": "bank.*", "when": ["query reads"], "action": "allow"},
                {"tools": "bank.*", "when": ["query present"], "action": "deny"},
            ]
        }))
        .expect("settings as they are written");
        Policy::new(settings, &["standard", "hardened"]).expect("rules that hold together")
    })
}
