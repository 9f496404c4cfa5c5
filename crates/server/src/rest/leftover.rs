//! What is left of a request's body once the request was refused.
//!
//! A refusal is often ready before the body has come. Whoever is still sending then would see a broken
//! connection, or over HTTP/2 a stream that was reset, and not the words; so what is left is read and
//! thrown away first, if it is no more than anybody would send by mistake.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, HttpBody as _};
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, StatusCode, header};

/// How much is thrown away at most,
const MOST: usize = 64 << 20;
/// and how long it is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// One part of a body.
type Part = <BodyDataStream as stream::Stream>::Item;

/// A body that somebody reads, and we after them.
pub(super) struct Leftover(Option<Arc<Mutex<Reading>>>);

struct Reading {
    body: BodyDataStream,
    /// Nothing more comes, and nobody asks again.
    ended: bool,
}

impl Leftover {
    /// The same body, and what will be left of it.
    pub(super) fn of(headers: &HeaderMap, body: Body) -> (Body, Self) {
        // One who waits to be told to go on sends nothing after a refusal.
        if body.is_end_stream() || headers.contains_key(header::EXPECT) {
            return (body, Self(None));
        }
        let reading = Reading { body: body.into_data_stream(), ended: false };
        let reading = Arc::new(Mutex::new(reading));
        let shared = Arc::clone(&reading);
        let body = Body::from_stream(stream::poll_fn(move |context| next(&shared, context)));
        (body, Self(Some(reading)))
    }

    /// Reads what is left after an answer of this status, if its sender may be sending still.
    pub(super) async fn drain(self, status: StatusCode) {
        // One who was too slow is not waited for again.
        let sends = status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT;
        let Some(reading) = self.0.filter(|_| sends) else { return };
        let draining = async {
            let mut rest = pin!(stream::poll_fn(|context| next(&reading, context)));
            let mut read = 0_usize;
            while let Some(Ok(part)) = rest.next().await {
                read = read.saturating_add(part.len());
                if read > MOST {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, draining).await;
    }
}

fn next(reading: &Mutex<Reading>, context: &mut Context<'_>) -> Poll<Option<Part>> {
    let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
    if reading.ended {
        return Poll::Ready(None);
    }
    let part = reading.body.poll_next_unpin(context);
    reading.ended = matches!(part, Poll::Ready(None | Some(Err(_))));
    part
}
