//! Amounts of the past, and what would be unlike them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Amounts whose median is taken.
const RECENT: usize = 128;
/// Amounts of which only the greatest is remembered.
const BLOCK: u32 = 64;
/// How many such greatest amounts are remembered.
const BLOCKS: usize = 16;
/// The least spread, as a logarithm: an owner whose runs are all alike may still vary by a quarter.
const LEAST_SPREAD: f64 = 0.25;
/// Turns a median distance into what a standard deviation would be, were it the usual curve.
const AS_DEVIATION: f64 = 1.4826;

/// Amounts of the past, as logarithms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct History {
    recent: VecDeque<f32>,
    greatest: VecDeque<f32>,
    in_block: u32,
    count: u64,
}

/// Blocks that have to be over before their greatest amounts say how amounts spread far out.
const LEAST_BLOCKS: usize = 4;
/// The least spread of greatest amounts, as a logarithm.
const LEAST_BEYOND: f64 = 0.1;
/// More than the greatest amount so far something has to be in any case, by this factor.
const LEAST_TIMES: f64 = 1.25;
/// The mean of the curve of greatest amounts (Gumbel's), in its own unit.
const MEAN_OF_GREATEST: f64 = 0.577_215_664_9;

/// How far from what is usual something has to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Far {
    /// So many times the usual distance from the median,
    pub(super) spreads: f64,
    /// so many times the greatest amount, as long as little is known,
    pub(super) times: f64,
    /// and then more than is met once in so many runs.
    pub(super) once_in: f64,
}

/// What is usual, and from where on it is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Usual {
    pub(super) median: u64,
    pub(super) greatest: u64,
    pub(super) threshold: u64,
}

impl History {
    /// How many amounts there were in all.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Remembers an amount.
    pub(super) fn push(&mut self, amount: u64) {
        let amount = logarithm(amount);
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(amount);
        if self.in_block == 0 {
            if self.greatest.len() == BLOCKS {
                self.greatest.pop_front();
            }
            self.greatest.push_back(amount);
        } else if let Some(greatest) = self.greatest.back_mut() {
            *greatest = greatest.max(amount);
        }
        self.in_block = (self.in_block + 1) % BLOCK;
        self.count += 1;
    }

    /// What is usual; `far` and `least` say how far from it something has to be.
    pub(super) fn usual(&self, far: Far, least: u64) -> Usual {
        let median = middle(self.recent.iter().copied());
        let distance = middle(self.recent.iter().map(|amount| (amount - median).abs()));
        let spread = (AS_DEVIATION * f64::from(distance)).max(LEAST_SPREAD);
        let greatest = self.greatest.iter().copied().fold(0.0, f32::max);
        let threshold = (f64::from(median) + far.spreads * spread)
            .max(self.beyond(f64::from(greatest), far))
            .max(f64::from(logarithm(least)));
        Usual {
            median: amount(f64::from(median)),
            greatest: amount(f64::from(greatest)),
            threshold: amount(threshold),
        }
    }
}

impl History {
    /// What is beyond the greatest amounts. How they differ from block to block says how often still
    /// greater ones are to be expected: of an owner whose greatest are all alike, ten times as much is a
    /// surprise; of one whose runs differ by such factors all the time, it is not.
    fn beyond(&self, greatest: f64, far: Far) -> f64 {
        let careful = greatest + far.times.max(1.0).ln();
        let over = self.greatest.len() - usize::from(self.in_block > 0);
        if over < LEAST_BLOCKS {
            return careful;
        }
        let blocks = || self.greatest.iter().take(over).map(|one| f64::from(*one));
        let count = f64::from(u32::try_from(over).unwrap_or(u32::MAX));
        let mean = blocks().sum::<f64>() / count;
        let variance = blocks().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let unit = (variance.sqrt() * 6.0_f64.sqrt() / std::f64::consts::PI).max(LEAST_BEYOND);
        let chance = (f64::from(BLOCK) / far.once_in).min(0.5);
        let units = -(-(1.0 - chance).ln()).ln();
        let expected = mean + (units - MEAN_OF_GREATEST) * unit;
        careful.min(expected.max(greatest + LEAST_TIMES.ln()))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "seven digits are enough to compare factors"
)]
fn logarithm(amount: u64) -> f32 {
    (amount as f64 + 1.0).ln() as f32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an amount was not negative, and what is larger than all of them is the largest"
)]
fn amount(logarithm: f64) -> u64 {
    (logarithm.exp() - 1.0).round() as u64
}

fn middle(amounts: impl Iterator<Item = f32>) -> f32 {
    let mut amounts: Vec<f32> = amounts.collect();
    let half = amounts.len() / 2;
    if amounts.is_empty() {
        return 0.0;
    }
    *amounts.select_nth_unstable_by(half, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(amounts: impl IntoIterator<Item = u64>) -> History {
        let mut history = History::default();
        amounts.into_iter().for_each(|amount| history.push(amount));
        history
    }

    fn far(times: f64) -> Far {
        Far { spreads: 6.0, times, once_in: 5_000.0 }
    }

    #[test]
    fn what_is_beyond_follows_from_how_the_greatest_differ() {
        // Ten amounts around ten, one of them forty: always the same greatest.
        let alike = of((0..640).map(|at| if at % 10 == 0 { 40 } else { 10 }));
        let threshold = alike.usual(Far { spreads: 0.0, ..far(3.0) }, 0).threshold;
        assert!((48..=60).contains(&threshold), "{threshold}");
        // Greatest that differ by factors, as large as that: nothing is beyond but the careful guess.
        let unlike = of((0..640).map(|at| if at % 64 == 0 { 10 << (at / 64) } else { 10 }));
        let usual = unlike.usual(Far { spreads: 0.0, ..far(3.0) }, 0);
        assert!(usual.threshold > 3 * usual.greatest - 10, "{usual:?}");
    }

    #[test]
    fn one_odd_amount_does_not_move_what_is_usual() {
        let usual = of((0..100).map(|at| 90 + at % 20)).usual(far(3.0), 0);
        assert!((95..=105).contains(&usual.median), "{usual:?}");
        assert!((310..=480).contains(&usual.threshold), "{usual:?}");
        let with_odd = of((0..100).map(|at| if at == 50 { 300 } else { 90 + at % 20 }));
        assert_eq!(with_odd.usual(far(1.0), 0).median, usual.median);
    }

    #[test]
    fn a_large_job_is_remembered_for_a_thousand_amounts() {
        let mut history = of([1_000_000]);
        for amount in [10; 900] {
            history.push(amount);
        }
        assert!(history.usual(far(3.0), 0).threshold > 1_200_000);
        for amount in [10; 200] {
            history.push(amount);
        }
        assert!(history.usual(far(3.0), 0).threshold < 1000);
    }

    #[test]
    fn it_stays_small() {
        let history = of(0..100_000);
        assert!(serde_json::to_string(&history).unwrap().len() < 3000);
        assert_eq!(history.count(), 100_000);
    }
}
