//! What is unlike anything an owner did before is told, and known again after a restart.

use std::time::Duration;

use serde_json::{Value, json};

use crate::gateway::{Gateway, Web};

const ORDINARY: &str = "from servers.data import get_devices\nreturn len(await get_devices())";
const BURST: &str = "from servers.data import get_devices\n\
                     import asyncio\n\
                     return len(await asyncio.gather(*(get_devices() for _ in range(90))))";

fn kinds(run: &Value) -> Vec<&str> {
    run["anomalies"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_burst_and_denials_are_flagged_in_the_run_the_metrics_the_log_and_by_web_hook() {
    let hook = Web::saying("{}");
    let config = format!(
        "[audit]\nwebhook = \"http://{}/told\"\nheaders = {{ Authorization = \"Bearer ${{env:HOOK_TOKEN}}\" }}\n",
        hook.address
    );
    let mut gateway = Gateway::start(&config, &[("HOOK_TOKEN", "t0ken")]);
    for _ in 0..40 {
        assert_eq!(kinds(&gateway.run(ORDINARY)), [""; 0]);
    }
    let burst = gateway.run(BURST);
    assert!(kinds(&burst).contains(&"burst"), "{burst:#}");
    let id = burst["run_id"].as_str().unwrap();
    let stored = gateway.json("GET", &format!("/api/v1/runs/{id}"), None);
    assert_eq!(stored["anomalies"], burst["anomalies"]);
    let explanation = burst["anomalies"][0]["explanation"].as_str().unwrap();
    assert!(explanation.contains("times the usual"), "{explanation}");
    let figures = gateway.ask("GET", "/metrics", None).1;
    assert!(figures.contains("tidegate_anomalies_total{kind=\"burst\""), "{figures}");
    let log = gateway.audited(&["--kind", "anomaly"]);
    assert!(log.contains(id) && log.contains("\"burst\""), "{log}");
    let report = gateway.json("GET", "/api/v1/security/report", None);
    assert!(report["by_type"].to_string().contains("anomaly"), "{report:#}");
    let told = hook.asked.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(told.starts_with("POST /told") && told.contains("Bearer t0ken"), "{told}");
    assert!(told.contains(id) && told.contains("\"event\":\"anomaly\""), "{told}");

    // What is usual is known again.
    gateway.restart();
    let denied = json!({ "code": "eval('1')", "level": "hardened" });
    let mut flagged = Vec::new();
    for _ in 0..12 {
        let run = gateway.json("POST", "/execute", Some(&denied));
        flagged.extend(kinds(&run).into_iter().map(str::to_owned));
    }
    assert!(flagged.contains(&"denials".to_owned()), "{flagged:?}");
    let larger = BURST.replace("90", "400");
    let burst = gateway.run(&larger);
    assert!(kinds(&burst).contains(&"burst"), "{burst:#}");
}

#[test]
fn nobody_looks_where_that_was_decided() {
    let gateway = Gateway::start("[audit]\nanomalies = false\n", &[]);
    for _ in 0..40 {
        gateway.run(ORDINARY);
    }
    assert_eq!(kinds(&gateway.run(BURST)), [""; 0]);
}
