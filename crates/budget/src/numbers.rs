//! Figures about many numbers.

use serde_json::{Map, Value, json};

/// A whole number of at most so many letters certainly fits into 64 bits.
const SHORT: usize = 18;

/// What is known of the numbers seen so far.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// The first of them, and of all the sums of differences to it, and of their squares.
    first: f64,
    apart: f64,
    squares: f64,
    least: f64,
    greatest: f64,
    /// The same of whole numbers, exactly, while all of them are.
    whole: Option<(i128, i128)>,
    /// All of them: quartiles of a part would be false of whatever recurs.
    all: Vec<f64>,
    /// Those below and those above zero that have too many digits to reckon with.
    huge: [Option<Huge>; 2],
}

/// Numbers of too many digits, on one side of zero, as written.
#[derive(Debug)]
struct Huge {
    nearest: String,
    furthest: String,
}

impl Numbers {
    /// Adds what is written here; false if it is no number.
    pub(crate) fn add(&mut self, text: &str) -> bool {
        let short = (text.len() <= SHORT).then(|| text.parse::<i64>().ok()).flatten();
        #[expect(clippy::cast_precision_loss, reason = "the nearest, as reading it would give")]
        let Some(number) = short.map(|whole| whole as f64).or_else(|| text.parse().ok()) else {
            return false;
        };
        if number.is_infinite() {
            self.add_huge(text, usize::from(number > 0.0));
        }
        let whole = || short.map(i128::from).or_else(|| text.parse().ok());
        if self.all.is_empty() {
            (self.least, self.greatest, self.first) = (number, number, number);
            self.whole = whole().map(|whole| (whole, whole));
        }
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
        self.whole = self.whole.and_then(|(least, greatest)| {
            let whole = whole()?;
            Some((least.min(whole), greatest.max(whole)))
        });
        let apart = number - self.first;
        self.apart += apart;
        self.squares += apart * apart;
        self.all.push(number);
        true
    }

    fn add_huge(&mut self, text: &str, side: usize) {
        match &mut self.huge[side] {
            Some(known) if is_further(text, &known.furthest) => {
                text.clone_into(&mut known.furthest);
            }
            Some(known) if is_further(&known.nearest, text) => text.clone_into(&mut known.nearest),
            Some(_) => {}
            none => *none = Some(Huge { nearest: text.to_owned(), furthest: text.to_owned() }),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Range, mean and quartiles; with their spread and how many there are, if all is wanted.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    pub(crate) fn figures(mut self, all: bool) -> Map<String, Value> {
        let mut figures = Map::new();
        let [p25, median, p75] = quartiles(&mut self.all);
        let count = self.all.len().max(1) as f64;
        if all {
            figures.insert("count".to_owned(), json!(self.all.len()));
        }
        let ends = match self.whole {
            Some((least, greatest)) => [exactly(least), exactly(greatest)],
            None => [self.least, self.greatest].map(end),
        };
        for ((name, end), huge) in ["min", "max"].into_iter().zip(ends).zip(self.huge_ends()) {
            figures.insert(name.to_owned(), huge.map_or(end, |huge| json!(about(huge))));
        }
        let mean = self.first + self.apart / count;
        let mean = if mean.is_finite() { mean.clamp(self.least, self.greatest) } else { mean };
        for (name, number) in [("mean", mean), ("p25", p25), ("median", median), ("p75", p75)] {
            // What cannot be reckoned is not told.
            if number.is_finite() {
                figures.insert(name.to_owned(), self.shown(number));
            }
        }
        if all && self.all.len() > 1 && self.squares.is_finite() {
            let variance = (self.squares - self.apart * self.apart / count) / (count - 1.0);
            figures.insert("std".to_owned(), shown(variance.max(0.0).sqrt()));
        }
        figures
    }
}

impl Numbers {
    /// The least and the greatest as written, where they have too many digits to reckon with.
    fn huge_ends(&self) -> [Option<&str>; 2] {
        let [below, above] = self.huge.each_ref().map(Option::as_ref);
        [(below, above, self.least), (above, below, self.greatest)].map(|sides| match sides {
            (Some(own), _, _) => Some(own.furthest.as_str()),
            // All of them are on the other side of what can be reckoned with.
            (None, Some(other), end) if end.is_infinite() => Some(other.nearest.as_str()),
            _ => None,
        })
    }

    /// A figure between the least and the greatest, which it still is without its last digits.
    fn shown(&self, number: f64) -> Value {
        let value = shown(number);
        let is_between = |near: f64| near >= self.least && near <= self.greatest;
        if value.as_f64().is_some_and(is_between) { value } else { json!(number) }
    }
}

/// The quartiles, between two numbers where they fall between them, as pandas has them.
#[expect(clippy::cast_precision_loss, reason = "a part of one")]
fn quartiles(numbers: &mut [f64]) -> [f64; 3] {
    let mut found = [0.0; 3];
    let mut rest = numbers;
    let Some(last) = rest.len().checked_sub(1) else { return found };
    let mut after = None;
    // From the highest down, each among those that are not above the one before.
    for quarters in [3, 2, 1] {
        let place = last * quarters;
        let (_, low, above) = rest.select_nth_unstable_by(place / 4, f64::total_cmp);
        let low = *low;
        let high = above.iter().copied().min_by(f64::total_cmp).or(after).unwrap_or(low);
        after = Some(high);
        let part = (place % 4) as f64 / 4.0;
        // What is beyond all numbers has no part of nothing.
        found[quarters - 1] = if part == 0.0 { low } else { low + (high - low) * part };
        rest = &mut rest[..=place / 4];
    }
    found
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
