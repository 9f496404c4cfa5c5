//! What runs cost a model, and saved it.

use gateway::service::Settings;
use serde_json::{Value, json};
use server::rest::RestOptions;

use super::house::House;

#[tokio::test(flavor = "multi_thread")]
async fn every_run_says_what_it_saved() {
    let house = House::new().await;
    let run = house.run(json!({"code": "return 1"})).await;
    let receipt = &run["receipt"];
    // Nothing was called, so all that could be saved are definitions.
    assert_eq!((&run["tools_called"], &receipt["search"]), (&json!([]), &json!(0)), "{run}");
    assert!(receipt["inline"].as_u64() > Some(20), "{receipt}");
    let ours = ["own_definitions", "sent", "received"].map(|part| receipt[part].as_i64().unwrap());
    let inline = receipt["inline"].as_i64().unwrap();
    assert_eq!(run["tokens_saved"], inline - ours.iter().sum::<i64>());
    let stats = house.get("/api/v1/stats").await;
    assert_eq!(
        (&stats["total_executions"], &stats["success_rate"]),
        (&json!(1), &json!(1.0)),
        "{stats}"
    );
    assert_eq!(stats["total_tokens_saved"], run["tokens_saved"]);
    assert_eq!(stats["days"][0]["executions"], 1, "{stats}");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_receipts_are_switched_off_runs_have_none() {
    let settings = Settings { receipts: false, ..Settings::default() };
    let house = House::with(settings, RestOptions::default()).await;
    let run = house.run(json!({"code": "return 1"})).await;
    assert_eq!((&run["receipt"], &run["tokens_saved"]), (&Value::Null, &json!(0)), "{run}");
    let stats = house.get("/api/v1/stats").await;
    assert_eq!((&stats["total_executions"], &stats["total_tokens_saved"]), (&json!(1), &json!(0)));
}
