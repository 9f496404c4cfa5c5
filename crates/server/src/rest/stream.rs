//! A run as server-sent events: what happens in it, and at last how it ended.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream;
use gateway::service::run::{Event, Run};
use gateway::service::{Record, Started};
use serde::Serialize;
use serde_json::json;

use super::shown::{CallShown, RunShown, StatusShown};

/// One server-sent event.
#[derive(utoipa::ToSchema)]
#[schema(as = Event)]
#[expect(dead_code, reason = "says in the API's description what a stream is made of")]
pub(crate) struct EventShown {
    /// `status`, `output`, `call`, `call_end` or `end`.
    event: Option<String>,
    /// JSON.
    data: String,
    /// Its number in the run, a dot, and what tells this process of the gateway from any other.
    id: Option<String>,
}

/// How often something is sent so that nobody in between gives up.
const ALIVE: Duration = Duration::from_secs(15);

/// Tells numbers that this process gave from those of one before it, which counted other events.
static PROCESS: LazyLock<String> = LazyLock::new(|| {
    let mut name = uuid::Uuid::new_v4().simple().to_string();
    name.truncate(8);
    name
});

type Events = Sse<axum::response::sse::KeepAliveStream<Sending>>;
type Sending = std::pin::Pin<Box<dyn Stream<Item = Result<Sent, Infallible>> + Send>>;

/// A run that is cancelled when nobody reads its events any more.
pub(crate) fn of_started(started: Started) -> Events {
    let run = Arc::clone(started.run());
    sent(Following { run, seen: 0, ready: VecDeque::new(), over: false, _kept: Some(started) })
}

/// A run that goes on whoever reads. One who heard the event `last` of this process is told what came
/// after it, and anybody else everything.
pub(crate) fn of_run(run: Arc<Run>, last: Option<&str>) -> Events {
    let seen = last.and_then(seen).filter(|seen| *seen <= run.happened()).unwrap_or_default();
    sent(Following { run, seen, ready: VecDeque::new(), over: false, _kept: None })
}

/// A run that is over: its end.
pub(crate) fn of_record(record: &Record) -> Events {
    let end = event("end", 0, &RunShown::new(record));
    let sending: Sending = Box::pin(stream::once(async { Ok(end) }));
    Sse::new(sending).keep_alive(KeepAlive::new().interval(ALIVE))
}

/// How many events of this process one has heard who heard this one last.
fn seen(last: &str) -> Option<usize> {
    let (number, process) = last.split_once('.')?;
    let number: usize = number.parse().ok().filter(|_| process == *PROCESS)?;
    number.checked_add(1)
}

struct Following {
    run: Arc<Run>,
    seen: usize,
    ready: VecDeque<Sent>,
    over: bool,
    /// Dropping it cancels the run.
    _kept: Option<Started>,
}

impl Following {
    async fn next(&mut self) -> Option<Sent> {
        if self.ready.is_empty() && !self.over {
            let events = self.run.events_after(self.seen).await;
            if events.is_empty() {
                self.over = true;
                let end = RunShown::new(&self.run.record());
                self.ready.push_back(event("end", self.seen, &end));
            }
            for happened in events {
                self.ready.push_back(shown(&happened, self.seen, &self.run));
                self.seen += 1;
            }
        }
        self.ready.pop_front()
    }
}

fn sent(following: Following) -> Events {
    let events = stream::unfold(following, |mut following| async {
        let next = following.next().await?;
        Some((Ok(next), following))
    });
    let sending: Sending = Box::pin(events);
    Sse::new(sending).keep_alive(KeepAlive::new().interval(ALIVE))
}

fn shown(happened: &Event, index: usize, run: &Run) -> Sent {
    match happened {
        Event::Status(status) => {
            // Whoever follows it can end it by its name.
            let told = json!({ "status": StatusShown::from(*status), "run_id": run.id() });
            event("status", index, &told)
        }
        Event::Output(stream, text) => {
            event("output", index, &json!({ "stream": stream, "text": text }))
        }
        Event::Calls(note) => event("call", index, &CallShown::of(note, false)),
        Event::Called(note) => event("call_end", index, &CallShown::of(note, false)),
    }
}

fn event(name: &str, index: usize, data: &impl Serialize) -> Sent {
    let event = Sent::default().event(name).id(format!("{index}.{}", *PROCESS));
    // What is sent is ours and has no map with strange keys, so writing it does not fail.
    let text = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    event.data(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_this_process_say_what_was_heard() {
        assert_eq!(seen(&format!("4.{}", *PROCESS)), Some(5));
        for stale in ["4", "4.00000000", "x.y", "", &format!("{}.{}", u128::MAX, *PROCESS)] {
            assert_eq!(seen(stale), None, "{stale}");
        }
    }
}
