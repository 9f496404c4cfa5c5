//! Bodies of requests on their way: how long each may be and take, and how much all of them may hold.
//!
//! Whoever sends slowly has us hold what came so far. One body is bounded by itself; many of them are
//! bounded by the room that all share, whichever door they come through. The last part of that room is
//! for small bodies alone, so that a few who fill it with large ones keep nobody else out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use futures_util::StreamExt as _;

/// What is small: such a body may use all of the room,
const SMALL: usize = 64 << 10;
/// and a larger one all but this part of it.
const FOR_SMALL: usize = 4;

/// Seconds after which it is worth sending a body again for which there was no room.
pub(crate) const LATER: u64 = 5;

/// What an operator decides about bodies.
#[derive(Debug, Clone, Copy)]
pub struct BodyRules {
    /// Bytes that one may have.
    pub each: usize,
    /// Bytes that all may hold together that are not wholly there.
    pub all: usize,
    /// How long one may be on its way.
    pub within: Duration,
}

impl Default for BodyRules {
    fn default() -> Self {
        Self { each: 16 << 20, all: 256 << 20, within: Duration::from_secs(60) }
    }
}

/// The room that all bodies share. A clone is the same room.
#[derive(Debug, Clone)]
pub struct Bodies {
    rules: BodyRules,
    held: Arc<AtomicUsize>,
}

impl Default for Bodies {
    fn default() -> Self {
        Self::new(BodyRules::default())
    }
}

/// Why a body was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It has more bytes than it may.
    TooLong,
    /// Others hold what there is of room.
    Full,
    /// It did not come in time.
    Late,
    /// Its sender went away, or sent something else than a body.
    Broken(axum::Error),
}

impl Bodies {
    /// Room for bodies under these rules.
    #[must_use]
    pub fn new(rules: BodyRules) -> Self {
        Self { rules, held: Arc::default() }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> BodyRules {
        self.rules
    }

    /// Bytes that are held of bodies which are not wholly there.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Reads a body that shares the room.
    pub(crate) async fn read(&self, body: Body) -> Result<Bytes, Unread> {
        if is_longer(&body, self.rules.each) {
            return Err(Unread::TooLong);
        }
        let claim = Claim { room: self, bytes: 0 };
        self.in_time(gathered(body.into_data_stream(), self.rules.each, Some(claim))).await
    }

    /// Reads a body of which there is one at a time, so that it needs no share of the room.
    pub(crate) async fn read_alone(&self, body: Body, most: usize) -> Result<Bytes, Unread> {
        if is_longer(&body, most) {
            return Err(Unread::TooLong);
        }
        self.in_time(gathered(body.into_data_stream(), most, None)).await
    }

    async fn in_time(
        &self,
        reading: impl Future<Output = Result<Bytes, Unread>>,
    ) -> Result<Bytes, Unread> {
        tokio::time::timeout(self.rules.within, reading).await.unwrap_or(Err(Unread::Late))
    }

    /// What is said of a body for which there was no room.
    pub(crate) fn said_full(&self) -> String {
        format!(
            "requests that are not wholly there hold as much as they may, {} bytes (setting `max-unfinished-bytes`)",
            self.rules.all
        )
    }

    /// What is said of one that was too slow.
    pub(crate) fn said_late(&self) -> String {
        let seconds = self.rules.within.as_secs_f64();
        format!("the body did not come within {seconds} s (setting `body-time`)")
    }
}

/// Whether a body says of itself that it is longer, so that nobody has to wait for it.
fn is_longer(body: &Body, most: usize) -> bool {
    usize::try_from(body.size_hint().lower()).map_or(true, |bytes| bytes > most)
}

/// What one body holds of the room, until it is there or given up.
struct Claim<'r> {
    room: &'r Bodies,
    bytes: usize,
}

impl Claim<'_> {
    /// Holds so much in all; false where there is no room for it.
    fn grow_to(&mut self, bytes: usize) -> bool {
        let all = self.room.rules.all;
        let bound = if bytes <= SMALL { all } else { all - all / FOR_SMALL };
        let more = bytes.saturating_sub(self.bytes);
        let fits = |held: usize| held.checked_add(more).filter(|held| *held <= bound);
        let grown = self.room.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if grown {
            self.bytes += more;
        }
        grown
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.room.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// All of a body. Its parts are copied into one place: a part of one byte keeps a buffer of thousands.
async fn gathered(
    mut body: BodyDataStream,
    most: usize,
    mut claim: Option<Claim<'_>>,
) -> Result<Bytes, Unread> {
    let mut read = Vec::new();
    while let Some(part) = body.next().await {
        let part = part.map_err(Unread::Broken)?;
        let needed = read.len().saturating_add(part.len());
        if needed > most {
            return Err(Unread::TooLong);
        }
        if needed > read.capacity() {
            let larger = read.capacity().saturating_mul(2).clamp(needed, most);
            if claim.as_mut().is_some_and(|claim| !claim.grow_to(larger)) {
                return Err(Unread::Full);
            }
            read.reserve_exact(larger - read.len());
        }
        read.extend_from_slice(&part);
    }
    Ok(read.into())
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, stream};

    use super::*;

    fn room(all: usize) -> Bodies {
        Bodies::new(BodyRules { each: 1 << 20, all, within: Duration::from_secs(5) })
    }

    /// A body that says so much and then no more, until its sender is dropped.
    fn half(bytes: usize) -> (Body, tokio::sync::oneshot::Sender<()>) {
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let first = stream::once(async move { Ok::<_, std::io::Error>(vec![b'x'; bytes]) });
        let rest = stream::once(async move {
            receiver.await.map(|()| Vec::new()).map_err(std::io::Error::other)
        });
        (Body::from_stream(first.chain(rest)), sender)
    }

    #[tokio::test]
    async fn what_is_not_wholly_there_holds_so_much_and_no_more() {
        let room = room(1 << 20);
        let (body, going_on) = half(700 << 10);
        let mut first = Box::pin(room.read(body));
        assert!((&mut first).now_or_never().is_none());
        assert_eq!(room.held(), 700 << 10);
        // A quarter is for small ones alone.
        let second = room.read(Body::from(vec![b'y'; 100 << 10])).await;
        assert!(matches!(second, Err(Unread::Full)), "{second:?}");
        let small = room.read(Body::from(vec![b'z'; 60 << 10])).await.unwrap();
        assert_eq!(small.len(), 60 << 10);
        assert_eq!(room.held(), 700 << 10);
        going_on.send(()).unwrap();
        assert_eq!(first.await.unwrap().len(), 700 << 10);
        assert_eq!(room.held(), 0);
        assert!(room.read(Body::from(vec![b'y'; 100 << 10])).await.is_ok());
    }

    #[tokio::test]
    async fn one_that_is_given_up_holds_nothing() {
        let room = room(1 << 20);
        let (body, going_on) = half(500 << 10);
        let mut reading = Box::pin(room.read(body));
        assert!((&mut reading).now_or_never().is_none());
        drop(going_on);
        assert!(matches!(reading.await, Err(Unread::Broken(_))));
        let (body, _going_on) = half(500 << 10);
        let mut reading = Box::pin(room.read(body));
        assert!((&mut reading).now_or_never().is_none());
        assert!(room.held() > 0);
        drop(reading);
        assert_eq!(room.held(), 0);
    }

    #[tokio::test]
    async fn parts_of_one_byte_hold_no_more_than_twice_what_they_say() {
        let room = room(1 << 20);
        let parts = stream::iter((0..10_000).map(|_| Ok::<_, std::io::Error>(vec![b'x'])));
        let body = Body::from_stream(parts.chain(stream::pending()));
        let mut reading = Box::pin(room.read(body));
        while room.held() < 10_000 {
            assert!((&mut reading).now_or_never().is_none());
        }
        assert!(room.held() <= 20_000, "{}", room.held());
    }

    #[tokio::test]
    async fn one_that_is_too_long_or_too_slow_is_not_read() {
        let slow = Bodies::new(BodyRules {
            each: 1_000,
            within: Duration::from_millis(20),
            ..BodyRules::default()
        });
        let read = slow.read(Body::from(vec![b'x'; 1_001])).await;
        assert!(matches!(read, Err(Unread::TooLong)), "{read:?}");
        assert_eq!(slow.read(Body::from(vec![b'x'; 1_000])).await.unwrap().len(), 1_000);
        // One that says how long it is need not come.
        assert!(is_longer(&Body::from(vec![b'x'; 11]), 10));
        assert!(!is_longer(&Body::from(vec![b'x'; 10]), 10));
        assert!(!is_longer(&half(10).0, 5));
        let (body, _going_on) = half(10);
        let read = slow.read(body).await;
        assert!(matches!(read, Err(Unread::Late)), "{read:?}");
        assert!(slow.said_late().contains("`body-time`"), "{}", slow.said_late());
        let alone = slow.read_alone(Body::from(vec![b'x'; 5_000]), 5_000).await.unwrap();
        assert_eq!((alone.len(), slow.held()), (5_000, 0));
    }
}
