//! Servers that misbehave, as a program sees them.
//!
//! `hostile.py` is the server, the programs are in `hostile/`. Each also calls a server that is
//! well, in the same breath: whatever one does, the other answers. Afterwards no process of
//! either is left.

use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::listed::{self, program};
use crate::tide::{DEVELOPMENT, PRODUCTION, Started, Tide};

#[test]
fn a_server_that_crashes_in_a_call_is_told_at_once_and_started_again() {
    ends_as_expected("crash", &Hostile { how: "crash", ..USUAL });
}

#[test]
fn a_server_that_never_answers_costs_its_timeout_and_nothing_else() {
    ends_as_expected("silent", &Hostile { how: "silent", call_seconds: Some(1), ..USUAL });
}

#[test]
fn fifty_megabytes_arrive_where_they_are_allowed() {
    ends_as_expected("flood", &Hostile { how: "flood", ..USUAL });
}

#[test]
fn fifty_megabytes_are_refused_where_they_are_not_allowed() {
    ends_as_expected("flood-refused", &Hostile { how: "flood", level: PRODUCTION, ..USUAL });
}

#[test]
fn a_server_that_sends_garbage_between_its_answers_is_understood() {
    ends_as_expected("garbage", &Hostile { how: "garbage", ..USUAL });
}

#[test]
fn integers_beyond_64_bits_are_exact_and_an_answer_that_is_not_json_is_told_as_that() {
    ends_as_expected("numbers", &Hostile { how: "numbers", ..USUAL });
}

#[test]
fn a_server_that_changes_its_tools_is_asked_again() {
    ends_as_expected("changing", &Hostile { how: "changing", ..USUAL });
}

#[test]
fn a_server_that_cannot_start_is_said_to_be_there_and_why_it_cannot_be_used() {
    let tide = Tide::new();
    let broken = Started {
        command: "python3".to_owned(),
        args: vec![
            "-c".to_owned(),
            "import sys; sys.exit('the licence ' + 'has run out')".to_owned(),
        ],
        ..Started::new("broken-one")
    };
    let servers = [broken];
    for program in [
        "from servers.broken_one import x",
        "import servers.broken_one",
        "import broken_one",
        "import servers\nservers.broken_one.x",
        "await call_mcp_tool('broken-one', 'x', {})",
        "from servers.broken_one import x\nundefined_name(x)",
    ] {
        let (ok, said) = tide.said(&servers, "", &["run", "-c", program]).unwrap();
        assert!(!ok, "{said}");
        assert_eq!(said.matches("the licence has run out").count(), 1, "{program}: {said}");
        if program.contains("undefined") {
            continue;
        }
        for part in ["could not be", "the program ended", "`tidegate test broken-one` shows more"] {
            assert!(said.contains(part), "no {part:?} for {program:?}: {said}");
        }
        if !program.contains("call_mcp_tool") {
            assert!(said.contains("the server 'broken-one' is configured"), "{program}: {said}");
        }
    }
}

/// What a program has to do with.
struct Hostile {
    how: &'static str,
    level: &'static str,
    call_seconds: Option<u64>,
}

const USUAL: Hostile = Hostile { how: "steady", level: DEVELOPMENT, call_seconds: None };

/// Runs a program that may call a server called like its misbehaviour, and `steady`.
fn ends_as_expected(name: &str, hostile: &Hostile) {
    let tide = Tide::new();
    let pids = tide.work().join("pids");
    let server = |how: &str| Started {
        command: "python3".to_owned(),
        args: vec![listed::folder().join("hostile.py").display().to_string(), how.to_owned()],
        env: [("PIDS".to_owned(), pids.display().to_string())].into(),
        ..Started::new(how)
    };
    let misbehaving = Started { call_seconds: hostile.call_seconds, ..server(hostile.how) };
    let (source, expected) = program(&format!("hostile/{name}"));
    let outcome = tide.outcome(&[misbehaving, server("steady")], hostile.level, &[], &source);
    let outcome = outcome.unwrap_or_else(|reason| panic!("{reason}"));
    assert_eq!(outcome["return_value"], expected, "{outcome:#}");
    all_end(&pids);
}

/// Waits until every process that wrote itself into the file has ended.
fn all_end(pids: &Path) {
    let pids = std::fs::read_to_string(pids).unwrap();
    assert!(pids.lines().count() >= 2, "the servers were not started: {pids:?}");
    for pid in pids.lines() {
        let ended = ends(Pid::from_raw(pid.parse().unwrap()).unwrap());
        assert!(ended, "process {pid} of a server is still there");
    }
}

fn ends(pid: Pid) -> bool {
    let process = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => process,
        Err(error) => return error == Errno::SRCH,
    };
    let longest = Timespec { tv_sec: 60, tv_nsec: 0 };
    poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&longest)).unwrap() == 1
}
