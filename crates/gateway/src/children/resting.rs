//! A child that waits: for long, it is frozen and holds no guest.
//!
//! ```text
//! step ──► rests ── nothing comes ──► frozen in memory, guest let go ── an answer, a place ──► thawed ──► step
//! ```
//!
//! That is for runs that outlive the process, which hold no guest either while they wait for a child. A
//! frozen child lies in memory and not on disk: it ends with its process. See [`super::first`] for what becomes
//! of its run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use engine::{
    CallResult, Guest, Image, Input, Outcome, Program, Session, SessionError, Start, Step,
    StepError, Waiting, stopped,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::warn;

use super::Kept;
use crate::desk::Desk;

/// How often one that has a place looks whether others wait for its place.
const LOOK: Duration = Duration::from_millis(50);

/// When a child that waits is let go, and where it finds room to go on.
#[derive(Debug, Clone)]
pub struct Rests {
    /// How long a guest is kept that waits.
    pub freeze_after: Duration,
    /// Places for those that go on, or begin while their run has none, so that many which do so together do
    /// not fill the memory.
    pub places: Arc<Places>,
}

/// Places for children whose run has none.
#[derive(Debug)]
pub struct Places {
    free: Arc<Semaphore>,
    /// How many children wait for one.
    wanted: AtomicUsize,
}

impl Places {
    /// So many of them.
    #[must_use]
    pub fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { free: Arc::new(Semaphore::new(count)), wanted: AtomicUsize::new(0) })
    }

    /// One of them, when it is there.
    pub(super) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        let _wants = Wants::one_of(&self.wanted);
        // It is never closed.
        Arc::clone(&self.free).acquire_owned().await.ok()
    }

    /// Comes back when children wait for one.
    async fn wanted(&self) {
        tokio::time::sleep(LOOK).await;
        while self.wanted.load(Ordering::Acquire) == 0 {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// A child that waits for a place, as long as this is there.
struct Wants<'a>(&'a AtomicUsize);

impl<'a> Wants<'a> {
    fn one_of(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Wants<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Says of a child that it has a guest or is about to, as long as this is there.
pub(super) struct Awake<'a>(&'a AtomicUsize);

impl<'a> Awake<'a> {
    pub(super) fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Awake<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A child whose guest comes and goes.
pub(super) struct Resting<'a> {
    session: &'a mut Session,
    start: Start,
    desk: Arc<Desk>,
    rests: &'a Rests,
    /// Those of its run that are awake.
    all_awake: &'a AtomicUsize,
    /// It is one of them.
    awake: Option<Awake<'a>>,
    /// Where it is: after it was let go, or from the beginning if its run has no place.
    place: Option<OwnedSemaphorePermit>,
    guest: Option<Box<dyn Guest>>,
    /// What writes down what becomes of its run.
    kept: Option<Arc<dyn Kept>>,
}

/// A child computes as long as this is there.
struct Stepping<'a>(Option<&'a dyn Kept>);

impl<'a> Stepping<'a> {
    fn of(kept: Option<&'a dyn Kept>) -> Self {
        if let Some(kept) = kept {
            kept.steps();
        }
        Self(kept)
    }
}

impl Drop for Stepping<'_> {
    fn drop(&mut self) {
        if let Some(kept) = self.0 {
            kept.has_stepped();
        }
    }
}

impl<'a> Resting<'a> {
    /// One that runs in `session`, which is nobody else's, and makes its calls at `desk`; in `place`, if its run
    /// has none.
    pub(super) fn new(
        session: &'a mut Session,
        desk: Arc<Desk>,
        rests: &'a Rests,
        (awake, place): (Awake<'a>, Option<OwnedSemaphorePermit>),
    ) -> Self {
        let (start, all_awake) = (session.start().clone(), awake.0);
        let (awake, guest) = (Some(awake), None);
        Self { session, start, desk, rests, all_awake, awake, place, guest, kept: None }
    }

    /// The same, told to what writes down what becomes of its run.
    pub(super) fn kept_by(mut self, kept: Option<Arc<dyn Kept>>) -> Self {
        self.kept = kept;
        self
    }

    /// Runs a program to its end. Dropping the future stops it.
    pub(super) async fn run(mut self, program: Program) -> Result<Outcome, SessionError> {
        let started = SystemTime::now();
        self.guest = Some(self.session.lend(&program).await?);
        let mut input = Input::Run(program);
        loop {
            let Some(guest) = &mut self.guest else { return Err(gone()) };
            let stepping = Stepping::of(self.kept.as_deref());
            let step = guest.step(input).await;
            drop(stepping);
            match step {
                Ok(Step::Done(outcome)) => {
                    self.desk.messages_are_had();
                    return Ok(*outcome);
                }
                Ok(Step::Waiting(waiting)) => input = Input::Results(self.rest(waiting).await?),
                Err(error @ (StepError::Engine { .. } | StepError::Misused { .. })) => {
                    return Err(SessionError::Step(error));
                }
                Err(error) => {
                    self.desk.messages_are_had();
                    return Ok(stopped(&**guest, &error, started));
                }
            }
        }
    }

    /// Waits for what the program waits for.
    async fn rest(&mut self, waiting: Waiting) -> Result<Vec<CallResult>, SessionError> {
        self.desk.messages_are_had();
        for id in waiting.withdrawn {
            self.desk.withdraw(id);
        }
        for call in &waiting.calls {
            self.desk.begin(call);
        }
        let desk = Arc::clone(&self.desk);
        let mut news = Box::pin(news(&desk, waiting.wake_at));
        tokio::select! {
            biased;
            results = &mut news => return Ok(results),
            () = tokio::time::sleep(self.rests.freeze_after) => {}
            () = self.rests.places.wanted(), if self.place.is_some() => {}
        }
        let Some(image) = self.let_go().await else { return Ok(news.await) };
        let results = news.await;
        self.wake(&image).await?;
        Ok(results)
    }

    /// Freezes the guest and lets it go; `None` if it has to stay.
    async fn let_go(&mut self) -> Option<Image> {
        let guest = self.guest.as_mut()?;
        let image = match guest.freeze().await {
            Ok(image) => image,
            Err(error) => {
                warn!(error = %error, "a child that waits could not be frozen and stays in memory");
                return None;
            }
        };
        self.session.has_used(guest.usage());
        (self.guest, self.place, self.awake) = (None, None, None);
        Some(image)
    }

    /// Goes on from `image`, where there is room.
    async fn wake(&mut self, image: &Image) -> Result<(), SessionError> {
        self.place = self.rests.places.take().await;
        self.awake = Some(Awake::new(self.all_awake));
        let engine = Arc::clone(self.session.engine());
        self.guest = Some(engine.thaw(image, self.start.clone()).await?);
        Ok(())
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        // Also of one that was ended half-way.
        if let Some(guest) = &self.guest {
            self.session.has_used(guest.usage());
        }
        self.desk.close();
    }
}

/// Answers that have come, or none when it is time to go on.
async fn news(desk: &Desk, wake_at: Option<SystemTime>) -> Vec<CallResult> {
    let until = async {
        match wake_at {
            Some(at) => {
                let left = at.duration_since(SystemTime::now()).unwrap_or_default();
                tokio::time::sleep(left).await;
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        results = desk.answers() => results,
        () = until => Vec::new(),
    }
}

fn gone() -> SessionError {
    let source = Box::from("its guest was let go");
    SessionError::Step(StepError::Engine { engine: "child", action: "go on", source })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use async_trait::async_trait;
    use engine::image::Header;
    use engine::{
        CallId, Digest, FileAnswer, FileError, FileTask, FreezeError, Host, Limits, ProgramError,
        Shown, StartError, Usage,
    };
    use serde_json::value::RawValue;
    use upstream::{Options, Upstreams};

    use super::*;
    use crate::{Memory, Tools};

    /// Guests that rest once, and how many there are and were frozen.
    #[derive(Default)]
    struct Counts {
        guests: AtomicUsize,
        frozen: AtomicUsize,
    }

    struct Sleeper(Arc<Counts>);

    impl Sleeper {
        fn boxed(counts: &Arc<Counts>) -> Box<dyn Guest> {
            counts.guests.fetch_add(1, Ordering::AcqRel);
            Box::new(Self(Arc::clone(counts)))
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            self.0.guests.fetch_sub(1, Ordering::AcqRel);
        }
    }

    #[async_trait]
    impl Guest for Sleeper {
        async fn step(&mut self, input: Input) -> Result<Step, StepError> {
            Ok(match input {
                Input::Run(_) => Step::Waiting(Waiting::default()),
                Input::Results(_) => Step::Done(Box::new(Outcome {
                    success: true,
                    error: None,
                    ..Outcome::failed(ProgramError::default())
                })),
            })
        }

        async fn freeze(&mut self) -> Result<Image, FreezeError> {
            self.0.frozen.fetch_add(1, Ordering::AcqRel);
            let (engine, base) = ("sleeper".to_owned(), Digest([0; 32]));
            let header = Header { engine, base, body_bytes: 0, waiting: true };
            Ok(Image::new(header, Vec::new()))
        }

        async fn files(&mut self, _: FileTask) -> Result<FileAnswer, FileError> {
            unreachable!("a child has no files")
        }

        fn attach(&mut self, _: Arc<dyn Host>) {}

        fn show(&mut self, _: Shown) {}

        fn limit(&mut self, _: Limits) {}

        fn output(&self) -> (String, String) {
            (String::new(), String::new())
        }

        fn usage(&self) -> Usage {
            Usage { calls: 7, ..Usage::default() }
        }
    }

    struct Sleepers(Arc<Counts>);

    #[async_trait]
    impl engine::Engine for Sleepers {
        fn name(&self) -> &'static str {
            "sleepers"
        }

        async fn start(&self, _: Start, _: Option<&Program>) -> Result<Box<dyn Guest>, StartError> {
            Ok(Sleeper::boxed(&self.0))
        }

        async fn thaw(&self, _: &Image, _: Start) -> Result<Box<dyn Guest>, StartError> {
            Ok(Sleeper::boxed(&self.0))
        }
    }

    async fn until(holds: impl Fn() -> bool) {
        let wait = async {
            while !holds() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), wait).await.expect("it comes to that");
    }

    #[tokio::test]
    async fn a_child_that_waits_holds_no_guest_until_there_is_a_place_for_it() {
        let upstreams = Upstreams::new(Vec::new(), Options::default());
        let tools = Tools::new(upstreams, BTreeMap::new(), Memory::none());
        let most = 1 << 20;
        let desk = Desk::new(tools.offer("").await, Arc::default(), most, Arc::new(engine::NoHost));
        let (desk, counts) = (Arc::new(desk), Arc::new(Counts::default()));
        let awake = AtomicUsize::new(0);
        let rests = Rests { freeze_after: Duration::ZERO, places: Places::new(0) };
        let sleepers = Arc::new(Sleepers(Arc::clone(&counts)));
        let mut session = Session::new(sleepers, Start::default());
        let awoken = (Awake::new(&awake), None);
        let child = Resting::new(&mut session, Arc::clone(&desk), &rests, awoken);
        let has_guest = || counts.guests.load(Ordering::Acquire) > 0;
        let looks = async {
            until(|| counts.frozen.load(Ordering::Acquire) == 1 && !has_guest()).await;
            assert_eq!(awake.load(Ordering::Acquire), 0);
            let value = RawValue::from_string("1".to_owned()).unwrap();
            desk.refuse(CallResult { id: CallId(1), result: Ok(value) });
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert!(!has_guest(), "there is no place for it");
            rests.places.free.add_permits(1);
        };
        let (outcome, ()) = tokio::join!(child.run(Program::new("sleep")), looks);
        assert!(outcome.unwrap().success);
        assert_eq!((awake.load(Ordering::Acquire), rests.places.free.available_permits()), (0, 1));
        assert!(!has_guest());
        assert_eq!(session.used().calls, 7, "what it used is known though it was let go");
    }

    #[tokio::test]
    async fn a_child_that_waits_gives_its_place_to_one_that_wants_it() {
        let upstreams = Upstreams::new(Vec::new(), Options::default());
        let tools = Tools::new(upstreams, BTreeMap::new(), Memory::none());
        let most = 1 << 20;
        let desk = Desk::new(tools.offer("").await, Arc::default(), most, Arc::new(engine::NoHost));
        let (desk, counts) = (Arc::new(desk), Arc::new(Counts::default()));
        let awake = AtomicUsize::new(0);
        let hour = Duration::from_secs(3_600);
        let rests = Rests { freeze_after: hour, places: Places::new(1) };
        let sleepers = Arc::new(Sleepers(Arc::clone(&counts)));
        let mut session = Session::new(sleepers, Start::default());
        let own = rests.places.take().await;
        let awoken = (Awake::new(&awake), own);
        let child = Resting::new(&mut session, Arc::clone(&desk), &rests, awoken);
        let looks = async {
            tokio::time::sleep(2 * LOOK).await;
            assert_eq!(counts.guests.load(Ordering::Acquire), 1, "nobody wants its place");
            let other = tokio::time::timeout(Duration::from_secs(60), rests.places.take()).await;
            assert!(other.expect("it is given away").is_some());
            assert_eq!(counts.guests.load(Ordering::Acquire), 0);
            assert_eq!(counts.frozen.load(Ordering::Acquire), 1);
            let value = RawValue::from_string("1".to_owned()).unwrap();
            desk.refuse(CallResult { id: CallId(1), result: Ok(value) });
        };
        let (outcome, ()) = tokio::join!(child.run(Program::new("sleep")), looks);
        assert!(outcome.unwrap().success);
        assert_eq!(rests.places.free.available_permits(), 1);
        assert_eq!(rests.places.wanted.load(Ordering::Acquire), 0);
    }
}
