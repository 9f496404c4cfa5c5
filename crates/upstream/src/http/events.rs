//! Server-sent events with a bound on the size of one.

use std::io::Cursor;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use futures_util::stream::{BoxStream, StreamExt};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream_rmcp::{Sse, SseStream};

use super::fields::Fields;

pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Why a stream of events was given up.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamProblem {
    #[error("an event has more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error(transparent)]
    Request(#[from] reqwest::Error),
}

/// The events of a response, none larger than `limit`.
pub(super) fn events(response: reqwest::Response, limit: usize) -> Events {
    let bytes = Bounded {
        inner: response.bytes_stream().boxed(),
        limit,
        held: 0,
        at_line_start: true,
        is_over: false,
    };
    let mut fields = Fields::default();
    let mended = bytes.map(move |chunk| chunk.map(|chunk| Cursor::new(fields.mended(&chunk))));
    SseStream::from_bytes_stream(mended).boxed()
}

/// Whether a stream ended because an event was too large.
pub(super) fn is_too_large(error: &SseError) -> bool {
    match error {
        SseError::Body(source) => {
            matches!(source.downcast_ref::<StreamProblem>(), Some(StreamProblem::TooLarge { .. }))
        }
        _ => false,
    }
}

/// Counts the bytes since the last empty line, which is what a parser has to hold.
struct Bounded<S> {
    inner: S,
    limit: usize,
    held: usize,
    at_line_start: bool,
    is_over: bool,
}

impl<S> Bounded<S> {
    fn fits(&mut self, chunk: &[u8]) -> bool {
        for line in chunk.split_inclusive(|byte| *byte == b'\n') {
            let is_empty = line == b"\n" || line == b"\r\n";
            self.held = if self.at_line_start && is_empty { 0 } else { self.held + line.len() };
            self.at_line_start = line.ends_with(b"\n");
            if self.held > self.limit {
                return false;
            }
        }
        true
    }
}

impl<S, B> Stream for Bounded<S>
where
    S: Stream<Item = Result<B, reqwest::Error>> + Unpin,
    B: AsRef<[u8]>,
{
    type Item = Result<B, StreamProblem>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let next = match ready!(self.inner.poll_next_unpin(context)) {
            Some(Ok(chunk)) if self.fits(chunk.as_ref()) => Some(Ok(chunk)),
            Some(Ok(_)) => Some(Err(StreamProblem::TooLarge { limit: self.limit })),
            Some(Err(problem)) => Some(Err(problem.into())),
            None => None,
        };
        self.is_over = !matches!(next, Some(Ok(_)));
        Poll::Ready(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_counts_until_the_empty_line_after_it() {
        let mut bounded =
            Bounded { inner: (), limit: 20, held: 0, at_line_start: true, is_over: false };
        for chunk in [
            "data: 12345678\n",
            "\n",
            "data: 1\r\n",
            "data: 2\r\n",
            "\r\n",
            "data: 1234",
            "5678\n\n",
        ] {
            assert!(bounded.fits(chunk.as_bytes()), "{chunk:?}");
        }
        assert!(!bounded.fits(b"data: 123456789012345"));
    }

    #[test]
    fn an_event_without_end_is_noticed_in_pieces() {
        let mut bounded =
            Bounded { inner: (), limit: 20, held: 0, at_line_start: true, is_over: false };
        assert!(bounded.fits(b"data: 12345"));
        assert!(bounded.fits(b"67890"));
        assert!(!bounded.fits(b"12345"));
    }
}
