//! Bodies that do not come to their end: how much they may hold, and for how long.

use server::arriving::{Bodies, BodyRules};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;

/// The bytes of a large body that are sent, of those that were announced.
const SENT: usize = 400_000;
const TOLD: usize = 500_000;

/// A house and the room for bodies at its doors.
async fn house(rules: BodyRules) -> (House, Bodies) {
    let bodies = Bodies::new(rules);
    let rest = RestOptions { bodies: bodies.clone(), ..RestOptions::default() };
    (House::with(Settings::default(), rest).await, bodies)
}

/// One who begins to send a body, and does not end.
async fn begun(house: &House, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {TOLD}\r\n\r\n",
        house.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; SENT]).await.unwrap();
    stream
}

/// What is said to one who has not sent everything.
async fn told(stream: &mut TcpStream) -> String {
    let mut told = Vec::new();
    while !told.ends_with(b"}") && !told.ends_with(b"0\r\n\r\n") {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&told));
        told.extend_from_slice(&part[..read]);
    }
    String::from_utf8(told).unwrap().to_lowercase()
}

async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_bodies_hold_so_much_at_both_doors_and_no_more() {
    let rules = BodyRules { each: 512 << 10, all: 1 << 20, ..BodyRules::default() };
    let (house, bodies) = house(rules).await;
    let slow = begun(&house, "/mcp").await;
    until(|| bodies.held() >= SENT).await;
    for path in ["/mcp", "/execute"] {
        let told = told(&mut begun(&house, path).await).await;
        assert!(told.starts_with("http/1.1 429"), "{path}: {told}");
        assert!(told.contains("\nretry-after: 5"), "{path}: {told}");
        assert!(told.contains("`max-unfinished-bytes`"), "{path}: {told}");
    }
    // What is small is let in, and what is large once there is room.
    assert_eq!(house.run(json!({"code": "return 1"})).await["return_value"], 1);
    drop(slow);
    until(|| bodies.held() == 0).await;
    let code = format!("return 2\n# {}", "x".repeat(SENT));
    assert_eq!(house.run(json!({ "code": code })).await["return_value"], 2);
    assert_eq!(bodies.held(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_has_so_much_time_at_both_doors() {
    let rules = BodyRules { within: Duration::from_millis(500), ..BodyRules::default() };
    let (house, bodies) = house(rules).await;
    for path in ["/mcp", "/execute", "/api/v1/sessions", "/api/v1/sessions/import"] {
        let told = told(&mut begun(&house, path).await).await;
        assert!(told.starts_with("http/1.1 408"), "{path}: {told}");
        assert!(told.contains("`body-time`"), "{path}: {told}");
    }
    assert_eq!(bodies.held(), 0);
}
