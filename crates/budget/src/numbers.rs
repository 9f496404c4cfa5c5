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
    /// The same of whole numbers, exactly, while all of them are.
    whole: Option<(i128, i128)>,
    /// A part of them, evenly taken.
    some: Vec<f64>,
    /// One in so many is taken.
    every: usize,
    /// The least and the greatest as written, where they have too many digits to reckon with.
    huge: [Option<String>; 2],
}

impl Numbers {
    /// Adds a number, and how it was written.
    pub(crate) fn add(&mut self, number: f64, text: &str) {
        if number.is_infinite() {
            let known = &mut self.huge[usize::from(number > 0.0)];
            if known.as_ref().is_none_or(|known| is_further(text, known)) {
                *known = Some(text.to_owned());
            }
        }
        if self.count == 0 {
            (self.least, self.greatest, self.first, self.every) = (number, number, number, 1);
            self.whole = text.parse().ok().map(|whole| (whole, whole));
        }
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
        self.whole = self.whole.and_then(|(least, greatest)| {
            let whole: i128 = text.parse().ok()?;
            Some((least.min(whole), greatest.max(whole)))
        });
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
        let ends = match self.whole {
            Some((least, greatest)) => [exactly(least), exactly(greatest)],
            None => [self.least, self.greatest].map(end),
        };
        for ((name, end), huge) in ["min", "max"].into_iter().zip(ends).zip(&self.huge) {
            let end = huge.as_ref().map_or(end, |huge| json!(about(huge)));
            figures.insert(name.to_owned(), end);
        }
        let mean = self.first + self.apart / count;
        let mean = if mean.is_finite() { mean.clamp(self.least, self.greatest) } else { mean };
        for (name, number) in [
            ("mean", mean),
            ("p25", self.quantile(1)),
            ("median", self.quantile(2)),
            ("p75", self.quantile(3)),
        ] {
            // What cannot be reckoned is not told.
            if number.is_finite() {
                figures.insert(name.to_owned(), self.shown(number));
            }
        }
        if all && self.count > 1 && self.squares.is_finite() {
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
    /// A figure between the least and the greatest, which it still is without its last digits.
    fn shown(&self, number: f64) -> Value {
        let value = shown(number);
        let is_between = |near: f64| near >= self.least && near <= self.greatest;
        if value.as_f64().is_some_and(is_between) { value } else { json!(number) }
    }

    /// A quartile, between two numbers where it falls between them, as pandas has it.
    #[expect(clippy::cast_precision_loss, reason = "a part of one")]
    fn quantile(&self, quarters: usize) -> f64 {
        let place = self.some.len().saturating_sub(1) * quarters;
        let of = |at: usize| self.some.get(at).copied();
        let low = of(place / 4).unwrap_or_default();
        let high = of(place / 4 + 1).unwrap_or(low);
        // What is beyond all numbers has no part of nothing.
        if place.is_multiple_of(4) { low } else { low + (high - low) * ((place % 4) as f64 / 4.0) }
    }
}

/// Whether a number of many digits is further from zero than another.
fn is_further(one: &str, other: &str) -> bool {
    (one.len(), one) > (other.len(), other)
}

/// A number of many digits, with its first ones.
fn about(text: &str) -> String {
    let digits = text.trim_start_matches('-');
    let sign = &text[..text.len() - digits.len()];
    match digits.get(..4) {
        Some(first) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{sign}{}.{}e{}", &first[..1], &first[1..], digits.len() - 1)
        }
        _ => text.chars().take(30).collect(),
    }
}

/// The least or the greatest, with every digit.
fn end(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { shown(number) } else { json!(number) }
}

/// A whole number, as a text where it has more digits than others can read.
fn exactly(number: i128) -> Value {
    match i64::try_from(number) {
        Ok(number) => json!(number),
        Err(_) => json!(number.to_string()),
    }
}

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
