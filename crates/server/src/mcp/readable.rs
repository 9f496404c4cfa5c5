//! A client's lines, made readable: whatever it writes with a number is answered.
//!
//! rmcp passes over a line that it cannot read, and whoever wrote it waits forever. JSON of a text that
//! was cut within a letter, or nested deeper than anybody reads, is no reason for that.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio_util::task::AbortOnDropHandle;

/// What a request is called instead that cannot be read.
pub(super) const UNREADABLE: &str = "tidegate/unreadable";

/// Bytes on their way.
const PIPE: usize = 256 << 10;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<String>,
}

/// The same lines, each of them readable; and the task that sees to it.
pub(super) fn lines<R>(reading: R) -> (DuplexStream, AbortOnDropHandle<()>)
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let (mut to, from) = tokio::io::duplex(PIPE);
    let task = tokio::spawn(async move {
        let mut reading = BufReader::new(reading);
        let mut line = Vec::new();
        while reading.read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
            let written = match readable(&line) {
                None => to.write_all(&line).await,
                Some(other) => to.write_all(&other).await,
            };
            if written.is_err() {
                return;
            }
            line.clear();
        }
    });
    (from, AbortOnDropHandle::new(task))
}

/// Another line for one that cannot be read.
fn readable(line: &[u8]) -> Option<Vec<u8>> {
    let reads = |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok();
    if line.trim_ascii().is_empty() || reads(line) {
        return None;
    }
    if let Some(mended) = upstream::whole_letters(line)
        && reads(&mended)
    {
        return Some(mended);
    }
    let envelope: Envelope<'_> = serde_json::from_slice(line).ok()?;
    let id = envelope.id.filter(|_| envelope.method.is_some())?;
    let request = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{UNREADABLE}"}}"#, id.get());
    Some(format!("{request}\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_number_is_readable() {
        let of =
            |line: &str| readable(line.as_bytes()).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(of("{\"id\":1,\"method\":\"ping\"}\n"), None);
        assert_eq!(
            of("{\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\\ud83d\"}}\n").unwrap(),
            "{\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\\ufffd\"}}\n"
        );
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let said = of(&format!("{{\"id\":\"a\",\"method\":\"x\",\"params\":{deep}}}\n")).unwrap();
        assert_eq!(said, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tidegate/unreadable\"}\n");
        assert_eq!(of("nonsense\n"), None);
    }
}
