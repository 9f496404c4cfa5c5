//! What is passed on, with personal data replaced on its way to the client and put back on its way to
//! the server.

use catalog::{ServerName, ToolName};
use gateway::{Cover, VeilError};
use serde_json::{Map, Value};
use upstream::{CallFailure, PassFailure, Refused};

use super::relay::INTERNAL;

/// What stands between one request that is passed on and its server.
pub(super) struct Covered<'a> {
    cover: Cover<'a>,
    /// What is asked, as rules name it.
    what: String,
}

impl<'a> Covered<'a> {
    pub(super) fn new(cover: Cover<'a>, server: &ServerName, tool: Option<ToolName>) -> Self {
        let what = tool.map_or_else(|| "$pass".to_owned(), |tool| tool.0);
        Self { cover, what: format!("{server}.{what}") }
    }

    /// Parameters as the server gets them.
    pub(super) async fn params(
        &self,
        params: Map<String, Value>,
    ) -> Result<Map<String, Value>, Refused> {
        match self.given(Value::Object(params)).await? {
            Value::Object(params) => Ok(params),
            _ => Ok(Map::new()),
        }
    }

    /// What the client gives, as the server gets it.
    pub(super) async fn given(&self, value: Value) -> Result<Value, Refused> {
        self.cover.take_off(&self.what, value).await.map_err(|error| no(&error))
    }

    /// What the server tells meanwhile.
    pub(super) async fn told(&self, params: Value) -> Result<Value, Refused> {
        self.cover.data(params).await.map_err(|error| no(&error))
    }

    /// What the server asks meanwhile.
    pub(super) async fn asked(&self, params: Value) -> Result<Value, Refused> {
        self.cover.reply(params).await.map_err(|error| no(&error))
    }

    /// What came back, as the client gets it.
    pub(super) async fn reply(
        &self,
        passed: Result<Value, PassFailure>,
    ) -> Result<Value, PassFailure> {
        match passed {
            Ok(value) => Ok(self.cover.reply(value).await.map_err(|error| no(&error))?),
            Err(PassFailure::Refused(Refused { code, message, data })) => {
                let message = self.words(message).await;
                let data = match data {
                    Some(data) => self.cover.data(data).await.ok(),
                    None => None,
                };
                Err(Refused { code, message, data }.into())
            }
            Err(PassFailure::Failed(failure)) => Err(match failure {
                CallFailure::Refused { server, tool, code, message } => {
                    let message = self.words(message).await;
                    CallFailure::Refused { server, tool, code, message }
                }
                CallFailure::Broken { server, tool, reason } => {
                    CallFailure::Broken { server, tool, reason: self.words(reason).await }
                }
                CallFailure::Unreadable { server, tool, problem } => {
                    CallFailure::Unreadable { server, tool, problem: self.words(problem).await }
                }
                other => other,
            }
            .into()),
            Err(other) => Err(other),
        }
    }

    async fn words(&self, words: String) -> String {
        self.cover.words(words).await.unwrap_or_else(|unseen| unseen.instead())
    }
}

fn no(error: &VeilError) -> Refused {
    Refused { code: INTERNAL, message: error.to_string(), data: None }
}
