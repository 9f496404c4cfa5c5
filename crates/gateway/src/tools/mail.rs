//! Messages of one program, as far as rules let it post and receive them.

use engine::{CallError, HostCall};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use upstream::before_leaving;

use super::Offer;
use crate::behalf::Behalf;
use crate::mailboxes::{self, Taken};

impl Offer {
    /// Posts a message, or receives one for whoever is sure to have it: `tidegate.post`, `tidegate.receive`.
    pub(super) async fn mail(
        &self,
        call: &HostCall,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        if call.name == mailboxes::RECEIVE {
            let (value, message) = self.receive(call, behalf).await?;
            message.had();
            return Ok(value);
        }
        self.may_mail(call, behalf).await?;
        self.tools.mailboxes.post(call, &self.tools.judge, behalf).await
    }

    /// Receives a message, which goes back to its box unless the program has it.
    pub(crate) async fn receive(
        &self,
        call: &HostCall,
        behalf: &Behalf,
    ) -> Result<(Box<RawValue>, Taken), CallError> {
        self.may_mail(call, behalf).await?;
        self.tools.mailboxes.receive(call, &self.tools.judge, behalf).await
    }

    async fn may_mail(&self, call: &HostCall, behalf: &Behalf) -> Result<(), CallError> {
        let given: Map<String, Value> =
            serde_json::from_str(call.arguments.get()).unwrap_or_default();
        let wish = mailboxes::wish(call, &given, behalf);
        before_leaving(self.tools.judge.permit(&wish)).await.map(drop)
    }
}
