//! A gateway that listens somewhere, asked over HTTP.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

use crate::exit::{Ending, Misuse};
use crate::{out, show};

/// Writes a file that nobody else may read: it holds whatever the program has in memory.
pub(crate) fn written(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true).mode(0o600);
    let written = options.open(file).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| {
        Misuse::error(format!(
            "could not write {}: {error}; choose another with -o",
            file.display()
        ))
    })
}

pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| {
        Misuse::error(format!("could not read {}: {error}; check the path", file.display()))
    })
}

/// Where a gateway listens, and how one comes in.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Where {
    /// Where the gateway listens; `TIDEGATE_URL` otherwise, or `http://127.0.0.1:8030`.
    #[arg(long, global = true)]
    url: Option<String>,
    /// A file with the token to come in with; `TIDEGATE_TOKEN` otherwise.
    #[arg(long, value_name = "FILE", global = true)]
    token_file: Option<PathBuf>,
}

/// A gateway that listens.
pub(crate) struct Gateway {
    client: Client,
    url: String,
    token: Option<String>,
    pub(crate) json: bool,
}

impl Gateway {
    pub(crate) fn new(place: &Where, json: bool) -> anyhow::Result<Self> {
        let url = place.url.clone().or_else(|| std::env::var("TIDEGATE_URL").ok());
        let token = match &place.token_file {
            Some(file) => Some(std::fs::read_to_string(file).map_err(|error| {
                Misuse::error(format!("could not read {}: {error}; check the path", file.display()))
            })?),
            None => std::env::var("TIDEGATE_TOKEN").ok(),
        };
        Ok(Self {
            client: Client::new(),
            url: url.unwrap_or_else(|| "http://127.0.0.1:8030".to_owned()),
            token: token.map(|token| token.trim().to_owned()),
            json,
        })
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.url.trim_end_matches('/'));
        let request = self.client.request(method, url);
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> anyhow::Result<reqwest::Response> {
        let url = &self.url;
        let response = request.send().await.map_err(|error| {
            Misuse::error(format!(
                "no gateway answers at {url}: {error}; start one with `tidegate serve`, or say where it is with --url"
            ))
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let said: Value = response.json().await.unwrap_or_default();
        let words = said["error"]["message"].as_str().unwrap_or("no more is known");
        Err(Misuse::error(format!("the gateway at {url} refused ({status}): {words}")))
    }

    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = self.send(request).await?;
        response.json().await.context("the gateway's answer cannot be read")
    }

    /// What it answers, as it is.
    pub(crate) async fn bytes(&self, method: Method, path: &str) -> anyhow::Result<Vec<u8>> {
        let response = self.send(self.request(method, path)).await?;
        let bytes = response.bytes().await.context("the gateway's answer broke off")?;
        Ok(bytes.to_vec())
    }

    /// Gives it bytes.
    pub(crate) async fn give(&self, path: &str, bytes: Vec<u8>) -> anyhow::Result<Value> {
        let request = self.request(Method::POST, path).body(bytes);
        let request = request.header("content-type", "application/octet-stream");
        let response = self.send(request).await?;
        response.json().await.context("the gateway's answer cannot be read")
    }

    pub(crate) fn print(
        &self,
        answer: &Value,
        words: impl Fn(&Value) -> Vec<String>,
    ) -> anyhow::Result<Ending> {
        if self.json {
            out::line(answer).context(show::LOST)?;
            return Ok(Ending::Success);
        }
        for line in words(answer) {
            out::line(out::clean(&line)).context(show::LOST)?;
        }
        Ok(Ending::Success)
    }
}
