//! Who has a place: among the programs that run, in memory, and on disk.

use gateway::service::Settings;
use gateway::service::gate::Room;
use serde_json::{Value, json};
use server::rest::RestOptions;

use super::{House, text};

#[tokio::test(flavor = "multi_thread")]
async fn programs_that_only_wait_let_others_run() {
    let room = Room { running: 1, waiting: 8, waiting_per_owner: 8 };
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
