//! A market of two years, and what some accounts traded in it.
//!
//! Prices move with the market, with their sector and on their own, and fall together for a while: so
//! shares of one sector go together, and there is a drawdown to be found. A few trades are wrong, as
//! some always are: no quantity, a negative fee, a share that does not exist.

use chrono::{DateTime, Datelike as _, SecondsFormat, TimeDelta, Weekday};

use crate::chance;

/// Days on which there were prices.
pub(crate) const DAYS: u32 = 504;
/// Trades of all accounts.
pub(crate) const TRADES: u32 = 10_000;
/// Trades that are wrong, a third of them in each way.
pub(crate) const WRONG: u32 = 12;
/// Monday, 1 January 2024, in seconds since 1970.
const BEGINNING: i64 = 1_704_067_200;
/// The days of the fall.
const FALL: std::ops::Range<u32> = 300..340;

/// A share: what it is called, whose it is, and which sector's.
pub(crate) const SHARES: [(&str, &str, &str); 12] = [
    ("BRYN", "Brynmor Software", "software"),
    ("CAEL", "Caelum Cloud", "software"),
    ("DOVE", "Dovetail Systems", "software"),
    ("EBBT", "Ebb Tidal Power", "energy"),
    ("FLOE", "Floe Hydro", "energy"),
    ("GALE", "Gale Wind", "energy"),
    ("HARB", "Harbour Foods", "retail"),
    ("ISLE", "Isle Outfitters", "retail"),
    ("JETY", "Jetty Markets", "retail"),
    ("KELP", "Kelp Biosciences", "health"),
    ("LOCH", "Loch Diagnostics", "health"),
    ("MOOR", "Moorland Care", "health"),
];

pub(crate) const ACCOUNTS: [&str; 8] =
    ["A-1001", "A-1002", "A-1003", "A-1004", "A-1005", "A-1006", "A-1007", "A-1008"];

/// Day, share, closing price, volume.
pub(crate) type Price = (String, &'static str, f64, u32);

/// Id, time, account, share, side, quantity, price, fee.
pub(crate) type Trade = (String, String, &'static str, &'static str, &'static str, u32, f64, f64);

/// The market that belongs to a seed.
pub(crate) struct Market {
    seed: u64,
    /// Of each share, the price of each day.
    closes: Vec<Vec<f64>>,
    days: Vec<DateTime<chrono::Utc>>,
}

impl Market {
    pub(crate) fn new(seed: u64) -> Self {
        let closes = (0..SHARES.len()).map(|share| closes(seed, share)).collect();
        let begin = DateTime::from_timestamp(BEGINNING, 0).unwrap_or_default();
        let days = (0..)
            .map(|day| begin + TimeDelta::days(day))
            .filter(|day| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun))
            .take(usize::try_from(DAYS).unwrap_or(0))
            .collect();
        Self { seed, closes, days }
    }

    /// All prices, day by day.
    pub(crate) fn prices(&self) -> Vec<Price> {
        let day = |at: usize| {
            let date = self.days[at].date_naive().to_string();
            SHARES.iter().enumerate().map(move |(share, (symbol, ..))| {
                let volume = 10_000 + pick(self.seed, 30, share, at, 90_000);
                (date.clone(), *symbol, self.closes[share][at], volume)
            })
        };
        (0..self.days.len()).flat_map(day).collect()
    }

    /// All trades, in the order of time.
    pub(crate) fn trades(&self) -> Vec<Trade> {
        (0..TRADES).map(|number| self.trade(number)).collect()
    }

    fn trade(&self, number: u32) -> Trade {
        let at = usize::try_from(number * DAYS / TRADES).unwrap_or(0);
        let place = usize::try_from(number).unwrap_or(0);
        let of = |what, count| usize::try_from(pick(self.seed, what, place, 0, count)).unwrap_or(0);
        let share = of(10, 12);
        // From nine in the morning, one after another.
        let of_day = i64::from(number * DAYS % TRADES / DAYS);
        let into = of_day * 1_400 + i64::from(pick(self.seed, 11, place, 0, 1_000));
        let time = self.days[at] + TimeDelta::seconds(9 * 3_600 + into);
        let side = if of(12, 100) < 58 { "buy" } else { "sell" };
        let quantity = 1 + pick(self.seed, 13, place, 0, 400);
        let slip = 0.996 + 0.008 * chance::fraction(self.seed, 14, u64::from(number));
        let price = cents(self.closes[share][at] * slip);
        let fee = cents(1.0 + 0.0005 * price * f64::from(quantity));
        let wrong = self.wrong(number);
        (
            format!("T{number:05}"),
            time.to_rfc3339_opts(SecondsFormat::Secs, true),
            ACCOUNTS[of(15, 8)],
            if wrong == Some(0) { "NONE" } else { SHARES[share].0 },
            side,
            if wrong == Some(1) { 0 } else { quantity },
            price,
            if wrong == Some(2) { -fee } else { fee },
        )
    }

    /// In which way a trade is wrong, if it is.
    fn wrong(&self, number: u32) -> Option<u32> {
        let every = TRADES / WRONG;
        let part = number / every;
        let place = usize::try_from(part).unwrap_or(0);
        let chosen = part < WRONG && number % every == pick(self.seed, 16, place, 0, every);
        chosen.then_some(part % 3)
    }
}

/// Sums and products only: they are the same on every machine.
fn closes(seed: u64, share: usize) -> Vec<f64> {
    let place = u64::try_from(share).unwrap_or(0);
    let sector = place / 3;
    let about = |who: u64, day: u32| chance::fraction(seed, who, u64::from(day)) - 0.5;
    let pull = 0.6 + 0.8 * chance::fraction(seed, 40 + place, 0);
    let mut price = 20.0 + 180.0 * chance::fraction(seed, 60 + place, 0);
    let day = |day: u32| {
        let fall = if FALL.contains(&day) { -0.009 } else { 0.0009 };
        let move_by = 0.016 * about(100, day) * pull
            + 0.022 * about(200 + sector, day)
            + 0.016 * about(300 + place, day);
        price *= 1.0 + fall * pull + move_by;
        cents(price)
    };
    (0..DAYS).map(day).collect()
}

fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

/// One of `count` numbers for a kind of thing, a place and a day.
fn pick(seed: u64, what: u64, place: usize, day: usize, count: u32) -> u32 {
    let at = |number: usize| u64::try_from(number).unwrap_or(0);
    let chosen = chance::choice(
        seed,
        what << 40 | at(place) << 16 | at(day),
        usize::try_from(count).unwrap_or(1),
    );
    u32::try_from(chosen).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_price_for_every_share_and_working_day() {
        let market = Market::new(1);
        let prices = market.prices();
        assert_eq!(prices.len(), 12 * 504);
        assert_eq!(prices[0].0, "2024-01-01");
        assert_eq!(prices.last().unwrap().0, "2025-12-04");
        assert!(prices.iter().all(|price| price.2 > 1.0), "a share is worth nothing");
        assert_ne!(prices, Market::new(2).prices());
    }

    #[test]
    fn as_many_trades_are_wrong_as_were_planted() {
        for seed in 1..20 {
            let trades = Market::new(seed).trades();
            let count = |wrong: fn(&Trade) -> bool| trades.iter().filter(|one| wrong(one)).count();
            let of =
                (count(|one| one.3 == "NONE"), count(|one| one.5 == 0), count(|one| one.7 < 0.0));
            assert_eq!(of, (4, 4, 4), "seed {seed}");
        }
    }

    #[test]
    fn trades_are_in_the_order_of_time() {
        let trades = Market::new(1).trades();
        assert_eq!(trades.len(), 10_000);
        assert!(trades.windows(2).all(|two| two[0].1 <= two[1].1));
    }
}
