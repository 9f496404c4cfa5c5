//! A web page on this machine, for the server that fetches.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

const HTML: &str =
    "<html><head><title>Tides</title></head><body><p>High water at noon.</p></body></html>";

/// Served until the test ends.
pub(crate) struct Page {
    address: SocketAddr,
}

impl Page {
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that went away is not the page's problem.
                let _ = answer(stream);
            }
        });
        Self { address }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}/", self.address)
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let asked = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let (status, body) =
        if asked.starts_with("GET / ") { ("200 OK", HTML) } else { ("404 Not Found", "") };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
