//! Where the browser returns to after a log-in.
//!
//! A listener on this machine that understands one request: the redirect that ends the log-in
//! under way, known by its `state`. Everything else is turned away and the wait goes on, since
//! any page the person has open could send requests here.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

/// Bytes a request may have before its head ends.
const HEAD_BYTES: usize = 16 << 10;
/// How long one browser connection may take; some are opened ahead and never used.
const CONNECTION_TIME: Duration = Duration::from_secs(10);
/// Connections that may be open at once.
const CONNECTIONS: usize = 32;

/// A listener for the end of one log-in.
pub(super) struct Callback {
    listener: TcpListener,
    address: String,
}

/// What the authorization server sent the browser back with.
pub(super) enum Outcome {
    /// It agreed.
    Code {
        /// To be exchanged for tokens.
        code: String,
        /// Who says so.
        issuer: Option<String>,
    },
    /// It did not.
    Refused {
        /// The protocol's word for it.
        error: String,
        /// Its own words.
        description: String,
    },
}

/// A browser that waits for its page.
pub(super) struct Arrival {
    pub(super) outcome: Outcome,
    stream: TcpStream,
}

impl Callback {
    /// Listens on a port of this machine, any free one unless told.
    pub(super) async fn bind(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let address = format!("http://127.0.0.1:{}/callback", listener.local_addr()?.port());
        Ok(Self { listener, address })
    }

    /// The redirect address.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Waits for the browser to return with this `state`.
    pub(super) async fn wait(&self, state: &str) -> io::Result<Arrival> {
        let mut visitors: JoinSet<Option<Arrival>> = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if visitors.len() < CONNECTIONS => {
                    let (stream, _) = accepted?;
                    let state = state.to_owned();
                    visitors.spawn(async move {
                        tokio::time::timeout(CONNECTION_TIME, received(stream, &state)).await.ok().flatten()
                    });
                }
                Some(visitor) = visitors.join_next() => {
                    if let Ok(Some(arrival)) = visitor {
                        return Ok(arrival);
                    }
                }
            }
        }
    }
}

impl Arrival {
    /// Shows the person how it ended.
    pub(super) async fn show(mut self, title: &str, text: &str) {
        // A browser that is gone misses only the page.
        let _ =
            tokio::time::timeout(CONNECTION_TIME, respond(&mut self.stream, "200 OK", title, text))
                .await;
    }
}

/// Reads one request, and answers it unless it is the one that is waited for.
async fn received(mut stream: TcpStream, state: &str) -> Option<Arrival> {
    let head = head(&mut stream).await?;
    match outcome(&head, state) {
        Ok(outcome) => Some(Arrival { outcome, stream }),
        Err(status) => {
            let text = "This address only ends a log-in that is under way. Go back to the page you came from.";
            let _ = respond(&mut stream, status, "Not part of this log-in", text).await;
            None
        }
    }
}

async fn head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 2048];
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        let read = stream.read(&mut chunk).await.ok()?;
        if read == 0 || bytes.len() + read > HEAD_BYTES {
            return None;
        }
        bytes.extend_from_slice(&chunk[..read]);
    }
    String::from_utf8(bytes).ok()
}

/// What a request says, or the status that turns it away.
fn outcome(head: &str, state: &str) -> Result<Outcome, &'static str> {
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    if words.next() != Some("GET") {
        return Err("405 Method Not Allowed");
    }
    let target = words.next().unwrap_or_default();
    let url = Url::parse("http://127.0.0.1")
        .and_then(|base| base.join(target))
        .map_err(|_| "400 Bad Request")?;
    if url.path() != "/callback" {
        return Err("404 Not Found");
    }
    // The first of each counts, and a second one makes the request ambiguous.
    let mut fields = std::collections::HashMap::new();
    for (name, value) in url.query_pairs() {
        if fields.insert(name.into_owned(), value.into_owned()).is_some() {
            return Err("400 Bad Request");
        }
    }
    if fields.get("state").map(String::as_str) != Some(state) {
        return Err("400 Bad Request");
    }
    if let Some(error) = fields.remove("error") {
        return Ok(Outcome::Refused {
            error,
            description: fields.remove("error_description").unwrap_or_default(),
        });
    }
    let code = fields.remove("code").ok_or("400 Bad Request")?;
    Ok(Outcome::Code { code, issuer: fields.remove("iss") })
}

async fn respond(stream: &mut TcpStream, status: &str, title: &str, text: &str) -> io::Result<()> {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
         <style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;\
         color-scheme:light dark}}</style><h1>{title}</h1><p>{text}</p></html>",
        title = escaped(title),
        text = escaped(text),
    );
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\nReferrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
        body.len(),
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_awaited_state_ends_a_log_in() {
        assert!(outcome("GET /callback?code=c&state=right HTTP/1.1\r\n\r\n", "right").is_ok());
        for head in [
            "GET /callback?code=c&state=wrong HTTP/1.1\r\n\r\n",
            "GET /callback?code=c HTTP/1.1\r\n\r\n",
            "GET /callback?code=c&state=right&state=right HTTP/1.1\r\n\r\n",
            "GET /callback?code=c&code=d&state=right HTTP/1.1\r\n\r\n",
            "GET /callback?state=right HTTP/1.1\r\n\r\n",
            "POST /callback?code=c&state=right HTTP/1.1\r\n\r\n",
            "GET /favicon.ico HTTP/1.1\r\n\r\n",
            "\r\n\r\n",
        ] {
            assert!(outcome(head, "right").is_err(), "{head}");
        }
    }

    #[test]
    fn a_refusal_is_told_in_the_servers_words() {
        let told = outcome(
            "GET /callback?error=access_denied&error_description=no+way&state=s HTTP/1.1\r\n\r\n",
            "s",
        );
        assert!(
            matches!(told, Ok(Outcome::Refused { error, description }) if error == "access_denied" && description == "no way")
        );
    }
}
