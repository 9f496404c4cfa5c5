//! Answers of an earlier run that are used again: whoever gets one has read from where it came.

use catalog::ServerName;
use engine::{CallError, CallResult, HostCall};

use super::offer::{Asked, Offer, ToolCall};
use crate::behalf::Behalf;
use crate::children;
use crate::hearing::UNANSWERED;
use crate::mailboxes;
use crate::minds;
use crate::skillset;
use crate::web;

impl Offer {
    /// Whether it matters to anybody what sessions have read.
    pub(crate) fn is_watched(&self) -> bool {
        !self.tools.judge.policy().flow().is_empty()
    }

    /// Remembers of a session that it has read what a call was answered with, as if it were made now.
    /// Comes back before the answer may be read.
    ///
    /// # Errors
    /// When it cannot be remembered.
    pub(crate) async fn has_read_again(
        &self,
        call: &HostCall,
        answer: &CallResult,
        behalf: &Behalf,
    ) -> Result<(), CallError> {
        if !self.is_watched() {
            return Ok(());
        }
        let judge = &self.tools.judge;
        let Some(sources) = self.sources(call, answer) else {
            // Where it came from is not there any more, and may have been anywhere.
            return judge
                .comes_from_anywhere(&behalf.session)
                .await
                .map_err(|problem| unkept(&problem));
        };
        for source in &sources {
            judge.has_read(behalf, source).await.map_err(|error| unkept(&error.message))?;
        }
        Ok(())
    }

    /// What a call reads from, as rules name it; `None` if nobody can say.
    fn sources(&self, call: &HostCall, answer: &CallResult) -> Option<Vec<String>> {
        match call.name.as_str() {
            // A message brought the labels of its sender, which is not known any more.
            children::CALL | skillset::SAVE | mailboxes::RECEIVE => return None,
            mailboxes::POST => return Some(Vec::new()),
            minds::CALL => return Some(vec![policy::ASK_MODEL.to_owned()]),
            _ => {}
        }
        if call.name == web::CALL {
            let tools = [web::named(call)?].into_iter().chain(web::answered_by(call, answer));
            return Some(tools.map(|tool| format!("{}.{tool}", web::SERVER)).collect());
        }
        if call.name == "$call" {
            let asked: ToolCall = serde_json::from_str(call.arguments.get()).ok()?;
            let catalog = self.widest();
            let tool = catalog.resolve(asked.server.as_deref(), &asked.tool).ok()?;
            return Some(vec![format!("{}.{}", tool.server(), tool.name())]);
        }
        let asked: Asked = serde_json::from_str(call.arguments.get()).ok()?;
        let servers: Vec<ServerName> = match &asked.server {
            Some(_) => vec![self.one(&asked).ok()?],
            None => self.tools.names(),
        };
        Some(servers.iter().map(|server| format!("{server}.{}", call.name)).collect())
    }
}

fn unkept(problem: &str) -> CallError {
    let message = format!(
        "the answer of an earlier run was not handed over, because what rules need to know of it could not be kept: {problem}"
    );
    CallError { kind: UNANSWERED.to_owned(), message }
}
