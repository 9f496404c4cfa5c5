//! One run, step by step: writes leave when they cannot be forgotten, and what waits is let go.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use engine::{
    CallError, CallId, CallResult, Engine, Guest, HostCall, Image, Input, Outcome, Start, Step,
    StepError, Waiting,
};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::books::unwritten;
use super::keeper::Keeper;
use super::ledger::ImageLine;
use crate::desk::Desk;
use crate::service::gate::{Gate, Pass};
use crate::service::run::Run;
use crate::service::{Refusal, StoreError};

/// How often a run that rests looks whether others wait for its place.
const LOOK: Duration = Duration::from_millis(50);

/// How a run came to its end here.
pub(crate) enum Ended {
    /// By itself.
    Done(Box<Outcome>),
    /// It was stopped.
    Stopped(StepError),
    /// The process ends; the run goes on with the next one.
    Interrupted,
}

/// What steps one run.
pub(crate) struct Driver<'a> {
    pub(crate) engine: Arc<dyn Engine>,
    /// How its guest is thawed.
    pub(crate) start: Start,
    pub(crate) desk: Arc<Desk>,
    pub(crate) keeper: Arc<Keeper>,
    pub(crate) gate: &'a Arc<Gate>,
    /// The right to run; given away while it rests for long.
    pub(crate) pass: Option<Pass>,
    /// How long a guest is kept that waits.
    pub(crate) freeze_after: Duration,
    /// Says that the run is to go on elsewhere.
    pub(crate) leaving: &'a CancellationToken,
    /// What the session was before, to be written before the first image of the run.
    pub(crate) before: &'a (dyn Before + 'a),
    pub(crate) pending: BTreeSet<CallId>,
    /// It was let go at least once, so that nobody is in a hurry.
    pub(crate) was_parked: bool,
    pub(crate) run: &'a Run,
}

/// The calls of a run that is stopped half-way end with it, though the session still knows the desk. What one that goes
/// on elsewhere has sent may yet be answered, and then is not unknown there.
impl Drop for Driver<'_> {
    fn drop(&mut self) {
        if !self.leaving.is_cancelled() {
            self.desk.close();
        }
    }
}

/// An error with what is behind it, in one line.
fn reasons(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        words = format!("{words}: {source}");
        next = source.source();
    }
    words
}

/// Sees to what is around a run whose guest comes and goes.
#[async_trait::async_trait]
pub(crate) trait Before: Send + Sync {
    /// Writes what the session was before the run, so that it could go back to it.
    async fn is_safe(&self) -> Result<(), StoreError>;

    /// The guest was let go.
    fn asleep(&self);

    /// There is to be a guest again.
    async fn awake(&self);
}

impl Driver<'_> {
    /// Steps the guest until its program ends. It is there afterwards if the program can be gone on from.
    pub(crate) async fn run(
        &mut self,
        guest: &mut Option<Box<dyn Guest>>,
        mut input: Input,
    ) -> Result<Ended, Refusal> {
        loop {
            let Some(there) = guest.as_mut() else { return Err(Refusal::Draining) };
            let stepping = self.keeper.step();
            let step = there.step(input).await;
            drop(stepping);
            // A step that has come to its end has given the program what there was for it.
            self.desk.messages_are_had();
            match step {
                Ok(Step::Done(outcome)) => return Ok(Ended::Done(outcome)),
                Ok(Step::Waiting(waiting)) => match self.rest(guest, waiting).await? {
                    Some(results) => input = Input::Results(results),
                    None => return Ok(Ended::Interrupted),
                },
                Err(error) => return Ok(Ended::Stopped(error)),
            }
        }
    }

    /// Waits for what the program waits for; `None` when the process ends first.
    pub(crate) async fn rest(
        &mut self,
        guest: &mut Option<Box<dyn Guest>>,
        waiting: Waiting,
    ) -> Result<Option<Vec<CallResult>>, Refusal> {
        // It rests until it goes on, whatever becomes of its guest meanwhile.
        let desk = Arc::clone(&self.desk);
        let _resting = desk.resting();
        for id in waiting.withdrawn {
            self.pending.remove(&id);
            self.desk.withdraw(id);
        }
        self.pending.extend(waiting.calls.iter().map(|call| call.id));
        let held = self.desk.held();
        let is_safe = !held.is_empty() && self.let_leave(guest, &held, waiting.wake_at).await;
        let held: BTreeSet<CallId> = held.iter().map(|call| call.id).collect();
        for call in waiting.calls.iter().filter(|call| !held.contains(&call.id)) {
            self.desk.begin(call);
        }
        let results = if self.sleeps_long(waiting.wake_at) {
            None
        } else {
            tokio::select! {
                biased;
                results = self.news(waiting.wake_at) => Some(results),
                () = self.long_enough() => None,
            }
        };
        let results = match results {
            Some(results) => results,
            None if is_safe || self.save(guest, waiting.wake_at).await => {
                match self.parked(guest, waiting.wake_at).await? {
                    Some(results) => results,
                    None => return Ok(None),
                }
            }
            // It cannot be written, so it stays in memory.
            None => self.news(waiting.wake_at).await,
        };
        for result in &results {
            self.pending.remove(&result.id);
        }
        Ok(Some(results))
    }

    /// Whether nothing but time can wake the program, and that only after it would be let go anyway.
    fn sleeps_long(&self, wake_at: Option<SystemTime>) -> bool {
        let sleeps = wake_at.and_then(|at| at.duration_since(SystemTime::now()).ok());
        self.pending.is_empty() && sleeps.is_some_and(|sleeps| sleeps > self.freeze_after)
    }

    /// Writes everything the program is, and then lets its writes leave. Those of a run that is to go on
    /// elsewhere wait in the image for whoever goes on with it.
    async fn let_leave(
        &self,
        guest: &mut Option<Box<dyn Guest>>,
        held: &[HostCall],
        wake_at: Option<SystemTime>,
    ) -> bool {
        let refuse = |error: &CallError| {
            for call in held {
                // It may have been written down already, and did not leave.
                let result = CallResult { id: call.id, result: Err(error.clone()) };
                self.keeper.answered(&result, Duration::ZERO);
                self.desk.refuse(result);
            }
        };
        let stays = self.leaving.is_cancelled();
        for call in held {
            if let Err(error) = self.desk.note(call) {
                refuse(&error);
                return false;
            }
            if stays {
                self.keeper.waits(call.id);
            }
        }
        match self.try_save(guest, wake_at).await {
            Ok(()) => {
                for call in held.iter().filter(|_| !stays) {
                    self.desk.begin(call);
                }
                true
            }
            Err(error) => {
                refuse(&unwritten(&error));
                false
            }
        }
    }

    async fn save(&self, guest: &mut Option<Box<dyn Guest>>, wake_at: Option<SystemTime>) -> bool {
        match self.try_save(guest, wake_at).await {
            Ok(()) => true,
            Err(error) => {
                warn!(run = %self.keeper.begun().run, error = %error, "a run that waits could not be frozen and stays in memory");
                false
            }
        }
    }

    async fn try_save(
        &self,
        guest: &mut Option<Box<dyn Guest>>,
        wake_at: Option<SystemTime>,
    ) -> std::io::Result<()> {
        let Some(guest) = guest else { return Err(std::io::Error::other("there is no guest")) };
        if !self.keeper.has_image() {
            self.before.is_safe().await.map_err(std::io::Error::other)?;
        }
        let image: Image = guest.freeze().await.map_err(std::io::Error::other)?;
        let line = ImageLine {
            number: 0,
            bytes: 0,
            wake_at,
            pending: self.pending.iter().copied().collect(),
            since: self.run.rests_since(),
        };
        self.keeper.image(image, line).await
    }

    /// Lets the guest go, and has it back when something has come.
    pub(crate) async fn parked(
        &mut self,
        guest: &mut Option<Box<dyn Guest>>,
        wake_at: Option<SystemTime>,
    ) -> Result<Option<Vec<CallResult>>, Refusal> {
        *guest = None;
        self.desk.has_place(false);
        self.keeper.remember_waiting().await;
        self.keeper.rests();
        self.was_parked = true;
        self.before.asleep();
        self.pass = None;
        let results = tokio::select! {
            biased;
            results = self.news(wake_at) => results,
            () = self.leaves() => return Ok(None),
        };
        self.wake(guest).await?;
        Ok(Some(results))
    }

    /// Thaws the guest from its last image, when it is its turn.
    pub(crate) async fn wake(&mut self, guest: &mut Option<Box<dyn Guest>>) -> Result<(), Refusal> {
        self.pass = Some(self.gate.again(&self.keeper.begun().owner).enter().await);
        self.desk.has_place(true);
        self.before.awake().await;
        let image = self
            .keeper
            .thawed()
            .await
            .map_err(|error| Refusal::Unthawed(format!("its image cannot be read: {error}")))?;
        let thawed = self.engine.thaw(&image, self.start.clone()).await;
        *guest = Some(thawed.map_err(|error| Refusal::Unthawed(reasons(&error)))?);
        Ok(())
    }

    /// Answers that have come, or none when it is time to go on.
    async fn news(&self, wake_at: Option<SystemTime>) -> Vec<CallResult> {
        let until = async {
            // Heard of after the desk has said that the program rests.
            self.run.wakes_at(wake_at);
            match wake_at {
                Some(at) => {
                    tokio::time::sleep(at.duration_since(SystemTime::now()).unwrap_or_default())
                        .await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            results = self.desk.answers() => results,
            () = until => Vec::new(),
        }
    }

    /// Comes back when a guest that waits is to be let go: after a while, when others wait for its
    /// place, or when the process ends. Its place goes with it, so that it stays as long as a program
    /// runs there that it has started.
    async fn long_enough(&self) {
        let enough = async {
            tokio::time::sleep(self.freeze_after).await;
            while self.desk.has_children_awake() {
                tokio::time::sleep(LOOK).await;
            }
        };
        let wanted = async {
            tokio::time::sleep(LOOK).await;
            while self.gate.counts().1 == 0 || self.desk.has_children_awake() {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = enough => {}
            () = wanted => {}
            () = self.leaving.cancelled() => {}
        }
    }

    /// Comes back when the run is to leave and nothing that it sent could be carried out unseen. Who
    /// ends the process does not wait for that for ever.
    async fn leaves(&self) {
        self.leaving.cancelled().await;
        let unanswered = |id: &CallId| {
            let left = self.keeper.left(*id);
            left.is_some_and(|left| left.is_unknown())
        };
        while self.pending.iter().any(unanswered) {
            tokio::time::sleep(LOOK).await;
        }
    }
}
