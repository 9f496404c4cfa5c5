//! Programs that call real servers: public ones from npm and PyPI, of every protocol revision,
//! started over stdio; and some that misbehave.
//!
//! `servers/list.toml` says how each server is started and which revision it speaks; the program
//! beside it with the same name calls its tools and begins with the value it must end with:
//!
//! ```python
//! # expect: {"zone": "UTC"}
//! ```
//!
//! `scripts/test-servers` installs the servers first, into `TIDEGATE_TEST_SERVERS`, else
//! `~/.cache/tidegate-ci/servers`. No server needs the network once it is there. `TIDEGATE_SERVER`
//! picks the servers whose names contain it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "servers/hostile.rs"]
mod hostile;
#[path = "servers/learned.rs"]
mod learned;
#[path = "servers/listed.rs"]
mod listed;
#[path = "servers/page.rs"]
mod page;
#[path = "servers/pinned.rs"]
mod pinned;
#[path = "servers/renewed.rs"]
mod renewed;
#[path = "servers/tide.rs"]
mod tide;
#[path = "servers/unnamed.rs"]
mod unnamed;

use std::sync::Mutex;

use serde_json::json;

use crate::listed::{Listed, NEWEST};
use crate::page::Page;
use crate::tide::{DEVELOPMENT, Tide};

#[test]
fn every_server_gives_a_program_what_it_asks_for() {
    let page = Page::open();
    for_each_server(|listed, tide| {
        let (program, expected) = listed::program(&listed.name);
        let context = json!({ "work": tide.work(), "page": page.address() });
        let servers = [listed.started_by(tide)];
        let outcome =
            tide.outcome(&servers, DEVELOPMENT, &["--context", &context.to_string()], &program)?;
        if outcome["success"] != true {
            return Err(format!("{:#}\nstderr: {}", outcome["error"], outcome["stderr"]));
        }
        let got = &outcome["return_value"];
        if *got == expected { Ok(()) } else { Err(format!("expected {expected}\n     got {got}")) }
    });
}

#[test]
fn every_server_is_spoken_to_in_the_newest_revision_it_knows() {
    for_each_server(|listed, tide| {
        let tested = tide.tested(&listed.started_by(tide))?;
        if tested["protocol"] != listed.revision.as_str() {
            return Err(format!("expected {}, got {tested:#}", listed.revision));
        }
        Ok(())
    });
}

#[test]
fn the_list_has_both_eras_of_the_protocol() {
    let all = Listed::all();
    let newest = all.iter().filter(|listed| listed.revision == NEWEST).count();
    assert!(newest >= 4, "only {newest} servers know {NEWEST}");
    assert!(all.len() - newest >= 8, "only {} servers begin with initialize", all.len() - newest);
    assert!(
        all.iter().any(|listed| listed.revision == "2024-11-05"),
        "none is of the first revision"
    );
}

/// Runs `check` for every server, a few at a time, and fails with everything that went wrong.
fn for_each_server(check: impl Fn(&Listed, &Tide) -> Result<(), String> + Sync) {
    listed::install();
    let chosen = std::env::var("TIDEGATE_SERVER").unwrap_or_default();
    let all: Vec<Listed> =
        Listed::all().into_iter().filter(|listed| listed.name.contains(&chosen)).collect();
    assert!(!all.is_empty(), "no server's name contains {chosen:?}");
    let waiting = Mutex::new(all.iter());
    let failures = Mutex::new(Vec::new());
    let at_once = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().next();
                    let Some(listed) = next else { break };
                    let tide = Tide::new();
                    if let Err(reason) = listed.prepare(&tide).and_then(|()| check(listed, &tide)) {
                        failures.lock().unwrap().push(format!("== {}\n{reason}", listed.name));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    let (wrong, of) = (failures.len(), all.len());
    assert!(failures.is_empty(), "{wrong} of {of} servers failed\n{}", failures.join("\n"));
}
