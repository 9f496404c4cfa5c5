//! Ten thousand programs in one process. Alone in its own, so that nothing else takes memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use engine::{Engine, Guest, Input, Program, Start, Step};
use engine_wasm::Options;

/// What allocators and threads may come to hold besides: less than half a kilobyte of each program.
const SLACK_KB: u64 = 4_000;
/// How often what grew may be what they came to hold.
const ROUNDS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_programs_leave_no_more_memory_behind_than_five_hundred() {
    let engine: Arc<dyn Engine> = support::new_engine(Options::default());
    // The memory of a few guests that are gone is kept for later ones. With many alive at once in
    // the beginning, as much of it is there after 500 as ever will be.
    let mut crowd = Vec::new();
    for _ in 1..40 {
        crowd.push(run(&engine).await);
    }
    crowd.clear();
    for _ in 40..500 {
        run(&engine).await;
    }
    let mut before = resident_kb_at_rest().await;
    // On a busy machine more threads come to work at once, and each has memory that it keeps. They come
    // once; what leaks goes on leaking.
    for _ in 0..ROUNDS {
        for _ in 500..10_000 {
            run(&engine).await;
        }
        let after = resident_kb_at_rest().await;
        println!("{before} KB, and 9,500 programs later {after} KB");
        if after <= before * 11 / 10 + SLACK_KB {
            return;
        }
        before = after;
    }
    panic!("it grows with every program:\n{}", memory());
}

/// Runs a program in a guest of its own.
async fn run(engine: &Arc<dyn Engine>) -> Box<dyn Guest> {
    let mut guest = engine.start(Start::default(), None).await.unwrap();
    let step = guest.step(Input::Run(Program::new("sum(range(100))"))).await.unwrap();
    let Step::Done(outcome) = step else { panic!("it waits") };
    assert_eq!(outcome.return_value.get(), "4950");
    guest
}

/// The memory when nothing is left to do. Guests that are gone are cleared away a moment later, and what
/// still waits for that is not kept.
async fn resident_kb_at_rest() -> u64 {
    let mut last = resident_kb();
    let mut unchanged = 0;
    while unchanged < 10 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = resident_kb();
        unchanged = if now.abs_diff(last) < 1024 { unchanged + 1 } else { 0 };
        last = now;
    }
    last
}

/// Memory that is this process's own. Pages of an image file belong to the system, which counts them once for each
/// guest that has looked at them.
fn resident_kb() -> u64 {
    let memory = memory();
    let line = memory.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn memory() -> String {
    std::fs::read_to_string("/proc/self/status").unwrap()
}
