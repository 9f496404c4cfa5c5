//! Messages in memory: they are there as long as the process is.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::{Address, Boxes, Deed, MailboxBounds, Message, PutError};

/// The boxes of everybody. No run outlives the process here, so that nothing is done twice.
#[derive(Default)]
pub(crate) struct InMemory(Mutex<HashMap<Address, VecDeque<Message>>>);

#[async_trait]
impl Boxes for InMemory {
    async fn put(
        &self,
        to: &Address,
        message: &Message,
        bounds: &MailboxBounds,
        _: Option<&Deed>,
    ) -> Result<(), PutError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = || all.iter().filter(|(address, _)| address.owner == to.owner);
        let has_box = all.contains_key(to);
        let boxes = own().count() as u64;
        let bytes: usize =
            own().flat_map(|(_, messages)| messages).map(|message| message.value.len()).sum();
        let messages = all.get(to).map_or(0, VecDeque::len) as u64;
        let bytes = (bytes + message.value.len()) as u64;
        super::has_room(has_box, boxes, messages, bytes, bounds)?;
        all.entry(to.clone()).or_default().push_back(message.clone());
        Ok(())
    }

    async fn take(&self, from: &Address, _: Option<&Deed>) -> Result<Option<Message>, String> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(messages) = all.get_mut(from) else { return Ok(None) };
        let first = messages.pop_front();
        if messages.is_empty() {
            all.remove(from);
        }
        Ok(first)
    }

    async fn has(&self, address: &Address) -> Result<bool, String> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(address))
    }
}
