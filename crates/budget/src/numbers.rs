//! Figures about many numbers.

use serde_json::{Map, Value, json};

/// Numbers of which quantiles are taken; of more, every so-manieth.
const MOST: usize = 100_000;

/// What is known of the numbers seen so far.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    count: usize,
    /// The first of them, and of all the sums of differences to it, and of their squares.
    first: f64,
    apart: f64,
    squares: f64,
    least: f64,
    greatest: f64,
    /// The same as they were written, where that says more than a float can.
    written: [Option<String>; 2],
    /// A part of them, evenly taken.
    some: Vec<f64>,
    /// One in so many is taken.
    every: usize,
}

impl Numbers {
    /// Adds a number, and how it was written.
    pub(crate) fn add(&mut self, number: f64, text: &str) {
        if self.count == 0 {
            (self.least, self.greatest, self.first, self.every) = (number, number, number, 1);
            self.written = [note(text), note(text)];
        }
        if number < self.least {
            (self.least, self.written[0]) = (number, note(text));
        }
        if number > self.greatest {
            (self.greatest, self.written[1]) = (number, note(text));
        }
        let apart = number - self.first;
        self.apart += apart;
        self.squares += apart * apart;
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

    /// Range, mean and quartiles; with their spread and how many there are, if all is wanted.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    pub(crate) fn figures(mut self, all: bool) -> Map<String, Value> {
        let mut figures = Map::new();
        self.some.sort_by(f64::total_cmp);
        let count = self.count.max(1) as f64;
        if all {
            figures.insert("count".to_owned(), json!(self.count));
        }
        for (name, number, text) in
            [("min", self.least, &self.written[0]), ("max", self.greatest, &self.written[1])]
        {
            let value = text.as_ref().map_or_else(|| json!(number), |text| json!(text));
            figures.insert(
                name.to_owned(),
                if number.fract() == 0.0 && text.is_none() { shown(number) } else { value },
            );
        }
        let mean = (self.first + self.apart / count).clamp(self.least, self.greatest);
        for (name, number) in [
            ("mean", mean),
            ("p25", self.quantile(1)),
            ("median", self.quantile(2)),
            ("p75", self.quantile(3)),
        ] {
            figures.insert(name.to_owned(), shown(number));
        }
        if all && self.count > 1 {
            let variance = (self.squares - self.apart * self.apart / count) / (count - 1.0);
            figures.insert("std".to_owned(), shown(variance.max(0.0).sqrt()));
        }
        if self.every > 1 {
            figures.insert("quantiles_of".to_owned(), json!(format!("one in {}", self.every)));
        }
        figures
    }
}

impl Numbers {
    /// A quartile, between two numbers where it falls between them, as pandas has it.
    #[expect(clippy::cast_precision_loss, reason = "a part of one")]
    fn quantile(&self, quarters: usize) -> f64 {
        let place = self.some.len().saturating_sub(1) * quarters;
        let of = |at: usize| self.some.get(at).copied();
        let low = of(place / 4).unwrap_or_default();
        let high = of(place / 4 + 1).unwrap_or(low);
        low + (high - low) * ((place % 4) as f64 / 4.0)
    }
}

/// A whole number of more digits than a float has, as it was written.
fn note(text: &str) -> Option<String> {
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    (is_whole && text.len() > 15).then(|| {
        if text.len() <= LONGEST {
            text.to_owned()
        } else {
            format!("{}... ({} digits)", &text[..20], text.len())
        }
    })
}

/// Digits of a number that are shown.
const LONGEST: usize = 100;

/// A number without digits that say nothing.
fn shown(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number that fits")]
        return json!(number as i64);
    }
    // As many digits as are certain after adding up.
    let rounded: f64 = format!("{number:.11e}").parse().unwrap_or(number);
    json!(rounded)
}
