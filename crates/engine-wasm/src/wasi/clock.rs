//! The guest's two clocks: constant while an image is built, real afterwards.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::files::Errno;

/// 2026-01-01T00:00:00Z, in nanoseconds.
const BUILD_TIME: u64 = 1_767_225_600_000_000_000;

/// What a clock shows at least between two looks, and its resolution.
pub(super) const TICK: u64 = 1_000;

/// What time it is for a guest.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Clock {
    /// The same for every build of an image: the wall clock stands still, and the
    /// monotonic clock counts how often it was looked at.
    Building {
        /// Nanoseconds.
        monotonic: u64,
    },
    /// The host's clocks; the monotonic one goes on from where the image's stood.
    Live {
        /// Nanoseconds at `anchor`.
        monotonic_base: u64,
        /// When the guest was started or thawed.
        anchor: Instant,
    },
}

/// Which of its clocks a guest asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockId {
    Wall,
    /// Also what the clocks of CPU time show: `time.process_time()` measures
    /// something then, and the real CPU time is not the guest's affair.
    Monotonic,
}

impl ClockId {
    pub(super) fn of(id: u32) -> Result<Self, Errno> {
        match id {
            0 => Ok(Self::Wall),
            1..=3 => Ok(Self::Monotonic),
            _ => Err(Errno::Invalid),
        }
    }
}

impl Clock {
    /// For building images.
    pub(crate) fn building() -> Self {
        Self::Building { monotonic: 0 }
    }

    /// For running programs; the monotonic clock shows `monotonic_base` now.
    pub(crate) fn live(monotonic_base: u64) -> Self {
        Self::Live { monotonic_base, anchor: Instant::now() }
    }

    /// What the guest sees when it looks.
    pub(super) fn look(&mut self, id: ClockId) -> u64 {
        match id {
            ClockId::Wall => self.wall(),
            ClockId::Monotonic => {
                self.pass(Duration::from_nanos(TICK));
                self.monotonic()
            }
        }
    }

    /// Nanoseconds since 1970.
    pub(super) fn wall(&self) -> u64 {
        match self {
            Self::Building { .. } => BUILD_TIME,
            Self::Live { .. } => {
                nanos(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
            }
        }
    }

    /// Nanoseconds of the monotonic clock.
    pub(super) fn monotonic(&self) -> u64 {
        match self {
            Self::Building { monotonic } => *monotonic,
            Self::Live { monotonic_base, anchor } => {
                monotonic_base.saturating_add(nanos(anchor.elapsed()))
            }
        }
    }

    /// Tells a clock that does not run by itself that time has passed.
    pub(super) fn pass(&mut self, time: Duration) {
        if let Self::Building { monotonic } = self {
            *monotonic = monotonic.saturating_add(nanos(time));
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_building_only_looks_and_sleeps_move_time() {
        let mut clock = Clock::building();
        assert_eq!([(); 3].map(|()| clock.look(ClockId::Monotonic)), [1_000, 2_000, 3_000]);
        clock.pass(Duration::from_secs(1));
        assert_eq!(clock.monotonic(), 1_000_003_000);
        assert_eq!(clock.look(ClockId::Wall), BUILD_TIME);
    }

    #[test]
    fn a_live_clock_goes_on_from_its_base() {
        assert!(Clock::live(5_000_000_000).look(ClockId::Monotonic) >= 5_000_000_000);
    }
}
