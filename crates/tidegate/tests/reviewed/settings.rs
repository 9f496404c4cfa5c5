//! Settings of a gateway that runs: a file that changes, and what one owner may have.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::gateway::Gateway;

/// Asks until something is so, or half a minute is over.
fn until(mut look: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        if look() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn a_server_that_is_written_into_the_file_is_there_without_a_restart() {
    let gateway = Gateway::start("", &[]);
    let devices = |server: &str| {
        format!("from servers.{server} import get_devices\n(await get_devices())['count']")
    };
    let before = gateway.run(&devices("second"));
    assert_eq!(before["success"], false, "{before}");
    let first = gateway.run(&devices("data"));
    gateway.configure(|text| text.replace("[servers.data]", "[servers.second]"));
    assert!(until(|| gateway.run(&devices("second"))["return_value"] == first["return_value"]));
    assert!(until(|| gateway.run(&devices("data"))["success"] == false));

    // What cannot be read changes nothing.
    gateway.configure(|text| format!("{text}\n[servers.third\n"));
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(gateway.run(&devices("second"))["return_value"], first["return_value"]);
}

#[test]
fn an_owner_has_no_more_sessions_than_the_setting_says() {
    let gateway = Gateway::start("[serve]\nmax-sessions = 2\n", &[]);
    for _ in 0..2 {
        let (status, made) = gateway.ask("POST", "/api/v1/sessions", Some(&json!({})));
        assert_eq!(status, 201, "{made}");
    }
    let (status, refused) = gateway.ask("POST", "/api/v1/sessions", Some(&json!({})));
    assert_eq!(status, 403, "{refused}");
    let refused: Value = serde_json::from_str(&refused).unwrap();
    assert!(refused.to_string().contains("max-sessions"), "{refused}");
}

#[test]
fn an_owner_has_no_more_bytes_than_the_setting_says() {
    let gateway = Gateway::start("[serve]\nmax-session-bytes = \"4MiB\"\n", &[]);
    let (_, made) = gateway.ask("POST", "/api/v1/sessions", Some(&json!({})));
    let made: Value = serde_json::from_str(&made).unwrap();
    let session = made["id"].as_str().unwrap();
    let code = "import os\nopen('kept', 'wb').write(os.urandom(6_000_000))";
    let run = json!({ "code": code, "session": session });
    assert_eq!(gateway.json("POST", "/execute", Some(&run))["return_value"], 6_000_000);
    let (status, frozen) =
        gateway.ask("POST", &format!("/api/v1/sessions/{session}/freeze"), Some(&json!({})));
    assert!(status < 300, "{frozen}");

    let (status, refused) = gateway.ask("POST", "/api/v1/sessions", Some(&json!({})));
    assert_eq!(status, 403, "{refused}");
    assert!(refused.contains("max-session-bytes"), "{refused}");
    let (status, removed) = gateway.ask("DELETE", &format!("/api/v1/sessions/{session}"), None);
    assert!(status < 300, "{removed}");
    let (status, made) = gateway.ask("POST", "/api/v1/sessions", Some(&json!({})));
    assert_eq!(status, 201, "{made}");
}
