//! Users that come one after another and then ask without pause, or keep coming back to a session.

use std::time::{Duration, Instant};

use crate::shared::Connection;
use crate::shared::Failure;

/// How a user's day looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) users: usize,
    /// Users that come each second.
    pub(crate) ramp: u32,
    pub(crate) lasts: Duration,
    pub(crate) work: Work,
}

/// What a user does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Runs programs that call this, one after another.
    Call(&'static str),
    /// Goes on with one session every few seconds.
    Session,
    /// Calls servers on which things go wrong; what went wrong there is no error of ours.
    Faulty,
}

/// How one request went.
pub(crate) type Asked = Result<Duration, String>;

/// Lets all users do their work, and says how each request went.
pub(crate) async fn run(port: u16, load: &Load) -> Vec<Asked> {
    let end = Instant::now() + load.lasts;
    let users: Vec<_> = (0..load.users)
        .map(|number| {
            let wait = Duration::from_secs(1) * u32::try_from(number).unwrap_or(0) / load.ramp;
            let work = load.work;
            tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                match work {
                    Work::Call(call) => caller(port, number, call, end).await,
                    Work::Faulty => unlucky(port, number, end).await,
                    Work::Session => visitor(port, number, end).await,
                }
            })
        })
        .collect();
    let mut all = Vec::new();
    for user in users {
        all.extend(user.await.unwrap_or_else(|error| vec![Err(error.to_string())]));
    }
    all
}

async fn caller(port: u16, number: usize, call: &str, end: Instant) -> Vec<Asked> {
    let mut asked = Vec::new();
    let Ok(mut connection) = Connection::open(port).await else {
        return vec![Err("could not connect".to_owned())];
    };
    let mut turn = 0;
    while Instant::now() < end {
        turn += 1;
        // No two programs are the same, so nothing can be answered from memory.
        let tool = call.split('(').next().unwrap_or_default();
        let code = format!(
            "from servers.bench import {tool}\ntext = 'user {number} turn {turn}'\nrows = [n * {turn} for n in range(50)]\nanswer = await {call}\nreturn {{'turn': {turn}, 'sum': sum(rows)}}"
        );
        let expected = format!("\"turn\":{turn}");
        asked.push(ask(&mut connection, &code, None, &expected).await.map(|(time, _)| time));
    }
    asked
}

/// What a program is told when something went wrong that was planned: a failure, a call that is never
/// answered, and a server that ends itself.
const PLANNED: [&str; 5] =
    ["planned failure", "did not answer within", "the connection broke", "ended", "closed"];

async fn unlucky(port: u16, number: usize, end: Instant) -> Vec<Asked> {
    let mut asked = Vec::new();
    let Ok(mut connection) = Connection::open(port).await else {
        return vec![Err("could not connect".to_owned())];
    };
    let mut turn = 0;
    while Instant::now() < end {
        turn += 1;
        let server = ["flaky", "restarting"][(number + turn) % 2];
        let code = format!(
            "from servers.{server} import echo\nanswer = await echo(text='turn {turn}')\nreturn {{'turn': {turn}}}"
        );
        let expected = format!("\"turn\":{turn}");
        let answer = ask(&mut connection, &code, None, &expected).await.map(|(time, _)| time);
        let is_planned = |error: &String| {
            error.starts_with("200") && PLANNED.iter().any(|words| error.contains(words))
        };
        match answer {
            Err(error) if is_planned(&error) => {}
            answer => asked.push(answer),
        }
    }
    asked
}

async fn visitor(port: u16, number: usize, end: Instant) -> Vec<Asked> {
    let mut asked = Vec::new();
    let mut session: Option<String> = None;
    let mut turn = 0;
    while Instant::now() < end {
        turn += 1;
        let code = match session {
            None => format!("seen = 1\nuser = {number}\nreturn {{'turn': seen, 'user': user}}"),
            Some(_) => "seen += 1\nreturn {'turn': seen, 'user': user}".to_owned(),
        };
        let expected = format!("\"turn\":{turn},\"user\":{number}");
        // A user who comes every few seconds does not keep a connection.
        let answer = match Connection::open(port).await {
            Ok(mut connection) => ask(&mut connection, &code, session.as_deref(), &expected).await,
            Err(error) => Err(error.to_string()),
        };
        match answer {
            Ok((time, own)) => {
                session = Some(own);
                asked.push(Ok(time));
            }
            Err(error) => {
                asked.push(Err(error));
                session = None;
                turn = 0;
            }
        }
        let pause = 2_000 + u64::try_from(number * 37 % 2_000).unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    asked
}

async fn ask(
    connection: &mut Connection,
    code: &str,
    session: Option<&str>,
    expected: &str,
) -> Result<(Duration, String), String> {
    let body = serde_json::json!({ "code": code, "session": session }).to_string();
    let begun = Instant::now();
    let answer =
        connection.post("/execute", &body).await.map_err(|error: Failure| error.to_string())?;
    let took = begun.elapsed();
    if answer.status != 200 || !answer.body.replace(": ", ":").contains(expected) {
        let start: String = answer.body.chars().take(300).collect();
        return Err(format!("{} {start}", answer.status));
    }
    let value: serde_json::Value = serde_json::from_str(&answer.body).unwrap_or_default();
    Ok((took, value["session"].as_str().unwrap_or_default().to_owned()))
}
