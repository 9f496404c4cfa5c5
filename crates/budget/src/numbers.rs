//! Figures about many numbers.

use serde_json::{Map, Value, json};

/// Numbers of which quantiles are taken; of more, every so-manieth.
const MOST: usize = 100_000;

/// What is known of the numbers seen so far.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    count: usize,
    sum: f64,
    least: f64,
    greatest: f64,
    /// A part of them, evenly taken.
    some: Vec<f64>,
    /// One in so many is taken.
    every: usize,
}

impl Numbers {
    pub(crate) fn add(&mut self, number: f64) {
        if self.count == 0 {
            (self.least, self.greatest, self.every) = (number, number, 1);
        }
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
        self.sum += number;
        if self.count.is_multiple_of(self.every) {
            self.some.push(number);
            if self.some.len() >= MOST {
                let mut at = 0;
                self.some.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.every *= 2;
            }
        }
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Range, mean and quartiles.
    pub(crate) fn figures(mut self) -> Map<String, Value> {
        let mut figures = Map::new();
        self.some.sort_by(f64::total_cmp);
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let mean = self.sum / self.count.max(1) as f64;
        let quantile = |share: usize| {
            let at = (self.some.len().saturating_sub(1)) * share / 100;
            self.some.get(at).copied().unwrap_or_default()
        };
        for (name, number) in [
            ("min", self.least),
            ("max", self.greatest),
            ("mean", mean),
            ("p25", quantile(25)),
            ("median", quantile(50)),
            ("p75", quantile(75)),
        ] {
            figures.insert(name.to_owned(), shown(number));
        }
        if self.every > 1 {
            figures.insert("quantiles_of".to_owned(), json!(format!("one in {}", self.every)));
        }
        figures
    }
}

/// A number without digits that say nothing.
fn shown(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number that fits")]
        return json!(number as i64);
    }
    // Six digits after the first that counts.
    let rounded: f64 = format!("{number:.6e}").parse().unwrap_or(number);
    json!(rounded)
}
