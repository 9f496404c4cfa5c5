//! Sessions over a restart: their order, what a run starts from, and what is still computing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::{Gateway, answer_of};

const KEPT: [&str; 4] = ["--durable", "true", "--freeze-after", "0.1s"];

/// A session in which a program has left `v`.
fn session(gateway: &Gateway, code: &str) -> Value {
    gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap()["session"].clone()
}

#[test]
fn runs_of_one_session_keep_their_order_over_a_restart() {
    for is_killed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
        gateway.start();
        let session = session(&gateway, "v = 8");
        let codes = [
            "import asyncio\nv += 1\nawait asyncio.sleep(2)\nv += 100\nreturn v",
            "v += 1\nreturn v",
            "v += 1\nreturn v",
        ];
        let begin =
            |code: &&str| gateway.begin(&json!({ "code": code, "session": session })).unwrap();
        let ids: Vec<String> = codes.iter().map(begin).collect();
        std::thread::sleep(Duration::from_millis(700));
        if is_killed {
            gateway.kill();
        } else {
            gateway.stop();
        }
        gateway.start();
        let values: Vec<Value> =
            ids.iter().map(|id| gateway.over(id, PATIENCE)["return_value"].clone()).collect();
        assert_eq!(values, [json!(109), json!(110), json!(111)], "killed: {is_killed}");
        let after = json!({ "code": "v", "session": session });
        assert_eq!(gateway.ask("POST", "/execute", Some(&after)).unwrap()["return_value"], 111);
    }
}

/// What a program appends to the log that two sessions share, and to its own list.
fn writes(session: &Value, language: &str, word: &str) -> Value {
    let code = if language == "python" {
        format!("open('/workspace/log', 'a').write('{word} ')\nv.append('{word}')\nv")
    } else {
        format!(
            "writeFile('/workspace/log', readFile('/workspace/log') + '{word} ');\nv.push('{word}');\nv"
        )
    };
    json!({ "code": code, "session": session, "language": language })
}

#[test]
fn what_stands_behind_a_run_that_rests_never_overtakes_it_however_often_the_gateway_starts() {
    const BEHIND: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let first = session(&gateway, "v = []\nopen('/workspace/log', 'w').close()");
    let beside =
        json!({ "code": "let v: string[] = [];", "language": "typescript", "workspace_of": first });
    let beside = gateway.ask("POST", "/execute", Some(&beside)).unwrap()["session"].clone();
    let code = "import asyncio\nopen('/workspace/log', 'a').write('begun ')\nv.append('begun')\nawait asyncio.sleep(12)\nopen('/workspace/log', 'a').write('ended ')\nv.append('ended')";
    let rests = gateway.begin(&json!({ "code": code, "session": first })).unwrap();
    gateway.settles(&rests, 0);
    let sessions = [(&first, "python"), (&beside, "typescript")];
    let words: Vec<String> = (0..BEHIND).map(|at| format!("q{at}")).collect();
    let begin = |(at, word): (usize, &String)| {
        let (session, language) = sessions[at % 2];
        gateway.begin(&writes(session, language, word)).unwrap()
    };
    let behind: Vec<String> = words.iter().enumerate().map(begin).collect();
    for is_killed in [true, false, false] {
        if is_killed {
            gateway.kill();
        } else {
            gateway.stop();
        }
        gateway.start();
        // Nobody waits for an order: whoever overtook it has ended by now.
        std::thread::sleep(Duration::from_millis(500));
        if gateway.run(&rests).unwrap()["status"] == "waiting" {
            for id in &behind {
                let run = gateway.run(id).unwrap();
                assert_eq!(run["status"], "queued", "killed: {is_killed}: {run:#}");
            }
        }
    }
    assert_eq!(gateway.over(&rests, PATIENCE)["status"], "succeeded");
    for id in &behind {
        let run = gateway.over(id, PATIENCE);
        assert_eq!(run["status"], "succeeded", "{run:#}");
    }
    let has = |session: &Value, code: &str, language: &str| {
        let asked = json!({ "code": code, "session": session, "language": language });
        gateway.ask("POST", "/execute", Some(&asked)).unwrap()["return_value"].clone()
    };
    let every_second = |from: usize| words.iter().skip(from).step_by(2).cloned();
    let own: Vec<String> =
        ["begun", "ended"].map(str::to_owned).into_iter().chain(every_second(0)).collect();
    assert_eq!(has(&first, "v", "python"), json!(own));
    assert_eq!(has(&beside, "v", "typescript"), json!(every_second(1).collect::<Vec<_>>()));
    let log = format!("begun ended {} ", words.join(" "));
    assert_eq!(has(&first, "open('/workspace/log').read()", "python"), json!(log));
}

#[test]
fn whoever_waits_behind_a_run_that_rests_is_refused_when_the_gateway_stops() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let session = session(&gateway, "v = 1");
    let code = "import asyncio\nv += 1\nawait asyncio.sleep(5)\nv += 1";
    let rests = gateway.begin(&json!({ "code": code, "session": session })).unwrap();
    gateway.settles(&rests, 0);
    let asked = json!({ "code": "v += 100\nv", "session": session });
    let stream = gateway.send("", "POST", "/execute", Some(&asked)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    gateway.stop();
    let answer = answer_of(stream).unwrap_or_default();
    assert_ne!(answer["success"], true, "it did something that is gone afterwards: {answer:#}");
    gateway.start();
    assert_eq!(gateway.over(&rests, PATIENCE)["status"], "succeeded");
    let after = json!({ "code": "v", "session": session });
    assert_eq!(gateway.ask("POST", "/execute", Some(&after)).unwrap()["return_value"], 3);
}

#[test]
fn a_gateway_that_keeps_no_runs_does_nothing_in_a_session_in_which_one_rests() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let session = session(&gateway, "v = 1");
    let code = "import asyncio\nv += 1\nawait asyncio.sleep(3)\nv += 1";
    let rests = gateway.begin(&json!({ "code": code, "session": session })).unwrap();
    gateway.settles(&rests, 0);
    // Long enough to have been let go.
    std::thread::sleep(Duration::from_millis(700));
    gateway.kill();
    let mut other = Gateway::new(folder.path(), 0.01, &[]);
    other.start();
    for also in ["session", "workspace_of"] {
        let asked = json!({ "code": "v = 100", also: session });
        let refused = other.ask("POST", "/execute", Some(&asked)).unwrap();
        assert_eq!(refused["error"]["code"], "run_paused", "{refused:#}");
    }
    // Others are as ever.
    let fresh = other.ask("POST", "/execute", Some(&json!({ "code": "6 * 7" }))).unwrap();
    assert_eq!(fresh["return_value"], 42);
    other.stop();
    gateway.start();
    assert_eq!(gateway.over(&rests, PATIENCE)["status"], "succeeded");
    let after = json!({ "code": "v", "session": session });
    assert_eq!(gateway.ask("POST", "/execute", Some(&after)).unwrap()["return_value"], 3);
}

#[test]
fn a_start_does_not_wait_for_a_run_that_another_one_waits_for() {
    const RESTS: Duration = Duration::from_secs(90);
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let session = session(&gateway, "v = 41");
    let begin = |code: &str| {
        let asked =
            json!({ "code": code, "session": session, "context": { "pause": RESTS.as_secs() } });
        gateway.begin(&asked).unwrap()
    };
    let first = begin("import asyncio\nv = 0\nawait asyncio.sleep(pause)");
    gateway.settles(&first, 0);
    let second = begin("v + 1");
    gateway.kill();
    let begun = Instant::now();
    gateway.start();
    assert!(begun.elapsed() < RESTS / 2, "it waited for a run that rests");
    assert_eq!(gateway.run(&second).unwrap()["status"], "queued");
    // It stands before whoever comes now.
    let asked = json!({ "code": "v = 100", "session": session });
    let third = gateway.begin(&asked).unwrap();
    gateway.runs(&["cancel", &first]);
    assert_eq!(gateway.over(&second, PATIENCE)["return_value"], 42);
    assert_eq!(gateway.over(&third, PATIENCE)["status"], "succeeded");
}

#[test]
fn a_run_that_computes_when_it_is_killed_begins_again_with_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let session = session(&gateway, "v = 7");
    let code = "import time\nend = time.time() + 1.5\nwhile time.time() < end:\n    pass\nreturn v";
    let id = gateway.begin(&json!({ "code": code, "session": session })).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], 7, "{run:#}");
    // What it left is there after the next kill, too.
    gateway.kill();
    gateway.start();
    let after = json!({ "code": "v + len(str(end)[:0])", "session": session });
    assert_eq!(gateway.ask("POST", "/execute", Some(&after)).unwrap()["return_value"], 7);
}

#[test]
fn a_run_that_computes_for_longer_than_patience_goes_on_after_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&KEPT[..], &["--stop-patience", "0.5s"]].concat();
    let mut gateway = Gateway::new(folder.path(), 0.01, &arguments);
    gateway.start();
    let code = "import time\nfrom servers.desk import book\nawait book(key='one')\nend = time.time() + 3\nwhile time.time() < end:\n    pass\nawait book(key='two')\nreturn 'done'";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    while gateway.counted().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(gateway.stop() < Duration::from_secs(10));
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], "done", "{run:#}");
    assert_eq!(gateway.counted(), ["book one", "book two"]);
}

#[test]
fn a_run_that_computes_when_the_gateway_is_stopped_begins_again_with_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&KEPT[..], &["--stop-patience", "0.5s"]].concat();
    let mut gateway = Gateway::new(folder.path(), 0.01, &arguments);
    gateway.start();
    let session = session(&gateway, "v = 7");
    let code =
        "import time\nv += 1\nend = time.time() + 3\nwhile time.time() < end:\n    pass\nreturn v";
    let id = gateway.begin(&json!({ "code": code, "session": session })).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(gateway.stop() < Duration::from_secs(10));
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], 8, "{run:#}");
    let after = json!({ "code": "v", "session": session });
    assert_eq!(gateway.ask("POST", "/execute", Some(&after)).unwrap()["return_value"], 8);
}
