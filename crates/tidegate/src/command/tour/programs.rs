//! Steps that run programs: fresh ones, some in one session, one that tries to escape.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Engine, LimitKind, Limits, NoCalls, Outcome, Program, Session, Start};

use super::stage::Stage;

/// What the runaway loop is given.
const PATIENCE: Duration = Duration::from_millis(500);

const FRAME: &str = r#"import pandas as pd
sales = pd.DataFrame({"city": ["Kiel", "Husum", "Kiel"], "tons": [120, 75, 60]})
sales.groupby("city")["tons"].sum().to_dict()"#;

const ESCAPE: &str = r#"import os, socket, subprocess, ctypes
attempts = {
    "read /etc/passwd": lambda: open("/etc/passwd").read(),
    "climb out": lambda: open("/workspace/../../etc/hosts").read(),
    "list /": lambda: os.listdir("/"),
    "environment": lambda: os.environ["PATH"],
    "start a process": lambda: subprocess.run(["id"]),
    "open a socket": lambda: socket.create_connection(("127.0.0.1", 22), 1),
    "load libc": lambda: ctypes.CDLL("libc.so.6").getpid(),
}
escaped = []
for name, attempt in attempts.items():
    try:
        attempt()
        escaped.append(name)
    except Exception as error:
        print(f"{name}: {type(error).__name__}")
escaped"#;

/// A fresh interpreter: what others take tens of milliseconds for.
pub(super) async fn fresh(engine: &Arc<dyn Engine>, stage: &mut Stage) -> anyhow::Result<()> {
    let source = "sum(range(100))";
    stage.begin("A fresh interpreter, a program, its value", source)?;
    // The first of a process pays for pages of the code that all others share.
    run(&mut new_session(engine), source).await?;
    let (outcome, took) = run(&mut new_session(engine), source).await?;
    stage.end(&outcome, took, gives(&outcome, "4950"))?;
    Ok(())
}

/// pandas is imported already.
pub(super) async fn frame(engine: &Arc<dyn Engine>, stage: &mut Stage) -> anyhow::Result<()> {
    stage.begin("Another fresh interpreter; pandas is imported already", FRAME)?;
    let (outcome, took) = run(&mut new_session(engine), FRAME).await?;
    stage.end(&outcome, took, gives(&outcome, r#"{"Husum":75,"Kiel":180}"#))?;
    Ok(())
}

/// Context is data, whatever it looks like.
pub(super) async fn context(engine: &Arc<dyn Engine>, stage: &mut Stage) -> anyhow::Result<()> {
    let source = "len(text)";
    let text = "'); raise SystemExit('pasted into the source')  # ";
    stage.begin("Context arrives as variables; it is never pasted into the source", source)?;
    let program = Program::new(source).with("text", text);
    let (outcome, took) = run_program(&mut new_session(engine), program).await?;
    stage.end(&outcome, took, gives(&outcome, &text.len().to_string()))?;
    Ok(())
}

/// State, an exception, a limit and the way back.
pub(super) async fn session(engine: &Arc<dyn Engine>, stage: &mut Stage) -> anyhow::Result<()> {
    let mut session = new_session(engine);

    let source = "stock = {'tea': 3}\ndef add(item, n):\n    stock[item] = stock.get(item, 0) + n\n    return stock\nadd('salt', 2)";
    stage.begin("A session: variables and functions stay", source)?;
    let (outcome, took) = run(&mut session, source).await?;
    stage.end(&outcome, took, gives(&outcome, r#"{"tea":3,"salt":2}"#))?;

    let source = "add('tea', 1)";
    stage.begin("The next program in that session goes on from there", source)?;
    let (outcome, took) = run(&mut session, source).await?;
    stage.end(&outcome, took, gives(&outcome, r#"{"tea":4,"salt":2}"#))?;

    let source = "import requests\nrequests.get('https://example.com')";
    stage.begin("An exception says what to try next, and the session survives", source)?;
    let (outcome, took) = run(&mut session, source).await?;
    let hinted =
        outcome.error.as_ref().is_some_and(|error| error.hint.is_some() && error.limit.is_none());
    stage.end(&outcome, took, hinted)?;

    let source =
        "stock['tea'] = 0\nopen('/workspace/half-done', 'w').write('x')\nwhile True:\n    pass";
    stage.begin("A runaway loop is stopped at its limit, here 500 ms", source)?;
    session.configure(Start {
        limits: Limits { wall: PATIENCE, cpu_time: PATIENCE, ..Limits::default() },
        ..Start::default()
    });
    let (outcome, took) = run(&mut session, source).await?;
    let limit = outcome.error.as_ref().and_then(|error| error.limit);
    let stopped = matches!(limit, Some(LimitKind::Wall | LimitKind::Cpu));
    stage.end(&outcome, took, stopped && took < 2 * PATIENCE)?;

    let source = "import os\n[stock, os.listdir('/workspace')]";
    stage.begin("... and the session is as it was before: variables and files", source)?;
    let (outcome, took) = run(&mut session, source).await?;
    stage.end(&outcome, took, gives(&outcome, r#"[{"tea":4,"salt":2},[]]"#))?;
    Ok(())
}

/// What untrusted programs like to try.
pub(super) async fn escape(engine: &Arc<dyn Engine>, stage: &mut Stage) -> anyhow::Result<()> {
    stage.begin("Attempts to get out; the value lists those that succeeded", ESCAPE)?;
    let (outcome, took) = run(&mut new_session(engine), ESCAPE).await?;
    for line in outcome.stdout.lines() {
        stage.say(&crate::out::clean(line))?;
    }
    stage.end(&outcome, took, gives(&outcome, "[]"))?;
    Ok(())
}

fn new_session(engine: &Arc<dyn Engine>) -> Session {
    Session::new(Arc::clone(engine), Start::default())
}

async fn run(session: &mut Session, source: &str) -> anyhow::Result<(Outcome, Duration)> {
    run_program(session, Program::new(source)).await
}

async fn run_program(
    session: &mut Session,
    program: Program,
) -> anyhow::Result<(Outcome, Duration)> {
    let begun = Instant::now();
    let outcome = session.run(program, Arc::new(NoCalls)).await?;
    Ok((outcome, begun.elapsed()))
}

fn gives(outcome: &Outcome, value: &str) -> bool {
    outcome.success && outcome.return_value.get() == value
}
