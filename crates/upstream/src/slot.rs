//! The place of one server: connected at most once, however many ask at once.
//!
//! ```text
//! Idle ──somebody asks──► Connecting ──► Connected ──lost──► Idle
//!                           │    ▲
//!                        fails   │ asked again after the back-off
//!                           ▼    │
//!                          Failed
//! ```
//!
//! * **One attempt at a time.** Whoever asks while one is under way waits for its outcome.
//! * **A crash is no failure.** A server that was connected and is lost is connected to again at
//!   the next call; only attempts that fail make the next one wait.
//! * **What was listed stays known** while the server is away.
//! * Tasks belong to the slot and end with it; they hold no strong reference to it.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant, SystemTime};

use catalog::{Listing, ToolName};
use tokio::sync::{Semaphore, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::codemode;
use crate::connection::{Connection, Facts};
use crate::error::ConnectError;
use crate::feed::{Feed, NoteKind, Tools, lock};
use crate::open::Opener;
use crate::settings::{ServerSettings, Startup};
use crate::status::{ServerState, ServerStatus};

/// The wait after the first failed attempt; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A wait that is over this soon is waited for; otherwise the last reason is the answer.
const SOON: Duration = Duration::from_secs(1);
/// The least time between two looks at a list that keeps changing.
const REFRESH: Duration = Duration::from_millis(200);

/// A live connection and the task that watches it.
pub(crate) struct Live {
    pub(crate) connection: Arc<dyn Connection>,
    facts: Facts,
    _watcher: AbortOnDropHandle<()>,
}

type Outcome = Option<Result<Arc<Live>, ConnectError>>;

enum State {
    Idle { last: Option<String> },
    Connecting { outcome: watch::Receiver<Outcome>, _attempt: AbortOnDropHandle<()> },
    Connected(Arc<Live>),
    Failed { problem: ConnectError, retry_at: Instant, _retry: Option<AbortOnDropHandle<()>> },
    Closed,
}

struct Inner {
    state: State,
    since: SystemTime,
    failures: u32,
    /// Why the last attempt failed, as it was told.
    told: Option<String>,
    /// When the first of the attempts that failed did.
    failing_since: Option<SystemTime>,
    listing: Option<Arc<Listing>>,
    code_mode: Option<String>,
    facts: Facts,
}

/// The place of one server.
pub(crate) struct Slot {
    pub(crate) settings: ServerSettings,
    pub(crate) permits: Semaphore,
    opener: Opener,
    feed: Arc<Feed>,
    changes: Arc<watch::Sender<u64>>,
    inner: Mutex<Inner>,
}

impl Slot {
    pub(crate) fn new(
        settings: ServerSettings,
        opener: Opener,
        feed: Arc<Feed>,
        changes: Arc<watch::Sender<u64>>,
    ) -> Arc<Self> {
        let inner = Inner {
            state: State::Idle { last: None },
            since: SystemTime::now(),
            failures: 0,
            told: None,
            failing_since: None,
            listing: None,
            code_mode: None,
            facts: Facts::default(),
        };
        let permits = Semaphore::new(settings.concurrency.clamp(1, Semaphore::MAX_PERMITS));
        let slot =
            Arc::new(Self { settings, permits, opener, feed, changes, inner: Mutex::new(inner) });
        if slot.settings.startup == Startup::Eager {
            slot.attempt_in_background();
        }
        slot
    }

    /// The connection, made if there is none.
    pub(crate) async fn connection(self: &Arc<Self>) -> Result<Arc<Live>, ConnectError> {
        let mut outcome = {
            let mut inner = lock(&self.inner);
            match &inner.state {
                State::Connected(live) if live.connection.is_open() => return Ok(live.clone()),
                State::Connecting { outcome, .. } => outcome.clone(),
                State::Failed { problem, retry_at, .. }
                    if retry_at.saturating_duration_since(Instant::now()) > SOON =>
                {
                    return Err(problem.clone());
                }
                State::Closed => return Err(self.closed()),
                State::Idle { .. } | State::Connected(_) | State::Failed { .. } => {
                    self.attempt(&mut inner)
                }
            }
        };
        let result =
            outcome.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
        result.unwrap_or_else(|| Err(self.closed()))
    }

    /// What the server offers, as of its last word on it.
    pub(crate) async fn listing(self: &Arc<Self>) -> Result<Arc<Listing>, ConnectError> {
        self.connection().await?;
        // It has said that its tools changed, and they are being asked for.
        let mut tools = self.feed.tools();
        let _ = tokio::time::timeout(
            self.settings.timeouts.connect,
            tools.wait_for(|tools| !tools.are_stale()),
        )
        .await;
        self.known_listing().ok_or_else(|| self.closed())
    }

    /// Asks for the list as if the server had said that it changed: its word may be on the way,
    /// behind the answer that a program has already seen. No oftener than [`REFRESH`] allows.
    pub(crate) async fn listing_again(self: &Arc<Self>) -> Result<Arc<Listing>, ConnectError> {
        let was_connected =
            matches!(&lock(&self.inner).state, State::Connected(live) if live.connection.is_open());
        // Connecting asks for the list anyway.
        if was_connected {
            self.feed.tools_changed();
        }
        self.listing().await
    }

    pub(crate) fn known_listing(&self) -> Option<Arc<Listing>> {
        lock(&self.inner).listing.clone()
    }

    /// How long a call of this tool may take.
    pub(crate) fn allowed(&self, tool: &ToolName) -> Duration {
        let timeouts = &self.settings.timeouts;
        timeouts.tools.get(tool).copied().unwrap_or(timeouts.call)
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let inner = lock(&self.inner);
        let state = match &inner.state {
            State::Connected(live) if live.connection.is_open() => ServerState::Connected,
            State::Connected(_) | State::Closed => ServerState::NotConnected { last: None },
            State::Idle { last } => ServerState::NotConnected { last: last.clone() },
            State::Connecting { .. } => ServerState::Connecting,
            State::Failed { problem: problem @ ConnectError::LoginNeeded { .. }, .. } => {
                ServerState::WantsLogin { reason: problem.to_string() }
            }
            State::Failed { problem, retry_at, .. } => ServerState::Failed {
                reason: problem.to_string(),
                again_in: retry_at.saturating_duration_since(Instant::now()),
            },
        };
        ServerStatus {
            name: self.settings.name.clone(),
            state,
            since: inner.since,
            failing: inner.failing_since.zip(inner.told.clone()),
            tools: inner.listing.as_ref().map(|listing| listing.tools.len()),
            protocol: inner.facts.protocol.clone(),
            server: inner.facts.server.clone(),
            left_out: inner.facts.left_out.clone(),
            code_mode: inner.code_mode.clone(),
            notes: self.feed.notes(),
            stderr: self.feed.stderr_text(),
        }
    }

    /// Ends the connection, and lets no other be made.
    pub(crate) async fn close(&self) {
        let before = {
            let mut inner = lock(&self.inner);
            inner.since = SystemTime::now();
            std::mem::replace(&mut inner.state, State::Closed)
        };
        if let State::Connected(live) = before {
            live.connection.close().await;
        }
    }

    fn closed(&self) -> ConnectError {
        ConnectError::Unusable {
            server: self.settings.name.clone(),
            place: "this gateway".to_owned(),
            reason: "it was removed from the configuration or the gateway is shutting down"
                .to_owned(),
        }
    }

    fn attempt_in_background(self: &Arc<Self>) {
        let mut inner = lock(&self.inner);
        if matches!(inner.state, State::Idle { .. } | State::Failed { .. }) {
            self.attempt(&mut inner);
        }
    }

    /// Starts an attempt to connect, after what is left of the wait for it.
    fn attempt(self: &Arc<Self>, inner: &mut MutexGuard<'_, Inner>) -> watch::Receiver<Outcome> {
        let wait = match &inner.state {
            State::Failed { retry_at, .. } => retry_at.saturating_duration_since(Instant::now()),
            _ => Duration::ZERO,
        };
        let (tell, outcome) = watch::channel(None);
        let slot = Arc::downgrade(self);
        let opener = self.opener.clone();
        let attempt = tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let opened = opener.open().await;
            let Some(slot) = slot.upgrade() else { return };
            tell.send_replace(Some(slot.settle(opened)));
        });
        let attempt = AbortOnDropHandle::new(attempt);
        inner.since = SystemTime::now();
        inner.state = State::Connecting { outcome: outcome.clone(), _attempt: attempt };
        outcome
    }

    /// Records how an attempt ended.
    fn settle(
        self: &Arc<Self>,
        opened: Result<(Arc<dyn Connection>, Listing), ConnectError>,
    ) -> Result<Arc<Live>, ConnectError> {
        let (connection, listing) = match opened {
            Ok(opened) => opened,
            Err(problem) => return Err(self.failed(problem)),
        };
        let watcher =
            tokio::spawn(watch_over(Arc::downgrade(self), connection.clone(), self.feed.clone()));
        let live = Arc::new(Live {
            facts: connection.facts(),
            connection,
            _watcher: AbortOnDropHandle::new(watcher),
        });
        self.listed(listing);
        let mut inner = lock(&self.inner);
        if matches!(inner.state, State::Closed) {
            return Err(self.closed());
        }
        inner.failures = 0;
        inner.told = None;
        inner.failing_since = None;
        inner.facts = live.facts.clone();
        inner.since = SystemTime::now();
        // Ends the handle of the task this runs in, which has nothing left to wait for.
        inner.state = State::Connected(live.clone());
        Ok(live)
    }

    fn failed(self: &Arc<Self>, problem: ConnectError) -> ConnectError {
        let mut inner = lock(&self.inner);
        let said = problem.in_short();
        // Attempts follow one another. What the server wrote is told with the first of them, and of the
        // others only a reason that is new.
        match &inner.told {
            None => {
                tracing::warn!(server = %self.settings.name, %problem, "server could not be connected to");
            }
            Some(told) if *told != said => {
                tracing::warn!(server = %self.settings.name, problem = said, "server could not be connected to");
            }
            Some(_) => {}
        }
        inner.told = Some(said);
        inner.failing_since.get_or_insert_with(SystemTime::now);
        if matches!(inner.state, State::Closed) {
            return problem;
        }
        inner.failures = inner.failures.saturating_add(1);
        let wait = match problem {
            // Ends with a log-in, not with time.
            ConnectError::LoginNeeded { .. } => FIRST_WAIT,
            _ => wait_after(inner.failures),
        };
        let eager = self.settings.startup == Startup::Eager
            && !matches!(problem, ConnectError::LoginNeeded { .. });
        let retry =
            eager.then(|| AbortOnDropHandle::new(tokio::spawn(later(Arc::downgrade(self), wait))));
        inner.since = SystemTime::now();
        inner.state = State::Failed {
            problem: problem.clone(),
            retry_at: Instant::now() + wait,
            _retry: retry,
        };
        problem
    }

    /// Stores what the server offers, and tells if it is something else than before.
    fn listed(&self, listing: Listing) {
        let code_mode = codemode::recognise(&listing);
        let mut inner = lock(&self.inner);
        if inner.listing.as_deref() == Some(&listing) {
            return;
        }
        if let Some(reason) = code_mode.as_ref().filter(|_| code_mode != inner.code_mode) {
            tracing::warn!(server = %self.settings.name, reason, "server is itself a gateway for programs");
        }
        inner.code_mode = code_mode;
        inner.listing = Some(Arc::new(listing));
        drop(inner);
        self.changes.send_modify(|count| *count += 1);
    }

    /// The connection ended by itself.
    fn lost(self: &Arc<Self>, connection: &Arc<dyn Connection>, reason: String) {
        self.feed.note(NoteKind::Noticed, &format!("the connection ended: {reason}"));
        let mut inner = lock(&self.inner);
        let is_current = matches!(&inner.state, State::Connected(live) if Arc::ptr_eq(&live.connection, connection));
        if !is_current {
            return;
        }
        inner.since = SystemTime::now();
        inner.state = State::Idle { last: Some(reason) };
        drop(inner);
        if self.settings.startup == Startup::Eager {
            self.attempt_in_background();
        }
    }
}

/// The wait after this many failures: doubled each time, up to a limit, and a little by chance,
/// so that servers that went down together do not come back together.
fn wait_after(failures: u32) -> Duration {
    let full = FIRST_WAIT
        .saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)))
        .min(LONGEST_WAIT);
    let chance = u32::try_from(RandomState::new().hash_one(failures) % 512).unwrap_or_default();
    full * (512 + chance) / 1_024
}

async fn later(slot: Weak<Slot>, wait: Duration) {
    tokio::time::sleep(wait).await;
    if let Some(slot) = slot.upgrade() {
        slot.attempt_in_background();
    }
}

/// Looks after a connection: asks for its tools when they changed, and notices its end.
async fn watch_over(slot: Weak<Slot>, connection: Arc<dyn Connection>, feed: Arc<Feed>) {
    let mut tools = feed.tools();
    loop {
        let changed = tokio::select! {
            reason = connection.ended() => {
                if let Some(slot) = slot.upgrade() {
                    slot.lost(&connection, reason);
                }
                return;
            }
            tools = tools.wait_for(Tools::are_stale) => match tools {
                Ok(tools) => tools.changed,
                Err(_) => return,
            },
        };
        let listing = connection.listing().await;
        let Some(slot) = slot.upgrade() else { return };
        match listing {
            Ok(listing) => {
                slot.listed(listing);
                lock(&slot.inner).facts = connection.facts();
            }
            Err(problem) => feed.note(NoteKind::Noticed, &problem.to_string()),
        }
        feed.tools_seen(changed);
        drop(slot);
        tokio::time::sleep(REFRESH).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_differ() {
        for failures in 1..40 {
            let wait = wait_after(failures);
            assert!(wait >= FIRST_WAIT / 2 && wait <= LONGEST_WAIT, "{failures}: {wait:?}");
        }
        assert!(wait_after(20) >= LONGEST_WAIT / 2);
        let waits: std::collections::HashSet<_> = (0..20).map(|_| wait_after(10)).collect();
        assert!(waits.len() > 1);
    }
}
