//! Messages in memory: they are there as long as the process is.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{Address, Boxes, Deed, Letter, MailboxBounds, Message, PutError, Stood};

/// The boxes of everybody. No run outlives the process here, so that nothing is done twice.
#[derive(Default)]
pub(crate) struct InMemory(Mutex<All>);

#[derive(Default)]
struct All {
    /// Messages by where they stand.
    boxes: HashMap<Address, BTreeMap<i64, Message>>,
    /// Where the last one stands that was put in.
    last: i64,
}

impl InMemory {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Boxes for InMemory {
    async fn put(
        &self,
        to: &Address,
        message: &Message,
        bounds: &MailboxBounds,
        _: Option<&Deed>,
    ) -> Result<(), PutError> {
        let mut all = self.lock();
        let own = || all.boxes.iter().filter(|(address, _)| address.owner == to.owner);
        let has_box = all.boxes.contains_key(to);
        let boxes = own().count() as u64;
        let bytes: usize =
            own().flat_map(|(_, messages)| messages.values()).map(|one| one.value.len()).sum();
        let messages = all.boxes.get(to).map_or(0, BTreeMap::len) as u64;
        let bytes = (bytes + message.value.len()) as u64;
        super::has_room(has_box, boxes, messages, bytes, bounds)?;
        all.last += 1;
        let place = all.last;
        all.boxes.entry(to.clone()).or_default().insert(place, message.clone());
        Ok(())
    }

    async fn take(&self, from: &Address, _: Option<&Deed>) -> Result<Option<Letter>, String> {
        let mut all = self.lock();
        let Some(messages) = all.boxes.get_mut(from) else { return Ok(None) };
        let first = messages.pop_first();
        if messages.is_empty() {
            all.boxes.remove(from);
        }
        Ok(first.map(|(place, message)| Letter { message, stood: Some(Stood { place, since: 0 }) }))
    }

    async fn put_back(
        &self,
        to: &Address,
        letter: &Letter,
        _: Option<&Deed>,
    ) -> Result<(), String> {
        let mut all = self.lock();
        let messages = all.boxes.entry(to.clone()).or_default();
        let front = messages.first_key_value().map_or(0, |(first, _)| first - 1);
        let place = letter.stood.map_or(front, |stood| stood.place);
        messages.insert(place, letter.message.clone());
        Ok(())
    }

    async fn has(&self, address: &Address) -> Result<bool, String> {
        Ok(self.lock().boxes.contains_key(address))
    }
}
