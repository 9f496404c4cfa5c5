//! Pages that are only read, searches without some servers, and events for who comes back.

use catalog::ServerName;
use gateway::ServerPolicy;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_are_only_read_take_no_other_method() {
    let house = House::new().await;
    let made_up = Method::from_bytes(b"FROBNICATE").unwrap();
    for path in ["/metrics", "/health", "/health/ready", "/openapi.json", "/docs", "/approvals"] {
        assert_eq!(house.asked(Method::HEAD, path).send().await.unwrap().status(), StatusCode::OK);
        for method in [Method::POST, Method::PUT, Method::DELETE, made_up.clone()] {
            let response = house.asked(method, path).send().await.unwrap();
            assert_eq!(response.headers()["allow"], "GET,HEAD", "{path}");
            assert_problem(response, 405, "method_not_allowed").await;
        }
    }
    // What clients make up makes no figures of its own.
    let figures = house.ask("/metrics").await.text().await.unwrap();
    assert!(figures.contains("method=\"other\"") && !figures.contains("FROBNICATE"), "{figures}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_server_is_named_where_tools_are_searched() {
    let house = House::new().await;
    let settings = upstream::ServerSettings {
        name: ServerName("files".to_owned()),
        source: upstream::Source::Later(upstream::Later::new(|| Err("no key for it".to_owned()))),
        description: None,
        startup: upstream::Startup::Lazy,
        timeouts: upstream::Timeouts::default(),
        concurrency: 1,
        answer_bytes: 1 << 20,
    };
    house.service.tools().add(settings, ServerPolicy::default()).await;
    for path in ["/api/v1/mcp/tools/search?query=refund", "/api/v1/tools"] {
        let missing = house.get(path).await["missing"][0].clone();
        assert_eq!((&missing["server"], &missing["state"]), (&json!("files"), &json!("failed")));
        assert!(text(&missing["reason"]).contains("no key for it"), "{missing}");
        assert!(text(&missing["since"]).ends_with('Z'), "{missing}");
    }
    let run = house.run(json!({"code": "return len(search_tools('refund'))"})).await;
    assert_eq!(run["return_value"], 1, "{run}");
    assert!(text(&run["stderr"]).contains("files does not answer since"), "{run}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_hears_what_they_missed_and_after_a_restart_everything() {
    let house = House::new().await;
    let code = json!({"code": "import asyncio\nprint('one')\nawait asyncio.sleep(3600)"});
    let run: Value = house.post("/execute?async=true", code).await.json().await.unwrap();
    house.until(text(&run["links"]["run"]), |run| run["status"] == "waiting").await;
    let heard = async |last: Option<String>| {
        let asked = house.asked(Method::GET, text(&run["links"]["events"]));
        let asked = match last {
            Some(last) => asked.header("last-event-id", last),
            None => asked,
        };
        let mut response = asked.send().await.unwrap();
        let mut stream = String::new();
        while !stream.ends_with("\n\n") || !stream.contains("data: ") {
            let chunk = response.chunk().await.unwrap().unwrap();
            stream.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        events(&stream).remove(0)
    };
    let first = heard(None).await;
    assert_eq!(first.number(), 0);
    assert_eq!(heard(Some(first.id.clone())).await.number(), 1);
    // Another process counted other events; so did one that never was.
    let process = first.id.split_once('.').unwrap().1;
    for stale in ["1.01234567".to_owned(), "1".to_owned(), format!("999.{process}")] {
        assert_eq!(heard(Some(stale.clone())).await.number(), 0, "{stale}");
    }
    house.post(text(&run["links"]["cancel"]), json!({})).await;
}
