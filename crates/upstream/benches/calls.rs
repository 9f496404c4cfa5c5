//! What a call costs here beyond what it costs with rmcp alone, against the same server.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark for people")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::json;
use support::{call, fixture, start};
use upstream::Source;

const ROUNDS: usize = 10;
const CALLS: usize = 300;

#[tokio::main]
async fn main() {
    let settings = fixture("normal");
    let Source::Stdio(stdio) = &settings.source else { unreachable!() };
    let mut child = tokio::process::Command::new(&stdio.command)
        .args(&stdio.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let transport =
        AsyncRwTransport::new_client(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let direct = ().serve(transport).await.unwrap();
    let upstreams = start([settings]);
    call(&upstreams, "normal", "echo", json!({"text": "hi"})).await.unwrap();

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // In turns, so that both meet the same noise.
    for _ in 0..ROUNDS {
        for _ in 0..CALLS {
            let start = Instant::now();
            let arguments = json!({"text": "hi"}).as_object().unwrap().clone();
            direct
                .call_tool(CallToolRequestParams::new("echo").with_arguments(arguments))
                .await
                .unwrap();
            theirs.push(start.elapsed());
        }
        for _ in 0..CALLS {
            let start = Instant::now();
            call(&upstreams, "normal", "echo", json!({"text": "hi"})).await.unwrap();
            ours.push(start.elapsed());
        }
    }
    for (what, times) in [("rmcp alone", &mut theirs), ("through Upstreams", &mut ours)] {
        times.sort();
        println!("{what:18} p50 {:?}  p99 {:?}", at(times, 50), at(times, 99));
    }
}

fn at(times: &[Duration], percent: usize) -> Duration {
    times[times.len() * percent / 100]
}
