//! Who has a place: among the programs that run, in memory, and on disk.

use std::time::Duration;

use gateway::service::Settings;
use gateway::service::gate::Room;
use serde_json::{Value, json};
use server::rest::RestOptions;

use super::{House, Method, StatusCode, assert_problem, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_uses_any_more_ends_with_its_files() {
    let (idle, lasts) = (Duration::from_millis(50), Duration::from_millis(1500));
    let settings = Settings { idle, lasts, ..Settings::default() };
    let house = House::with(settings, RestOptions::default()).await;
    let session = house.create_session().await;
    house.run(json!({"code": "x = 1", "session": session})).await;
    let image = house.folder.path().join("sessions").join(format!("{session}.image"));
    let listed = |listed: &Value| listed["sessions"].as_array().unwrap().len();
    house.until("/api/v1/sessions", |all| listed(all) == 0 || image.exists()).await;
    house.until("/api/v1/sessions", |all| listed(all) == 0).await;
    house.until("/api/v1/sessions", |_| !image.exists()).await;
    assert_problem(house.ask(&format!("/api/v1/sessions/{session}")).await, 404, "unknown_session")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_that_only_wait_let_others_run() {
    let room = Room { running: 1, waiting: 8, waiting_per_owner: 8, waiting_bytes: 1 << 20 };
    let house = House::with(Settings { room, ..Settings::default() }, RestOptions::default()).await;
    let code = "import asyncio\nawait asyncio.sleep(60)";
    let sleeping: Value =
        house.post("/execute?async=true", json!({ "code": code })).await.json().await.unwrap();
    house.until(text(&sleeping["links"]["run"]), |run| run["status"] == "waiting").await;
    let quick = house.run(json!({"code": "return 1"})).await;
    assert_eq!(quick["return_value"], 1, "{quick}");
    let still = house.get(text(&sleeping["links"]["run"])).await;
    assert_eq!(still["status"], "waiting", "{still}");
    house.post(text(&sleeping["links"]["cancel"]), json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_guests_are_alive_than_may_be() {
    let settings = Settings { live: 2, ..Settings::default() };
    let house = House::with(settings, RestOptions::default()).await;
    let run = async |_: usize| {
        let session = house.create_session().await;
        house.run(json!({"code": "x = 1", "session": session})).await
    };
    futures_util::future::join_all((0..8).map(run)).await;
    let alive = |all: &Value| {
        let all = all["sessions"].as_array().unwrap();
        all.iter().filter(|session| session["state"] == "alive").count()
    };
    house.until("/api/v1/sessions", |all| alive(all) <= 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_hangs_up_while_a_session_goes_to_disk_leaves_it_as_it_was() {
    let house =
        House::with(Settings { live: 1, ..Settings::default() }, RestOptions::default()).await;
    let session = house.create_session().await;
    let large = "import numpy as np\nbig = np.random.rand(4_000_000)\nx = 1";
    house.run(json!({"code": large, "session": session})).await;
    let fork = format!("/api/v1/sessions/{session}/fork");
    let freeze = format!("/api/v1/sessions/{session}/freeze");
    let (again, other) = (json!({"code": "x", "session": session}), json!({"code": "return 1"}));
    for milliseconds in [2, 5, 10, 20, 40] {
        let soon = Duration::from_millis(milliseconds);
        // The last of them has it go to disk to make room for a session of its own.
        for (path, body) in [
            (&*fork, &json!({})),
            (&*freeze, &json!({})),
            ("/execute", &again),
            ("/execute", &other),
        ] {
            let asked = house.asked(Method::POST, path).json(body).timeout(soon).send().await;
            drop(asked);
            let after = house.run(again.clone()).await;
            assert_eq!(after["return_value"], 1, "{path} after {soon:?}: {after}");
        }
    }
    let frozen = house.post(&freeze, json!({})).await;
    assert_eq!(frozen.status(), StatusCode::OK);
    let alive = |all: &Value| {
        let all = all["sessions"].as_array().unwrap();
        all.iter().filter(|session| session["state"] == "alive").count()
    };
    house.until("/api/v1/sessions", |all| alive(all) <= 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_may_tighten_its_limits_and_loosens_none() {
    let house = House::new().await;
    let tight = json!({"code": "while True: pass", "limits": {"wall": 0.2, "calls": 3.0}});
    let tight = house.run(tight).await;
    assert_eq!(tight["error"]["limit"], "wall", "{tight}");
    assert!(text(&tight["error"]["message"]).contains("0.2 s"), "{tight}");
    let code = "return 1";
    let loose = house.run(json!({"code": code, "limits": {"wall": 86400, "calls": null}})).await;
    assert_eq!(loose["return_value"], 1, "{loose}");
    for limits in [json!({"callz": 1}), json!({"calls": "1"}), json!({"wall": 0}), json!([])] {
        let wrong = house.post("/execute", json!({"code": code, "limits": limits})).await;
        assert_problem(wrong, 400, "invalid_request").await;
    }
}
