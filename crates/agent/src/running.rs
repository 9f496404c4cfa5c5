//! Running the programs of a model, through the gateway like everybody else's.

use std::sync::Arc;

use engine::{Context, Stream};
use gateway::service::run::Event as RunEvent;
use gateway::service::{Record, Refusal, Request, Started, Status};

use crate::ask::AskError;
use crate::event::Event;
use crate::words;
use crate::work::Work;

/// What came of a program.
pub(crate) struct Ran {
    /// Whether it reached its own end.
    pub(crate) is_ok: bool,
    /// What kind of error it failed with.
    pub(crate) kind: String,
    /// What the model reads of it.
    pub(crate) words: String,
}

impl Work<'_> {
    /// Runs a program in the conversation's session, with the question's variables.
    pub(crate) async fn run(&mut self, code: &str) -> Result<Ran, AskError> {
        self.run_with(code, self.context.clone()).await
    }

    /// The same, with these variables.
    pub(crate) async fn run_with(&mut self, code: &str, context: Context) -> Result<Ran, AskError> {
        let started = match self.start(code, context).await {
            Ok(started) => started,
            // The model can do something about its program, and about nothing else.
            Err(
                Refusal::Invalid { field: "code", problem }
                | Refusal::Unfit { field: "code", problem },
            ) => {
                let words = format!("the program {problem}");
                return Ok(Ran { is_ok: false, kind: "Refused".to_owned(), words });
            }
            Err(refusal) => return Err(refusal.into()),
        };
        self.conversation.session = Some(started.session().clone());
        self.runs.push(started.run().id().clone());
        self.live.tell(Event::Running {
            run_id: started.run().id().to_string(),
            session: started.session().to_string(),
        });
        let run = Arc::clone(started.run());
        self.running = Some(Arc::clone(&run));
        self.follow(&started).await;
        let record = started.ended().await;
        self.running = None;
        self.spent.asked(&run.models_used());
        self.keep_so_far().await;
        Ok(self.settled(&record).await)
    }

    async fn start(&self, code: &str, context: Context) -> Result<Started, Refusal> {
        let request = Request {
            code: code.to_owned(),
            language: Some(self.language.name().to_owned()),
            context,
            session: self.conversation.session.clone(),
            trace: self.trace.clone(),
            // What programs ask is the question's, too.
            model_tokens: Some(self.left_for_programs()),
            ..Request::default()
        };
        let service = &self.agent.service;
        match service.start(self.caller, request.clone()).await {
            // What was remembered is lost, and the question can still be answered.
            Err(
                Refusal::NoSession(_)
                | Refusal::Gone { .. }
                | Refusal::Session(_)
                | Refusal::Unthawed(_)
                // It was answered in another language before.
                | Refusal::OtherLanguage { .. },
            ) if request.session.is_some() => {
                service.start(self.caller, Request { session: None, ..request }).await
            }
            started => started,
        }
    }

    fn left_for_programs(&self) -> u64 {
        let settings = &self.agent.settings;
        self.spent.left_for_programs(&settings.budgets, settings.prices)
    }

    /// Tells what happens in a run until it is over.
    async fn follow(&self, started: &Started) {
        let (run, mut seen) = (started.run(), 0);
        let mut asked = Box::pin(self.agent.service.asked(run));
        let mut was_asked = false;
        loop {
            let events = tokio::select! {
                events = run.events_after(seen) => events,
                _ = &mut asked, if !was_asked => {
                    was_asked = true;
                    self.live.tell(Event::Approval { run_id: run.id().to_string() });
                    continue;
                }
            };
            if events.is_empty() {
                return;
            }
            seen += events.len();
            for event in events {
                match event {
                    RunEvent::Output(stream, text) => {
                        let stream = if stream == Stream::Stderr { "stderr" } else { "stdout" };
                        self.live.tell(Event::Output { stream, text });
                    }
                    RunEvent::Calls(note) => self.live.tell(Event::Call { tool: note.name() }),
                    RunEvent::Status(_) | RunEvent::Called(_) => {}
                }
            }
        }
    }

    async fn settled(&mut self, record: &Record) -> Ran {
        let is_ok = record.status == Status::Succeeded;
        let ended = record.ended.as_ref();
        let receipt = ended.and_then(|ended| ended.receipt.as_ref());
        // Without programs there would have been none that fails, and each receipt has all definitions.
        if let Some(receipt) = receipt.filter(|_| is_ok) {
            let definitions = self.agent.service.definition_tokens().await;
            self.calls += receipt.inline.saturating_sub(definitions);
        }
        let error = ended.and_then(|ended| ended.error.as_ref());
        Ran {
            is_ok,
            kind: error.map_or_else(String::new, |error| error.kind.clone()),
            words: words::of_run(record),
        }
    }
}
