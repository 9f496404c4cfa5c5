//! Children do not outlive us, whatever ends us.
//!
//! This test is its own supervisor and its own parent: it starts itself under two other names,
//! which a test harness would not let it do.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]
#![expect(clippy::print_stdout, reason = "how the parent says whom it started")]

mod support;

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};
use support::{call, fixture, name, options, plain, server, stdio, text, until};
use upstream::{ConnectError, Options, Upstreams};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_ref().and_then(|argument| argument.to_str()) {
        Some("supervise") => return upstream::supervise(arguments),
        Some("parent") => parent(),
        _ => {}
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        a_supervised_server_works_and_ends_when_closed().await;
        a_program_that_does_not_exist_is_reported().await;
        the_exit_status_of_a_server_is_reported().await;
        a_stubborn_family_ends_with_a_killed_parent().await;
    });
    ExitCode::SUCCESS
}

fn supervised(servers: impl IntoIterator<Item = upstream::ServerSettings>) -> Arc<Upstreams> {
    let supervisor: Vec<OsString> =
        vec![std::env::current_exe().unwrap().into(), "supervise".into()];
    let options = Options { supervisor: Some(supervisor), ..options() };
    Upstreams::new(servers.into_iter().collect(), options)
}

async fn a_supervised_server_works_and_ends_when_closed() {
    let upstreams = supervised(["normal", "stubborn", "family", "runaway"].map(fixture));
    let pids = pids(&upstreams, &["normal", "stubborn", "family", "runaway"]).await;
    assert_eq!(pids.len(), 6);
    assert_eq!(text(call(&upstreams, "normal", "echo", json!({"text": "hi"})).await), "hi");
    upstreams.close().await;
    until("all are gone", || pids.iter().all(|pid| is_gone(*pid))).await;
}

async fn a_program_that_does_not_exist_is_reported() {
    let upstreams = supervised([server("missing", stdio("no-such-program-anywhere", &[]))]);
    let problem = upstreams.listing(&name("missing")).await.unwrap_err();
    let ConnectError::Start { stderr, .. } = &problem else { panic!("{problem:?}") };
    assert!(stderr.contains("could not start no-such-program-anywhere"), "{problem}");
}

async fn the_exit_status_of_a_server_is_reported() {
    let upstreams = supervised([fixture("normal")]);
    let failure = plain(&upstreams, "normal", "crash").await.unwrap_err();
    assert!(failure.to_string().contains("exit status: 3"), "{failure}");
    assert_eq!(text(call(&upstreams, "normal", "echo", json!({"text": "back"})).await), "back");
}

async fn a_stubborn_family_ends_with_a_killed_parent() {
    let (mut parent, pids) = started_parent();
    assert_eq!(pids.len(), 5);
    assert!(pids.iter().all(|pid| !is_gone(*pid)));
    // Cannot be caught, so nothing of the parent's own can clean up.
    parent.kill().unwrap();
    parent.wait().unwrap();
    until("all are gone", || pids.iter().all(|pid| is_gone(*pid))).await;
}

fn started_parent() -> (Child, Vec<u64>) {
    let myself = std::env::current_exe().unwrap();
    let mut parent = Command::new(myself).arg("parent").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (parent, serde_json::from_str(&line).unwrap())
}

/// Starts servers, says who they are, and waits to be killed.
fn parent() -> ! {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let upstreams = supervised(["stubborn", "family", "runaway"].map(fixture));
        let pids = pids(&upstreams, &["stubborn", "family", "runaway"]).await;
        println!("{}", json!(pids));
        std::future::pending::<()>().await;
    });
    unreachable!("waits for ever")
}

/// The servers and what they started.
async fn pids(upstreams: &Upstreams, servers: &[&str]) -> Vec<u64> {
    let mut pids = Vec::new();
    for server in servers {
        let found = plain(upstreams, server, "pid").await.unwrap().structured.unwrap();
        pids.extend(found.as_array().unwrap().iter().filter_map(Value::as_u64));
    }
    pids
}

fn is_gone(pid: u64) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}
