//! MCP over two byte streams: one message a line.
//!
//! rmcp's own transport drops a line that is too long and one that is not JSON, and whoever
//! waits for that answer waits for ever. This one fails the request instead and carries on.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use crate::feed::{Feed, NoteKind};
use crate::message::{ENDS, Inbox, Received, asked};

/// Bytes read at once. As much as a pipe holds.
const CHUNK: usize = 64 << 10;
/// A buffer that grew beyond this for one large answer is given back.
const KEPT: usize = 1 << 20;

/// One message a line, in both directions.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The last bytes of a line that is too long, while the rest of it is being skipped.
    skipped: Option<Vec<u8>>,
    limit: usize,
    write: Arc<Mutex<Option<W>>>,
    inbox: Inbox,
    ready: VecDeque<ServerJsonRpcMessage>,
    feed: Arc<Feed>,
}

/// What a chunk of input completed.
enum Step {
    More,
    Line,
    TooLong { tail: Vec<u8> },
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    /// `limit` is the length of the longest line that is read.
    pub(crate) fn new(read: R, write: W, limit: usize, feed: Arc<Feed>) -> Self {
        Self {
            read: BufReader::with_capacity(CHUNK, read),
            line: Vec::new(),
            skipped: None,
            limit,
            write: Arc::new(Mutex::new(Some(write))),
            inbox: Inbox::default(),
            ready: VecDeque::new(),
            feed,
        }
    }

    /// Reads until `self.line` is a line or a line was too long; false at the end of the input.
    ///
    /// May be dropped at any await without losing bytes: rmcp does that all the time.
    async fn advance(&mut self) -> io::Result<Option<Step>> {
        let available = self.read.fill_buf().await?;
        if available.is_empty() {
            return Ok(None);
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..newline.unwrap_or(available.len())];
        let taken = part.len() + usize::from(newline.is_some());

        let step = if let Some(tail) = &mut self.skipped {
            keep_end(tail, part);
            match newline {
                Some(_) => Step::TooLong { tail: self.skipped.take().unwrap_or_default() },
                None => Step::More,
            }
        } else if self.line.len() + part.len() > self.limit {
            let mut tail = Vec::new();
            keep_end(&mut tail, &self.line);
            keep_end(&mut tail, part);
            let missing = ENDS.saturating_sub(self.line.len()).min(part.len());
            self.line.extend_from_slice(&part[..missing]);
            self.line.truncate(ENDS);
            if newline.is_some() {
                Step::TooLong { tail }
            } else {
                self.skipped = Some(tail);
                Step::More
            }
        } else {
            self.line.extend_from_slice(part);
            if newline.is_some() { Step::Line } else { Step::More }
        };
        self.read.consume(taken);
        Ok(Some(step))
    }

    fn take_line(&mut self) {
        match self.inbox.received(&self.line) {
            Received::Messages(messages) => self.ready.extend(messages),
            Received::Stray if self.line.trim_ascii().is_empty() => {}
            Received::Stray => {
                let shown = &self.line[..self.line.len().min(CHUNK)];
                self.feed.note(NoteKind::Stray, String::from_utf8_lossy(shown).trim());
            }
        }
        self.clear();
    }

    fn take_too_long(&mut self, tail: &[u8]) {
        let failed = self.inbox.too_large(&self.line, tail, self.limit);
        self.feed.note(
            NoteKind::Noticed,
            &format!("an answer of more than {} bytes was skipped", self.limit),
        );
        self.ready.extend(failed);
        self.clear();
    }

    fn clear(&mut self) {
        self.line.clear();
        if self.line.capacity() > KEPT {
            self.line = Vec::new();
        }
    }
}

/// Appends, and keeps only the last bytes.
fn keep_end(kept: &mut Vec<u8>, part: &[u8]) {
    let part = &part[part.len().saturating_sub(ENDS)..];
    let surplus = (kept.len() + part.len()).saturating_sub(ENDS);
    kept.drain(..surplus.min(kept.len()));
    kept.extend_from_slice(part);
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.inbox.sending(&item);
        let line = asked::leaving(&item).map(|mut line| {
            line.push(b'\n');
            line
        });
        let write = self.write.clone();
        async move {
            let line = line?;
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            write.write_all(&line).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            match self.advance().await {
                Ok(Some(Step::More)) => {}
                Ok(Some(Step::Line)) => self.take_line(),
                Ok(Some(Step::TooLong { tail })) => self.take_too_long(&tail),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.write.lock().await.take();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{
        CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, Request,
        RequestId,
    };

    use super::*;
    use crate::message::TOO_LARGE;

    #[tokio::test]
    async fn an_answer_at_the_limit_arrives_and_one_above_it_fails_its_request() {
        let answer = |id: i64, filler: usize| {
            format!("{{\"id\":{id},\"result\":{{\"x\":\"{}\"}}}}", "a".repeat(filler))
        };
        let limit = answer(0, 200_000).len();
        let text =
            format!("{}\nnoise\n{}\n{}\n", answer(0, 200_000), answer(1, 200_001), answer(2, 5));
        let mut lines = lines(text.as_bytes(), limit, 3);
        assert!(
            matches!(lines.receive().await, Some(JsonRpcMessage::Response(answer)) if answer.id == 0.into_id())
        );
        assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Error(error))
            if error.id == Some(1.into_id()) && error.error.code == TOO_LARGE));
        assert!(
            matches!(lines.receive().await, Some(JsonRpcMessage::Response(answer)) if answer.id == 2.into_id())
        );
        assert!(lines.receive().await.is_none());
        let notes: Vec<_> = lines.feed.notes().into_iter().map(|note| note.text).collect();
        assert_eq!(
            notes,
            ["noise".to_owned(), format!("an answer of more than {limit} bytes was skipped")]
        );
    }

    #[tokio::test]
    async fn the_number_is_found_at_the_end_of_a_long_answer_too() {
        for filler in [10, 1_000, 3_000, 70_000, 200_000] {
            let text = format!(
                "{{\"result\":{{\"x\":\"{}\"}},\"jsonrpc\":\"2.0\",\"id\":1}}\n",
                "a".repeat(filler)
            );
            let mut lines = lines(text.as_bytes(), 8, 3);
            assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Error(error))
                if error.id == Some(1.into_id())));
            assert!(lines.receive().await.is_none(), "{filler}");
        }
    }

    trait IntoId {
        fn into_id(self) -> RequestId;
    }

    impl IntoId for i64 {
        fn into_id(self) -> RequestId {
            RequestId::Number(self)
        }
    }

    fn lines(input: &[u8], limit: usize, waiting: i64) -> Lines<&[u8], tokio::io::Sink> {
        let mut lines = Lines::new(input, tokio::io::sink(), limit, Arc::default());
        for id in 0..waiting {
            let request =
                ClientRequest::CallToolRequest(Request::new(CallToolRequestParams::new("tool")));
            lines.inbox.sending(&ClientJsonRpcMessage::request(request, RequestId::Number(id)));
        }
        lines
    }
}
