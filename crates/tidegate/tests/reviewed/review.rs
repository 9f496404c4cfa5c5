//! Reviews, at both doors and beside every run.

use serde_json::{Value, json};

use crate::gateway::Gateway;

fn rules(review: &Value) -> Vec<&str> {
    review["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect()
}

#[test]
fn a_program_is_reviewed_without_running_and_denied_where_that_was_decided() {
    let gateway = Gateway::start("", &[]);
    let code = "import os\nfrom servers.data import get_devices\nfor n in range(3):\n    await get_devices()\n";
    let review = gateway.json(
        "POST",
        "/api/v1/validate",
        Some(&json!({ "code": code, "level": "hardened" })),
    );
    assert_eq!(
        (&review["verdict"], &review["is_safe"]),
        (&json!("deny"), &json!(false)),
        "{review:#}"
    );
    assert_eq!(rules(&review), ["import-not-allowed"], "{review:#}");
    let (tool, estimates) = (&review["tools"][0], &review["estimates"]);
    assert_eq!(
        (&tool["server"], &tool["tool"], &tool["calls"]),
        (&json!("data"), &json!("get_devices"), &json!(3))
    );
    assert_eq!(
        (&estimates["calls"], &estimates["loops"], &estimates["lines"]),
        (&json!(3), &json!(1), &json!(4))
    );
    assert_eq!(gateway.json("GET", "/api/v1/runs", None)["runs"], json!([]), "nothing ran");
    let lenient = gateway.json("POST", "/api/v1/validate", Some(&json!({ "code": code })));
    assert_eq!((&lenient["verdict"], &lenient["level"]), (&json!("allow"), &json!("production")));
    for (body, status) in [
        (json!({ "code": code, "level": "none" }), 400),
        (json!({ "code": code, "more": 1 }), 400),
        (json!({ "code": "x", "language": "ruby" }), 400),
        (json!({}), 400),
    ] {
        assert_eq!(gateway.ask("POST", "/api/v1/validate", Some(&body)).0, status, "{body}");
    }

    // What may not run has done nothing, and says why.
    let body = json!({ "code": "x = 1\neval('x')", "level": "hardened" });
    let denied = gateway.json("POST", "/execute", Some(&body));
    let error = &denied["error"];
    assert_eq!((&error["type"], &error["line"]), (&json!("ReviewError"), &json!(2)), "{denied:#}");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("dynamic-execution")
            && message.contains(r#"[review.hardened] high = "deny""#),
        "{message}"
    );
    let id = denied["run_id"].as_str().unwrap();
    let stored = gateway.json("GET", &format!("/api/v1/runs/{id}"), None);
    assert_eq!(rules(&stored["review"]), ["dynamic-execution"], "{stored:#}");

    // At another level the same is only told.
    let told = gateway.run("return eval('1 + 1')");
    assert_eq!((&told["return_value"], &told["review"]["risk"]), (&json!(2), &json!("high")));
    let quiet = gateway.run("return 1");
    assert_eq!(
        (&quiet["review"]["risk"], &quiet["review"]["is_safe"]),
        (&json!("low"), &json!(true))
    );
    let figures = gateway.ask("GET", "/metrics", None).1;
    assert!(figures.contains("tidegate_reviews_total{risk=\"high\"} 2"), "{figures}");
    let log = gateway.audited(&["--run", id]);
    assert!(log.contains("\"decision\"") && log.contains("review.dynamic-execution"), "{log}");
    assert!(log.contains(r#""lines":{"dynamic-execution":2}"#), "{log}");
}

#[test]
fn an_operator_decides_what_findings_lead_to_also_where_nobody_looks_for_mistakes() {
    let config =
        "check = \"off\"\n[review]\nmedium = \"ask\"\n[review.hardened]\nhigh = \"allow\"\n";
    let gateway = Gateway::start(config, &[]);
    let asked = json!({ "code": "import subprocess" });
    let asked = gateway.json("POST", "/api/v1/validate", Some(&asked));
    assert_eq!(asked["verdict"], "ask", "{asked:#}");
    let hardened = |code: &str| {
        gateway.json("POST", "/execute", Some(&json!({ "code": code, "level": "hardened" })))
    };
    assert_eq!(hardened("return eval('1')")["return_value"], 1);
    assert_eq!(hardened("import subprocess")["error"]["type"], "ReviewError");

    // The command line keeps to the same decisions.
    let said = gateway.command(&["review", "-c", "import subprocess", "--json"]);
    assert_eq!(said.status.code(), Some(1));
    let review: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&review["verdict"], rules(&review)), (&json!("ask"), vec!["process-or-network"]));
    let said = gateway.command(&["review", "-c", "eval('1')"]);
    let text = String::from_utf8_lossy(&said.stdout);
    assert_eq!(said.status.code(), Some(0), "{text}");
    assert!(text.contains("high[dynamic-execution]") && text.contains("risk: high"), "{text}");
    let said = gateway.command(&["run", "--no-check", "-c", "import subprocess"]);
    assert!(String::from_utf8_lossy(&said.stderr).contains("ApprovalNeeded"), "{said:?}");
}
