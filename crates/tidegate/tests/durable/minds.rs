//! Questions to models and messages between programs, whose gateway is killed meanwhile.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::PATIENCE;
use crate::gateway::Gateway;

const KEPT: [&str; 4] = ["--durable", "true", "--freeze-after", "0.1s"];

/// A provider that says back what it is asked, in capitals, and keeps what that was. It speaks Ollama's format.
struct Provider {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let question = answer(stream);
                kept.lock().unwrap().extend(question);
            }
        });
        Self { port, asked }
    }

    fn settings(&self) -> String {
        format!(
            "[ask]\nprovider = \"ollama\"\nmodel = \"m\"\nurl = \"http://127.0.0.1:{}\"\n",
            self.port
        )
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Answers one request; gives what was asked.
fn answer(mut stream: TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(number) = line.strip_prefix("content-length:") {
            length = number.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let question = body["messages"].as_array()?.last()?["content"].as_str()?.to_owned();
    let said = json!({ "role": "assistant", "content": question.to_uppercase() });
    let line = json!({ "model": "m", "message": said, "done": true, "done_reason": "stop",
        "prompt_eval_count": 10, "eval_count": 5 });
    let line = format!("{line}\n");
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        line.len()
    );
    stream.write_all(format!("{head}{line}").as_bytes()).ok()?;
    Some(question)
}

#[test]
fn a_question_that_was_answered_is_not_asked_again_after_a_kill() {
    let (folder, provider) = (tempfile::tempdir().unwrap(), Provider::new());
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT).with_settings(&provider.settings());
    gateway.start();
    let code = "import asyncio\nfirst = await ask_model('one?')\nawait asyncio.sleep(8)\nreturn [first, await ask_model('two?')]";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.settles(&id, 1);
    std::thread::sleep(Duration::from_millis(700));
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], json!(["ONE?", "TWO?"]), "{run:#}");
    assert_eq!(provider.asked(), ["one?", "two?"]);
    // What the process asked that is gone is in the receipt, too.
    let models = &run["receipt"]["models"];
    assert_eq!((&models["questions"], &models["input_tokens"]), (&json!(2), &json!(20)), "{run:#}");
}

#[test]
fn a_message_is_taken_once_by_a_run_that_waits_over_kills() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let code = "from servers.desk import book\nseen = []\nfor _ in range(2):\n    seen.append(await receive('work'))\n    await book(key=seen[-1])\nseen";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    let waits = |run: &Value| run["waiting"]["for"] == json!(["$receive"]);
    for (at, message) in ["one", "two"].into_iter().enumerate() {
        gateway.made(&id, 2 * at, waits);
        std::thread::sleep(Duration::from_millis(700));
        gateway.kill();
        gateway.start();
        let posted = json!({ "code": format!("await post('work', {message:?})") });
        let posted = gateway.ask("POST", "/execute", Some(&posted)).unwrap();
        assert_eq!(posted["success"], true, "{posted:#}");
        gateway.until_counted(at + 1);
    }
    let run = gateway.over(&id, PATIENCE);
    assert_eq!(run["return_value"], json!(["one", "two"]), "{run:#}");
    assert_eq!(gateway.counted(), ["book one", "book two"]);
    let code =
        "try:\n    await receive('work', timeout=0)\nexcept TimeoutError:\n    return 'empty'";
    let left = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
    assert_eq!(left["return_value"], "empty", "{left:#}");
}

#[test]
fn what_was_posted_is_there_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &KEPT);
    gateway.start();
    let code = "import asyncio\nawait post('work', 'kept')\nawait asyncio.sleep(600)";
    let id = gateway.begin(&json!({ "code": code })).unwrap();
    gateway.settles(&id, 1);
    gateway.kill();
    gateway.start();
    let code = "first = await receive('work', timeout=0)\ntry:\n    await receive('work', timeout=0)\nexcept TimeoutError:\n    return first";
    let received = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
    assert_eq!(received["return_value"], "kept", "{received:#}");
}

#[test]
fn a_model_that_is_named_anew_is_asked_without_a_restart() {
    let (folder, first, second) = (tempfile::tempdir().unwrap(), Provider::new(), Provider::new());
    let mut gateway = Gateway::new(folder.path(), 0.01, &[]).with_settings(&first.settings());
    gateway.start();
    let asks = || {
        let code = json!({ "code": "return await ask_model('who?')" });
        let run = gateway.ask("POST", "/execute", Some(&code)).unwrap();
        assert_eq!(run["return_value"], "WHO?", "{run:#}");
    };
    asks();
    assert_eq!((first.asked().len(), second.asked().len()), (1, 0));
    let file = folder.path().join("tidegate.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace(&first.settings(), &second.settings())).unwrap();
    let until = Instant::now() + PATIENCE;
    while second.asked().is_empty() {
        assert!(Instant::now() < until, "the first model is still asked");
        asks();
    }
    let before = (first.asked().len(), second.asked().len());
    asks();
    // So are questions in words; what comes of this one does not matter, since the model says everything back.
    let _ = gateway.ask("POST", "/api/v1/ask", Some(&json!({ "question": "who?" })));
    assert_eq!(first.asked().len(), before.0);
    assert!(second.asked().len() > before.1 + 1, "the question was not asked");
}

#[test]
fn agents_on_one_session_share_what_is_in_it_and_have_rules_of_their_own() {
    let rules = "[[policy.rules]]\nagents = \"worker-*\"\ntools = \"tidegate.post\"\naction = \"deny\"\n\n\
                 [[policy.rules]]\nagents = \"planner\"\ntools = \"tidegate.receive\"\naction = \"deny\"\n";
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::new(folder.path(), 0.01, &[]).with_settings(rules);
    gateway.start();
    let made = gateway.ask("POST", "/api/v1/sessions", Some(&json!({ "agent": "planner" })));
    let session = made.unwrap()["id"].clone();
    let run = |agent: &str, code: &str| {
        let body = json!({ "code": code, "session": session, "agent": agent });
        gateway.ask("POST", "/execute", Some(&body)).unwrap()
    };
    let planned = run("planner", "rows = [1, 2]\nawait post('jobs', 7)");
    assert_eq!(planned["success"], true, "{planned:#}");
    let worked = run("worker-1", "return sum(rows)");
    assert_eq!((&worked["return_value"], &worked["agent"]), (&json!(3), &json!("worker-1")));
    let denied = run("worker-1", "await post('jobs', 8)");
    assert_eq!(denied["error"]["type"], "PolicyError", "{denied:#}");
    // Nor may it do in the planner's session what the planner may not.
    let denied = run("worker-1", "return await receive('jobs', timeout=0)");
    assert_eq!(denied["error"]["type"], "PolicyError", "{denied:#}");
    let own = json!({ "code": "return await receive('jobs', timeout=0)", "agent": "worker-1" });
    let received = gateway.ask("POST", "/execute", Some(&own)).unwrap();
    assert_eq!(received["return_value"], 7, "{received:#}");
}

#[test]
fn a_run_that_is_cancelled_while_it_waits_takes_no_message() {
    // Of a run that goes on after a crash and is in memory, one that was let go, and one that does not go on.
    for options in [&["--durable", "true"][..], &KEPT, &[]] {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway = Gateway::new(folder.path(), 0.01, options);
        gateway.start();
        let id = gateway.begin(&json!({ "code": "return await receive('work')" })).unwrap();
        gateway.made(&id, 0, |run| run["waiting"]["for"] == json!(["$receive"]));
        gateway.ask("POST", &format!("/api/v1/runs/{id}/cancel"), Some(&json!({}))).unwrap();
        // Whoever still waited would have it before somebody else asks for it.
        let posted = json!({ "code": "await post('work', 7)" });
        let posted = gateway.ask("POST", "/execute", Some(&posted)).unwrap();
        assert_eq!(posted["success"], true, "{posted:#}");
        let code = "return await receive('work', timeout=0)";
        let received = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
        assert_eq!(received["return_value"], 7, "{options:?}: {received:#}");
    }
}
