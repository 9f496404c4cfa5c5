//! What holds for any value, any order of answers, and any program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;

use std::sync::Arc;

use engine::{CallResult, Engine, Guest, HostCall, Image, Input, Program, Start, Step};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn any_json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no NaN", |f| f.is_finite()).prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map(any::<String>(), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn any_json_value_survives_in_and_out() {
    let mut guest = block_on(support::engine().start(Start::default(), None)).unwrap();
    let guest = std::cell::RefCell::new(&mut guest);
    runner(300)
        .run(&any_json(), |value| {
            let program = Program::new("x").with("x", value.clone());
            let step = block_on(guest.borrow_mut().step(Input::Run(program))).unwrap();
            let Step::Done(outcome) = step else { panic!("it waits") };
            // A trailing None is no value, and no value is null.
            let back: Value = serde_json::from_str(outcome.return_value.get()).unwrap();
            prop_assert_eq!(back, value);
            Ok(())
        })
        .unwrap();
}

const GATHERING: &str = r#"
import asyncio
from tidegate import call

log = []

async def one(n):
    first = await call("later", n=n)
    second = await call("later", n=first["n"] * 10)
    return first["n"] + second["n"]

async def quick(n):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(n * 100 + i)) for i in range(2)]
    return sum(task.result() for task in tasks)

totals = await asyncio.gather(*(one(n) for n in range(4)), quick(7))
{"totals": totals}
"#;

/// Answers calls in an order and in batches that `choices` decide.
async fn run_in_order(source: &str, mut choices: Vec<usize>, freezing: bool) -> (Value, String) {
    let engine = support::engine();
    let mut guest = engine.start(Start { seed: Some(1), ..Start::default() }, None).await.unwrap();
    let mut pending: Vec<HostCall> = Vec::new();
    let mut input = Input::Run(Program::new(source));
    loop {
        match guest.step(input).await.unwrap() {
            Step::Done(outcome) => {
                assert!(outcome.error.is_none(), "{:?}\n{source}", outcome.error);
                let value = serde_json::from_str(outcome.return_value.get()).unwrap();
                return (value, outcome.stdout);
            }
            Step::Waiting(waiting) => {
                pending.extend(waiting.calls);
                assert_eq!(waiting.outstanding, pending.len());
                let batch = 1 + choices.pop().unwrap_or(0) % pending.len().max(1);
                let mut results = Vec::new();
                for _ in 0..batch.min(pending.len()) {
                    let at = choices.pop().unwrap_or(0) % pending.len();
                    let call = pending.swap_remove(at);
                    results.push(CallResult::ok(call.id, call.arguments));
                }
                input = Input::Results(results);
                if freezing {
                    guest = moved(&engine, guest).await;
                }
            }
        }
    }
}

/// The same guest, by way of bytes.
async fn moved(engine: &Arc<dyn Engine>, mut guest: Box<dyn Guest>) -> Box<dyn Guest> {
    let bytes = guest.freeze().await.unwrap().as_bytes().to_vec();
    drop(guest);
    engine.thaw(&Image::decode(bytes).unwrap(), Start::default()).await.unwrap()
}

#[test]
fn any_interleaving_of_results_gives_the_same_outcome() {
    let expected = json!({"totals": [0, 11, 22, 33, 15_411]});
    runner(40)
        .run(&prop::collection::vec(any::<usize>(), 0..60), |choices| {
            let (value, _) = block_on(run_in_order(GATHERING, choices, false));
            prop_assert_eq!(&value, &expected);
            Ok(())
        })
        .unwrap();
}

/// One statement of a random program; `v` is its running value.
fn any_statement() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..100i32).prop_map(|n| format!("v = v * 3 + {n}")),
        (0..100i32).prop_map(|n| format!("v = (await call('later', n=v % 1000 + {n}))['n']")),
        (1..4i32).prop_map(|n| format!(
            "v += sum(r['i'] for r in await asyncio.gather(*(call('later', i=i) for i in range({n}))))"
        )),
        (1..5i32).prop_map(|n| format!("for i in range({n}):\n    v += (await call('later', i=i))['i']")),
        Just("print('at', v)".to_owned()),
        Just("kept.append(v); v += len(kept)".to_owned()),
        Just("v += next(numbers)".to_owned()),
        Just("frame.loc[len(frame)] = [v]; v += int(frame['v'].sum()) % 97".to_owned()),
        Just("async with lock:\n    v = (await call('later', n=v))['n'] + 1".to_owned()),
        Just("f.write(str(v)); f.flush(); v += f.tell()".to_owned()),
        Just("v += random.randrange(1000)".to_owned()),
        Just("try:\n    v += (await asyncio.wait_for(agen.__anext__(), 60))\nexcept StopAsyncIteration:\n    v -= 1".to_owned()),
        Just("db.execute('insert into t values (?)', (v % 1000,)); v += db.execute('select sum(n) from t').fetchone()[0]".to_owned()),
    ]
}

const PROLOGUE: &str = r#"
import asyncio, random, sqlite3
import pandas as pd
from tidegate import call
v = 1
kept = []
numbers = (n * n for n in range(10**9))
frame = pd.DataFrame({"v": [1]})
lock = asyncio.Lock()
f = open("/workspace/log", "w")
db = sqlite3.connect("/workspace/db")
db.execute("create table t (n)")
async def generate():
    for n in range(5):
        yield (await call("later", n=n))["n"]
agen = generate()
"#;

#[test]
fn freezing_and_thawing_at_every_await_changes_nothing() {
    runner(25)
        .run(&prop::collection::vec(any_statement(), 1..12), |statements| {
            let source = format!("{PROLOGUE}\n{}\n{{'v': v, 'kept': kept}}", statements.join("\n"));
            let straight = block_on(run_in_order(&source, vec![], false));
            let frozen = block_on(run_in_order(&source, vec![], true));
            prop_assert_eq!(straight, frozen, "{}", source);
            Ok(())
        })
        .unwrap();
}
