//! A harbour's archive: one long survey, some letters, and a year's payments.
//!
//! The survey has some 50,000 tokens, and in each of its sections one finding. How many of them are grave
//! depends on the seed, and so do the few payments that stand out.

use chrono::{NaiveDate, TimeDelta};

use crate::chance;

/// Sections of the survey.
pub(crate) const SECTIONS: usize = 40;
/// Payments of the year.
pub(crate) const PAYMENTS: usize = 10_000;
/// Payments that nobody approved and that are far too large.
pub(crate) const ODD: usize = 5;

const SENTENCES: usize = 75;

const PIERS: [&str; 8] = ["Ash", "Birch", "Cedar", "Elder", "Fir", "Hazel", "Larch", "Rowan"];
const PARTS: [&str; 8] =
    ["bollard", "fender", "ladder", "quay wall", "rail", "sluice", "timber deck", "valve"];
const STATES: [&str; 6] = [
    "shows no change since the last visit",
    "has lost some of its coating",
    "was cleaned and measured again",
    "carries less than the drawing allows",
    "moved by a hand's breadth in the winter",
    "is due for repair before the autumn",
];
const GRADES: [&str; 4] = ["low", "low", "medium", "high"];
const VENDORS: [&str; 7] = [
    "Anchor Works",
    "Beacon Supply",
    "Cable & Sons",
    "Dredge Ltd",
    "Eddy Tools",
    "Fathom Survey",
    "Gangway Hire",
];
const DEPARTMENTS: [&str; 5] = ["dredging", "lighting", "moorings", "offices", "repairs"];

/// Id, folder, title, text.
pub(crate) type Document = (&'static str, &'static str, &'static str, String);

/// Number, day, department, vendor, amount, whether somebody approved.
pub(crate) type Payment = (u32, String, &'static str, &'static str, f64, u8);

fn number(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(0)
}

fn one<'a>(seed: u64, what: u64, place: usize, of: &[&'a str]) -> &'a str {
    of[chance::choice(seed, what << 32 | number(place), of.len())]
}

/// Everything that can be read.
pub(crate) fn documents(seed: u64) -> Vec<Document> {
    let letter = |about: &str| {
        format!("To the harbour master.\n\nPlease see to the {about} before the season.\n")
    };
    vec![
        ("letter-1", "letters", "Letter of the pilots", letter("lights of the outer mole")),
        ("letter-2", "letters", "Letter of the sailing club", letter("visitors' moorings")),
        ("survey-2026", "surveys", "Survey of the harbour, 2026", survey(seed)),
    ]
}

fn survey(seed: u64) -> String {
    let sections: Vec<String> = (0..SECTIONS).map(|section| section_of(seed, section)).collect();
    format!("# Survey of the harbour, 2026\n\n{}", sections.join("\n"))
}

fn section_of(seed: u64, section: usize) -> String {
    let pier = one(seed, 1, section, &PIERS);
    let sentences: Vec<String> = (0..SENTENCES)
        .map(|sentence| {
            let place = section * SENTENCES + sentence;
            let part = one(seed, 2, place, &PARTS);
            let state = one(seed, 3, place, &STATES);
            let metre = chance::choice(seed, 4 << 32 | number(place), 400);
            format!("At metre {metre} of {pier} Pier the {part} {state}.")
        })
        .collect();
    let (part, grade) = (one(seed, 5, section, &PARTS), one(seed, 6, section, &GRADES));
    let cost = 1_000 + 50 * chance::choice(seed, 7 << 32 | number(section), 900);
    format!(
        "## {}. {pier} Pier\n\n{}\n\nFinding ({grade}): the {part} of {pier} Pier needs work for {cost} EUR.\n",
        section + 1,
        sentences.join(" ")
    )
}

/// All payments, in the order of their days.
pub(crate) fn payments(seed: u64) -> Vec<Payment> {
    (0..PAYMENTS).map(|payment| payment_of(seed, payment)).collect()
}

fn payment_of(seed: u64, place: usize) -> Payment {
    let into = i64::try_from(place * 365 / PAYMENTS).unwrap_or(0);
    let day = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap_or_default() + TimeDelta::days(into);
    let every = PAYMENTS / ODD;
    let is_odd = place % every == chance::choice(seed, 8 << 32 | number(place / every), every);
    let amount = 20.0 + 1_980.0 * chance::fraction(seed, 9, number(place));
    let amount = if is_odd { amount + 50_000.0 } else { amount };
    (
        u32::try_from(place + 1).unwrap_or(0),
        day.to_string(),
        one(seed, 10, place, &DEPARTMENTS),
        one(seed, 11, place, &VENDORS),
        (amount * 100.0).round() / 100.0,
        u8::from(!is_odd),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_survey_has_a_finding_in_each_section_and_its_length() {
        let text = survey(1);
        assert_eq!(text.matches("\nFinding (").count(), SECTIONS);
        assert!(text.split_whitespace().count() > 35_000, "{}", text.split_whitespace().count());
        assert_ne!(text, survey(2));
    }

    #[test]
    fn as_many_payments_stand_out_as_were_planted() {
        for seed in 1..20 {
            let payments = payments(seed);
            assert_eq!(payments.iter().filter(|one| one.5 == 0).count(), ODD, "seed {seed}");
            assert!(payments.iter().all(|one| (one.4 > 50_000.0) == (one.5 == 0)));
        }
    }
}
