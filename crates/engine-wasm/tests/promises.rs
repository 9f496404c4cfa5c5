//! Promises that need more than a program in a file to be seen kept.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use engine::{
    CallResult, Engine, FileTask, Folder, Guest, Host, HostCall, Image, ImageError, Input,
    LimitKind, Limits, NoCalls, Outcome, Program, Session, Start, StartError, Step, StepError,
    Stream, Waiting,
};
use engine_wasm::Options;

fn start() -> Start {
    Start::default()
}

async fn fresh() -> Box<dyn Guest> {
    support::engine().start(start(), None).await.unwrap()
}

async fn done(guest: &mut Box<dyn Guest>, source: &str) -> Outcome {
    match guest.step(Input::Run(Program::new(source))).await.unwrap() {
        Step::Done(outcome) => *outcome,
        Step::Waiting(waiting) => panic!("it waits: {waiting:?}"),
    }
}

async fn value(guest: &mut Box<dyn Guest>, source: &str) -> String {
    let outcome = done(guest, source).await;
    assert!(outcome.success, "{outcome:#?}");
    outcome.return_value.get().to_owned()
}

async fn rests(guest: &mut Box<dyn Guest>, source: &str) -> Waiting {
    match guest.step(Input::Run(Program::new(source))).await.unwrap() {
        Step::Waiting(waiting) => waiting,
        Step::Done(outcome) => panic!("it ended: {outcome:#?}"),
    }
}

#[tokio::test]
async fn an_altered_or_truncated_image_is_refused() {
    let mut guest = fresh().await;
    done(&mut guest, "x = 1").await;
    let bytes = guest.freeze().await.unwrap().as_bytes().to_vec();
    let mut altered = bytes.clone();
    let middle = altered.len() / 2;
    altered[middle] ^= 1;
    assert!(matches!(Image::decode(altered), Err(ImageError::Altered)));
    assert!(Image::decode(bytes[..bytes.len() - 1].to_vec()).is_err());
}

#[tokio::test]
async fn an_image_is_refused_by_any_base_but_its_own() {
    let mut guest = fresh().await;
    done(&mut guest, "x = 1").await;
    let image = guest.freeze().await.unwrap();
    let mut header = image.header().clone();
    header.base = engine::Digest::of(b"some other base");
    let body = image.body(1 << 30).unwrap();
    let stranger = Image::new(header, body);
    let refused = support::engine().thaw(&stranger, start()).await;
    assert!(matches!(refused, Err(StartError::UnknownBase { .. })), "{:?}", refused.err());
}

#[tokio::test]
async fn a_body_with_pages_beyond_its_memory_is_refused() {
    let mut guest = fresh().await;
    done(&mut guest, "x = 1").await;
    let image = guest.freeze().await.unwrap();
    let mut body = image.body(1 << 30).unwrap();
    // The last bytes are pages; the numbers stand before them. Cut one page off.
    body.truncate(body.len() - 4096);
    let broken = Image::new(image.header().clone(), body);
    let refused = support::engine().thaw(&broken, start()).await;
    assert!(matches!(refused, Err(StartError::Image(ImageError::Malformed(_)))));
}

#[tokio::test]
async fn forks_go_their_own_ways() {
    let mut session = support::session(start());
    session
        .run(Program::new("x = [1]\nopen('f', 'w').write('a')"), Arc::new(NoCalls))
        .await
        .unwrap();
    let mut fork = session.fork().await.unwrap();
    let grow = "x.append(2)\nopen('f', 'a').write('b')\n(x, open('f').read())";
    let one = fork.run(Program::new(grow), Arc::new(NoCalls)).await.unwrap();
    assert_eq!(one.return_value.get(), r#"[[1,2],"ab"]"#);
    let other =
        session.run(Program::new("(x, open('f').read())"), Arc::new(NoCalls)).await.unwrap();
    assert_eq!(other.return_value.get(), r#"[[1],"a"]"#);
}

#[tokio::test]
async fn a_long_sleep_rests_and_says_when_to_wake() {
    let mut guest = fresh().await;
    let waiting = rests(&mut guest, "import asyncio\nawait asyncio.sleep(3600)\n'slept'").await;
    assert!(waiting.calls.is_empty());
    let left = waiting.wake_at.unwrap().duration_since(SystemTime::now()).unwrap();
    assert!(left > Duration::from_secs(3500) && left <= Duration::from_secs(3600), "{left:?}");
    // Woken too early it rests again.
    assert!(matches!(guest.step(Input::Results(vec![])).await.unwrap(), Step::Waiting(_)));
}

#[tokio::test]
async fn wall_time_stands_still_while_a_run_rests() {
    let limits = Limits { wall: Duration::from_millis(400), ..Limits::default() };
    let mut guest = support::engine().start(Start { limits, ..start() }, None).await.unwrap();
    rests(&mut guest, "import asyncio\nawait asyncio.sleep(0.9)\n'slept'").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let Step::Done(outcome) = guest.step(Input::Results(vec![])).await.unwrap() else {
        panic!("it rests")
    };
    assert_eq!(outcome.return_value.get(), r#""slept""#);
}

#[tokio::test]
async fn resting_has_its_own_limit() {
    let limits = Limits { rest: Duration::from_millis(50), ..Limits::default() };
    let mut guest = support::engine().start(Start { limits, ..start() }, None).await.unwrap();
    rests(&mut guest, "from tidegate import call\nawait call('never')").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let stopped = guest.step(Input::Results(vec![])).await.unwrap_err();
    assert!(matches!(stopped, StepError::LimitExceeded { kind: LimitKind::Rest, .. }), "{stopped}");
}

#[tokio::test]
async fn the_monotonic_clock_never_goes_back_over_a_freeze() {
    let mut guest = fresh().await;
    let before: f64 = value(&mut guest, "import time\ntime.monotonic()").await.parse().unwrap();
    let image = guest.freeze().await.unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    let mut thawed = support::engine().thaw(&image, start()).await.unwrap();
    let after: f64 = value(&mut thawed, "time.monotonic()").await.parse().unwrap();
    assert!(after >= before + 0.03, "{before} {after}");
}

#[tokio::test]
async fn chance_differs_between_sessions_and_repeats_with_a_seed() {
    let draw = "import random, numpy, uuid, os\n[random.random(), float(numpy.random.rand()), str(uuid.uuid4()), os.urandom(4).hex()]";
    let seeded = || async {
        let start = Start { seed: Some(7), ..start() };
        let mut guest = support::engine().start(start, None).await.unwrap();
        value(&mut guest, draw).await
    };
    assert_eq!(seeded().await, seeded().await);
    let (one, other) =
        (value(&mut fresh().await, draw).await, value(&mut fresh().await, draw).await);
    let parts = |text: &str| serde_json::from_str::<Vec<serde_json::Value>>(text).unwrap();
    for (one, other) in parts(&one).iter().zip(parts(&other)) {
        assert_ne!(*one, other);
    }
}

#[tokio::test]
async fn a_dropped_step_stops_the_guest() {
    let engine = support::new_engine(Options::default());
    for source in
        ["10**10**8", "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", "while True: pass"]
    {
        let mut guest = engine.start(start(), None).await.unwrap();
        let step = guest.step(Input::Run(Program::new(source)));
        assert!(tokio::time::timeout(Duration::from_millis(200), step).await.is_err(), "{source}");
        // Bounded only so that a failure ends; how quick it is, the benchmark says.
        for _ in 0..500 {
            if engine.running() == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(engine.running(), 0, "{source} still runs");
        let refused = guest.step(Input::Run(Program::new("1"))).await.unwrap_err();
        assert!(matches!(refused, StepError::Misused { .. }), "{refused}");
    }
}

#[tokio::test]
async fn a_cancelled_run_leaves_its_session_as_it_was() {
    let mut session = support::session(start());
    session.run(Program::new("x = 1\nopen('f', 'w').write('a')"), Arc::new(NoCalls)).await.unwrap();
    let wild = "x = 2\nopen('f', 'w').write('b')\nwhile True: pass";
    let run = session.run(Program::new(wild), Arc::new(NoCalls));
    assert!(tokio::time::timeout(Duration::from_millis(200), run).await.is_err());
    let after =
        session.run(Program::new("(x, open('f').read())"), Arc::new(NoCalls)).await.unwrap();
    assert_eq!(after.return_value.get(), r#"[1,"a"]"#);
}

#[tokio::test]
async fn whatever_nobody_waits_for_between_two_programs_leaves_the_session_as_it_was() {
    let mut session = support::session(start());
    // Large enough that freezing it takes longer than anybody looks for its end without sleeping.
    let large = "import numpy as np\nx = np.arange(3_000_000.0)\nopen('f', 'w').write('a')";
    session.run(Program::new(large), Arc::new(NoCalls)).await.unwrap();
    let soon = Duration::ZERO;
    let dropped = tokio::time::timeout(soon, session.freeze()).await;
    assert!(dropped.is_err(), "it was frozen too quickly for this test");
    let next = session.run(Program::new("x = None"), Arc::new(NoCalls));
    assert!(tokio::time::timeout(soon, next).await.is_err());
    assert!(tokio::time::timeout(soon, session.fork()).await.is_err());
    let _ = tokio::time::timeout(soon, session.lighten()).await;
    let write = FileTask::Write("g".to_owned(), b"b".to_vec());
    let _ = tokio::time::timeout(soon, session.files(write)).await;
    let look = "(float(x[-1]), open('f').read())";
    let after = session.run(Program::new(look), Arc::new(NoCalls)).await.unwrap();
    assert_eq!(after.return_value.get(), r#"[2999999.0,"a"]"#);
    assert!(session.freeze().await.unwrap().is_some());
}

#[tokio::test]
async fn a_session_whose_guest_was_stopped_goes_on_from_what_it_was_and_says_so() {
    let engine = support::engine();
    let mut session = support::session(start());
    session.run(Program::new("x = 1"), Arc::new(NoCalls)).await.unwrap();
    let image = session.freeze().await.unwrap().unwrap();
    let mut session = Session::from_image(Arc::clone(&engine), start(), image);
    let mut guest = session.lend(&Program::new("1")).await.unwrap();
    let endless = guest.step(Input::Run(Program::new("while True: pass")));
    assert!(tokio::time::timeout(Duration::from_millis(50), endless).await.is_err());
    // Whoever gives back what was stopped.
    session.take_back(guest);
    let said = session.freeze().await.unwrap_err().to_string();
    assert!(said.contains("what it held is lost"), "{said}");
    assert!(!session.is_alive());
    assert!(session.freeze().await.is_ok());
}

#[tokio::test]
async fn a_program_that_leaves_no_memory_takes_none_from_the_next() {
    let limits = Limits { memory_bytes: 24 << 20, ..Limits::default() };
    let mut session = Session::new(support::engine(), Start { limits, ..start() });
    session.run(Program::new("kept = 7"), Arc::new(NoCalls)).await.unwrap();
    // Caught or not, what it holds on to stays.
    let hoard = "hoard = []\ntry:\n    while True:\n        hoard.append(bytes(512))\nexcept MemoryError:\n    pass\nlen(hoard)";
    session.run(Program::new(hoard), Arc::new(NoCalls)).await.unwrap();
    let next = session.run(Program::new("kept * 6"), Arc::new(NoCalls)).await.unwrap();
    assert_eq!(next.return_value.get(), "42", "{next:#?}");
}

#[tokio::test]
async fn output_streams_while_the_program_runs_and_in_order() {
    #[derive(Default)]
    struct Ears(std::sync::Mutex<Vec<(Stream, String)>>);
    impl Host for Ears {
        fn wrote(&self, stream: Stream, bytes: &[u8]) {
            self.0.lock().unwrap().push((stream, String::from_utf8_lossy(bytes).into_owned()));
        }
    }
    let ears = Arc::new(Ears::default());
    let mut guest =
        support::engine().start(Start { host: ears.clone(), ..start() }, None).await.unwrap();
    let source = "import sys\nfrom tidegate import call\nprint('a', end='')\nprint('b', file=sys.stderr)\nprint('c')\nawait call('never')";
    rests(&mut guest, source).await;
    let mut heard: Vec<(Stream, String)> = Vec::new();
    for (stream, text) in ears.0.lock().unwrap().drain(..) {
        match heard.last_mut() {
            Some((last, all)) if *last == stream => all.push_str(&text),
            _ => heard.push((stream, text)),
        }
    }
    let heard: Vec<_> = heard.iter().map(|(stream, text)| format!("{stream:?} {text:?}")).collect();
    assert_eq!(heard, [r#"Stdout "a""#, r#"Stderr "b\n""#, r#"Stdout "c\n""#]);
}

#[tokio::test]
async fn quick_calls_are_answered_without_leaving_the_step() {
    #[derive(Default)]
    struct Counting(AtomicUsize);
    impl Host for Counting {
        fn answer(&self, call: &HostCall) -> Option<CallResult> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Some(CallResult::ok(call.id, call.arguments.clone()))
        }
    }
    let host = Arc::new(Counting::default());
    let mut guest =
        support::engine().start(Start { host: host.clone(), ..start() }, None).await.unwrap();
    let source = "import asyncio\nfrom tidegate import call\nfor i in range(100): await call('t', i=i)\nlen(await asyncio.gather(*(call('t', i=i) for i in range(50))))";
    assert_eq!(value(&mut guest, source).await, "50");
    assert_eq!(host.0.load(Ordering::Relaxed), 150);
}

#[tokio::test]
async fn a_call_pending_in_an_image_is_neither_lost_nor_made_again() {
    // The host answers reads at once. A write leaves the step, so that an image is made first.
    #[derive(Default)]
    struct ReadsOnly(AtomicUsize);
    impl Host for ReadsOnly {
        fn answer(&self, call: &HostCall) -> Option<CallResult> {
            self.0.fetch_add(1, Ordering::Relaxed);
            (call.name == "read").then(|| CallResult::ok(call.id, call.arguments.clone()))
        }
    }
    let host = Arc::new(ReadsOnly::default());
    let with_host = || Start { host: host.clone(), ..start() };
    let mut guest = support::engine().start(with_host(), None).await.unwrap();
    let source = "from tidegate import call\nawait call('read')\nawait call('write')\n'written'";
    let waiting = rests(&mut guest, source).await;
    let [write] = &waiting.calls[..] else { panic!("{waiting:?}") };
    let image = guest.freeze().await.unwrap();
    drop(guest);

    // The process was killed here, twice: nothing before the write runs again.
    for _ in 0..2 {
        let mut again = support::engine().thaw(&image, with_host()).await.unwrap();
        let null = serde_json::value::RawValue::from_string("null".to_owned()).unwrap();
        let result = CallResult::ok(write.id, null);
        let Step::Done(outcome) = again.step(Input::Results(vec![result])).await.unwrap() else {
            panic!("it waits")
        };
        assert_eq!(outcome.return_value.get(), r#""written""#);
    }
    assert_eq!(host.0.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn standby_guests_run_programs_like_any_other_and_are_used_once() {
    let engine = support::new_engine(Options { standby: 2, ..Options::default() });
    while engine.standing_by() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for _ in 0..6 {
        let mut guest = engine.start(start(), None).await.unwrap();
        assert_eq!(
            value(
                &mut guest,
                "'x' in globals(), __import__('sys').modules['__main__'].__dict__.get('x')"
            )
            .await,
            "[false,null]"
        );
        done(&mut guest, "x = 'left behind'").await;
    }
}

#[tokio::test]
async fn exceptions_of_compiled_code_do_not_pile_up() {
    // Each failing call throws a C++ exception, which lives on wasmtime's own heap.
    let limits = Limits { memory_bytes: 32 << 20, ..Limits::default() };
    let mut guest = support::engine().start(Start { limits, ..start() }, None).await.unwrap();
    let source = "
import kiwisolver
solver, x = kiwisolver.Solver(), kiwisolver.Variable('x')
constraint = x >= 1
n = 0
for _ in range(100_000):
    try:
        solver.removeConstraint(constraint)
    except kiwisolver.UnknownConstraint:
        n += 1
n";
    assert_eq!(value(&mut guest, source).await, "100000");
    assert!(guest.usage().memory_bytes < 16 << 20, "{:?}", guest.usage());
}

#[tokio::test]
async fn a_frozen_guest_is_as_small_as_what_it_holds() {
    let mut guest = fresh().await;
    done(&mut guest, "import os\nx = [os.urandom(1 << 16) for _ in range(1500)]\ndel x").await;
    let image = guest.freeze().await.unwrap();
    assert!(image.as_bytes().len() < 4 << 20, "{} bytes", image.as_bytes().len());
}

#[tokio::test]
async fn a_program_that_imports_a_heavier_library_starts_where_it_is_loaded() {
    let mut session = Session::new(support::engine(), start());
    let source = "import sys\nbefore = 'sklearn' in sys.modules\nimport sklearn\nbefore";
    let outcome = session.run(Program::new(source), Arc::new(NoCalls)).await.unwrap();
    assert_eq!(outcome.return_value.get(), "true");
}

/// One server with this many tools of 64 KiB each.
fn large_server(tools: usize) -> Folder {
    let names = (0..tools).map(|number| format!("\"tool_{number}\": \"tool_{number}\","));
    let package = format!(
        "from servers import lazy\n__getattr__, __dir__, __all__ = lazy(__name__, {{{}}})\n",
        names.collect::<String>()
    );
    let mut files = BTreeMap::from([("large/__init__.py".to_owned(), package.into_bytes().into())]);
    for number in 0..tools {
        let text = format!("words = '{}'\ntool_{number} = len(words)\n", "w".repeat(64 << 10));
        files.insert(format!("large/tool_{number}.py"), text.into_bytes().into());
    }
    Folder::new(files)
}

#[tokio::test]
async fn of_the_servers_files_a_guest_holds_only_what_its_program_imports() {
    let mut held = Vec::new();
    for tools in [1, 2000] {
        let start = Start { servers: Some(Arc::new(large_server(tools))), ..start() };
        let mut guest = support::engine().start(start, None).await.unwrap();
        let outcome = done(&mut guest, "from servers.large import tool_0\ntool_0").await;
        assert_eq!(outcome.return_value.get(), "65536", "{outcome:#?}");
        held.push(outcome.usage.memory_bytes);
    }
    // The names of 2,000 tools are known to the package; their 125 MiB stay with the host.
    assert!(held[1] < held[0] + (4 << 20), "{held:?} bytes with 1 tool and with 2,000");
}
