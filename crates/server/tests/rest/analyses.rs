//! Prepared analyses: at which level, and of which earlier results.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_runs_at_the_level_that_was_asked_for() {
    let house = House::new().await;
    let ask = async |kind: &str, parameters: Value, level: &str| {
        let data = json!([{"n": 1, "m": 2}, {"n": 5, "m": 1}, {"n": 3, "m": 2}]);
        let body =
            json!({"analysis_type": kind, "data": data, "parameters": parameters, "level": level});
        house.post("/api/v1/analysis", body).await
    };
    let sums = json!({"aggregations": {"n": ["sum"]}});
    let found: Value = ask("aggregate", sums, "hardened").await.json().await.unwrap();
    assert_eq!(found["return_value"]["result"], json!([{"n_sum": 9}]), "{found}");
    // What that level does not import is not there.
    let tested = json!({"test": "t_paired", "fields": ["n", "m"]});
    for (level, succeeds) in [("production", true), ("hardened", false)] {
        let found: Value = ask("test", tested.clone(), level).await.json().await.unwrap();
        assert_eq!(found["success"], succeeds, "{level}: {found}");
    }
    let wrong = ask("describe", json!({}), "reckless").await;
    assert!(assert_problem(wrong, 400, "invalid_request").await.contains("hardened"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_many_rows_may_name_an_earlier_result_beside_them() {
    let house = House::new().await;
    let made =
        house.run(json!({"code": "return [{'k': n, 'x': n * n} for n in range(900)]"})).await;
    let own: Vec<Value> = (0..900).map(|k| json!({"k": k, "name": format!("row {k}")})).collect();
    let join = json!({"steps": [{"join": {"with": own, "on": "k"}}, {"limit": {"count": 1, "offset": 30}}]});
    let body = json!({"analysis_type": "transform", "data": {"result": made["run_id"]}, "parameters": join});
    let answer = house.post("/api/v1/analysis", body).await;
    let answer: Value = answer.json().await.unwrap();
    let row = json!([{"k": 30, "x": 900, "name": "row 30"}]);
    assert_eq!(answer["return_value"]["result"], row, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_leaves_nothing_in_its_session() {
    let house = House::new().await;
    let session = house.create_session().await;
    let run = async |code: &str| house.run(json!({"code": code, "session": session})).await;
    run("request, analyze = 'mine', 2").await;
    let names = "return sorted(name for name in globals() if not name.startswith('__'))";
    let before = run(names).await["return_value"].clone();
    for (kind, parameters) in [
        ("describe", json!({})),
        ("test", json!({"test": "t_paired", "fields": ["n", "m"]})),
        ("describe", json!({"wrong": 1})),
    ] {
        let data = json!([{"n": 1, "m": 2}, {"n": 5, "m": 1}, {"n": 3, "m": 2}]);
        let body = json!({"analysis_type": kind, "data": data, "parameters": parameters, "session": session});
        let answer: Value = house.post("/api/v1/analysis", body).await.json().await.unwrap();
        assert_eq!(answer["session"], session, "{answer}");
        assert_eq!(run(names).await["return_value"], before, "{kind}");
    }
    assert_eq!(run("return [request, analyze]").await["return_value"], json!(["mine", 2]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_request_without_data_has_besides_is_a_slip_only_where_nobody_knows_it() {
    let house = House::new().await;
    let ask = async |body: Value| {
        assert_problem(house.post("/api/v1/analysis", body).await, 400, "invalid_request").await
    };
    let said = ask(json!({"analysis_type": "describe", "output_strategy": "none"})).await;
    assert!(said.contains("`data` is missing") && !said.contains("output_strategy"), "{said}");
    let said = ask(json!({"analysis_type": "describe", "rows": []})).await;
    assert!(said.contains("`rows`"), "{said}");
    let said = ask(json!({"analysis_type": "guess", "data": []})).await;
    assert!(said.contains("\"guess\""), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_reads_the_files_of_a_session_in_typescript() {
    let house = House::new().await;
    let code =
        r#"await writeFile("/workspace/rows.json", JSON.stringify([{n: 1}, {n: 5}, {n: 3}]))"#;
    let made = house.run(json!({"code": code, "language": "typescript"})).await;
    let script = text(&made["session"]);
    let body = json!({
        "analysis_type": "aggregate", "data": {"file": "/workspace/rows.json"},
        "parameters": {"aggregations": {"n": ["sum"]}},
    });
    let ask = async |besides: Value| {
        let mut body = body.clone();
        body.as_object_mut().unwrap().extend(besides.as_object().unwrap().clone());
        house.post("/api/v1/analysis", body).await
    };
    let refused = ask(json!({"session": script})).await;
    assert!(assert_problem(refused, 409, "other_language").await.contains("`workspace_of`"));
    let found: Value = ask(json!({"workspace_of": script})).await.json().await.unwrap();
    assert_eq!(found["return_value"]["result"], json!([{"n_sum": 9}]), "{found}");
    assert_ne!(found["session"], made["session"]);
    let both = ask(json!({"session": found["session"], "workspace_of": script})).await;
    assert!(assert_problem(both, 422, "invalid_request").await.contains("leave one of them out"));
}
