//! Waiting: `poll_oneoff`.
//!
//! Files are always ready, so a guest that waits for one does not wait. Otherwise
//! it sleeps until the first of its clocks.

use std::time::Duration;

use super::clock::ClockId;
use super::memory::GuestMemory;
use super::{Answer, Wasi};
use crate::files::Errno;

const SUBSCRIPTION: u32 = 48;
const EVENT: u32 = 32;
const MAX_SUBSCRIPTIONS: u32 = 64;

const ABSOLUTE: u16 = 1;

/// One thing a guest waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Subscription {
    userdata: u64,
    /// Clock, file to read, file to write.
    kind: u8,
    wait: Result<Wait, Errno>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    Ready,
    For(Duration),
    Until(ClockId, u64),
}

pub(super) fn poll_oneoff(
    wasi: &mut Wasi,
    memory: &mut GuestMemory<'_>,
    subscriptions: u32,
    events: u32,
    count: u32,
    out: u32,
) -> Answer {
    if count == 0 || count > MAX_SUBSCRIPTIONS {
        return Err(Errno::Invalid.into());
    }
    memory.bytes(events, count * EVENT)?;
    let (records, _) = memory.bytes(subscriptions, count * SUBSCRIPTION)?.as_chunks();
    let waits: Vec<_> =
        records.iter().map(decode).map(|wanted| (wanted, time_left(wasi, wanted.wait))).collect();
    let shortest = waits.iter().map(|(_, left)| *left).min().unwrap_or_default();
    if !shortest.is_zero() {
        wasi.surroundings.sleep(shortest)?;
        wasi.clock.pass(shortest);
    }
    let mut happened = 0;
    for (wanted, _) in waits.iter().filter(|(_, left)| *left <= shortest) {
        memory.put(events + happened * EVENT, &event(wanted))?;
        happened += 1;
    }
    Ok(memory.put_u32(out, happened)?)
}

fn decode(record: &[u8; SUBSCRIPTION as usize]) -> Subscription {
    let word = |at: usize| record[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
    let (id, timeout) = (word(16) & u64::from(u32::MAX), word(24));
    let absolute = u16::from_le_bytes([record[40], record[41]]) & ABSOLUTE != 0;
    let kind = record[8];
    let wait = match kind {
        0 => ClockId::of(u32::try_from(id).unwrap_or(u32::MAX)).map(|clock| {
            if absolute {
                Wait::Until(clock, timeout)
            } else {
                Wait::For(Duration::from_nanos(timeout))
            }
        }),
        1 | 2 => Ok(Wait::Ready),
        _ => Err(Errno::Invalid),
    };
    Subscription { userdata: word(0), kind, wait }
}

fn time_left(wasi: &Wasi, wait: Result<Wait, Errno>) -> Duration {
    match wait {
        Ok(Wait::For(time)) => time,
        Ok(Wait::Until(ClockId::Wall, then)) => {
            Duration::from_nanos(then.saturating_sub(wasi.clock.wall()))
        }
        Ok(Wait::Until(ClockId::Monotonic, then)) => {
            Duration::from_nanos(then.saturating_sub(wasi.clock.monotonic()))
        }
        Ok(Wait::Ready) | Err(_) => Duration::ZERO,
    }
}

fn event(happened: &Subscription) -> [u8; EVENT as usize] {
    let mut bytes = [0; EVENT as usize];
    bytes[..8].copy_from_slice(&happened.userdata.to_le_bytes());
    let errno = happened.wait.err().map_or(0, |errno| errno as u16);
    bytes[8..10].copy_from_slice(&errno.to_le_bytes());
    bytes[10] = happened.kind;
    if happened.wait == Ok(Wait::Ready) {
        // How many bytes are there is not known without asking; one is true enough.
        bytes[16] = 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, id: u8, timeout: u64, flags: u8) -> [u8; SUBSCRIPTION as usize] {
        let mut bytes = [0; SUBSCRIPTION as usize];
        bytes[0] = 42;
        bytes[8] = kind;
        bytes[16] = id;
        bytes[24..32].copy_from_slice(&timeout.to_le_bytes());
        bytes[40] = flags;
        bytes
    }

    #[test]
    fn subscriptions_are_told_apart() {
        assert_eq!(decode(&record(0, 1, 5, 0)).wait, Ok(Wait::For(Duration::from_nanos(5))));
        assert_eq!(decode(&record(0, 0, 5, 1)).wait, Ok(Wait::Until(ClockId::Wall, 5)));
        assert_eq!(decode(&record(2, 1, 5, 0)).wait, Ok(Wait::Ready));
        assert_eq!(decode(&record(0, 9, 5, 0)).wait, Err(Errno::Invalid));
    }

    #[test]
    fn an_event_names_its_subscription_and_its_error() {
        let bytes = event(&decode(&record(0, 9, 5, 0)));
        assert_eq!(bytes[..11], [42, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0]);
    }
}
