//! As little of HTTP/1.1 as it takes to post JSON: the generator shares the cores with what it measures.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::Failure;

/// A connection that is kept open.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Connection {
    pub(crate) async fn open(port: u16) -> Result<Self, Failure> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4096) })
    }

    pub(crate) async fn post(&mut self, path: &str, body: &str) -> Result<Answer, Failure> {
        self.ask("POST", path, body).await
    }

    pub(crate) async fn ask(
        &mut self,
        method: &str,
        path: &str,
        body: &str,
    ) -> Result<Answer, Failure> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            self.more().await?;
        };
        let text = std::str::from_utf8(&self.buffer[..head])?.to_ascii_lowercase();
        let status = text.split(' ').nth(1).ok_or("no status")?.parse()?;
        let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.ok_or("no content-length")?.trim().parse()?;
        while self.buffer.len() < head + length {
            self.more().await?;
        }
        let body = String::from_utf8(self.buffer[head..head + length].to_vec())?;
        Ok(Answer { status, body })
    }

    async fn more(&mut self) -> Result<(), Failure> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err("the connection was closed".into()),
            _ => Ok(()),
        }
    }
}
