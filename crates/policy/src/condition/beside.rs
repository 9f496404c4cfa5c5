//! Conditions beside each other: whether two can hold of one call, and whether one says what another does.
//!
//! Only what is clear counts. Two that may hold together for all that is known here do, and one that may
//! say less than another does.

use std::cmp::Ordering;

use serde_json::Value;

use super::value::{Comparison, order};
use super::{Condition, Found, Holds, Test};

/// In what way a rule takes a condition for met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Where it holds: a rule that allows.
    Known,
    /// Where it may hold: every other rule.
    Unclear,
}

/// Two conditions of one rule of which never more than one holds, as they are written.
pub(crate) fn at_odds(all: &[Condition]) -> Option<(&str, &str)> {
    for (at, one) in all.iter().enumerate() {
        let same: Vec<&Condition> = all.iter().filter(|other| other.place == one.place).collect();
        // What holds of one of few values, or of none, is tried with each of them.
        if let Some(few) = few(&one.test) {
            let fits = |other: &Condition, found| other.judge(found) == Holds::Yes;
            let together = few.iter().any(|found| same.iter().all(|other| fits(other, *found)));
            let alone = |other: &&&Condition| !few.iter().any(|found| fits(other, *found));
            if !together && few.iter().any(|found| fits(one, *found)) {
                let others = || same.iter().filter(|other| !std::ptr::eq(**other, one));
                // Three may have no value in common of which any two have one.
                let other = others().find(alone).or_else(|| others().next_back());
                return other.map(|other| (one.text(), other.text()));
            }
        }
        let later = all[at + 1..].iter().filter(|other| other.place == one.place);
        if let Some(other) = later.into_iter().find(|other| are_apart(&one.test, &other.test)) {
            return Some((one.text(), other.text()));
        }
    }
    None
}

/// Everything of which a test can hold, where that is little.
fn few(test: &Test) -> Option<Vec<Found<'_>>> {
    match test {
        Test::Compare(Comparison::Is, value) => Some(vec![Found::Value(value)]),
        Test::In(values, true) => Some(values.iter().map(Found::Value).collect()),
        Test::Present(false) => Some(vec![Found::Missing, Found::Value(&Value::Null)]),
        _ => None,
    }
}

/// Whether no value fits both, as far as their kinds, orders and folders say.
fn are_apart(one: &Test, other: &Test) -> bool {
    match (one, other) {
        (Test::Compare(one_how, one), Test::Compare(other_how, other)) => {
            has_order(*one_how)
                && has_order(*other_how)
                && (one.is_number() != other.is_number()
                    || have_gap((*one_how, one), (*other_how, other))
                    || have_gap((*other_how, other), (*one_how, one)))
        }
        (Test::Under(one), Test::Under(other)) => {
            !one.starts_with(other) && !other.starts_with(one)
        }
        (Test::Compare(how, value), text) | (text, Test::Compare(how, value)) => {
            has_order(*how)
                && value.is_number()
                && matches!(text, Test::Under(_) | Test::Matches(_) | Test::Reads)
        }
        _ => false,
    }
}

fn has_order(how: Comparison) -> bool {
    !matches!(how, Comparison::Is | Comparison::IsNot)
}

/// Whether what is at most the one is less than what is at least the other.
fn have_gap(
    (most_how, most): (Comparison, &Value),
    (least_how, least): (Comparison, &Value),
) -> bool {
    let is_most = matches!(most_how, Comparison::Less | Comparison::AtMost);
    let is_least = matches!(least_how, Comparison::More | Comparison::AtLeast);
    let has_both = (most_how, least_how) == (Comparison::AtMost, Comparison::AtLeast);
    is_most
        && is_least
        && match in_order(most, least) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => !has_both,
            Some(Ordering::Greater) | None => false,
        }
}

fn in_order(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => order(one, other),
    }
}

impl Condition {
    /// Whether every call that is taken for one that meets this is taken for one that meets `other`, too.
    pub(crate) fn says(&self, takes: Takes, (other, others): (&Self, Takes)) -> bool {
        // What is unclear here may be clear there, and not met.
        let is_laxer = takes == Takes::Unclear && others == Takes::Known;
        self.place == other.place
            && !is_laxer
            && (self.text == other.text || implies(&self.test, takes, other))
    }
}

fn implies(test: &Test, takes: Takes, other: &Condition) -> bool {
    match (test, &other.test) {
        (Test::Compare(own_how, own), Test::Compare(how, value))
            if own.is_number() && value.is_number() && has_order(*own_how) =>
        {
            is_within((*own_how, own), (*how, value))
        }
        (Test::Compare(Comparison::Is, _) | Test::In(_, true), to) => {
            all_fit(test, other) && (takes == Takes::Known || is_as_unclear(to))
        }
        (Test::Under(own), Test::Under(folder)) => own.starts_with(folder),
        (Test::Present(_), _) => false,
        (_, Test::Present(true)) => takes == Takes::Known,
        _ => false,
    }
}

/// Whether a test that all of a few values pass is also unclear of whatever may be taken for one of them.
fn is_as_unclear(test: &Test) -> bool {
    match test {
        Test::Compare(Comparison::Is, _) | Test::In(_, true) => true,
        Test::Compare(how, value) => has_order(*how) && value.is_number(),
        _ => false,
    }
}

fn all_fit(test: &Test, other: &Condition) -> bool {
    few(test).is_some_and(|few| {
        !few.is_empty() && few.into_iter().all(|found| other.judge(found) == Holds::Yes)
    })
}

/// Whether a range of numbers is part of another.
fn is_within((own_how, own): (Comparison, &Value), (how, value): (Comparison, &Value)) -> bool {
    let Some(order) = order(own, value) else { return false };
    match (own_how, how) {
        (Comparison::Less, Comparison::Less | Comparison::AtMost | Comparison::IsNot)
        | (Comparison::AtMost, Comparison::AtMost) => order != Ordering::Greater,
        (Comparison::AtMost, Comparison::Less | Comparison::IsNot) => order == Ordering::Less,
        (Comparison::More, Comparison::More | Comparison::AtLeast | Comparison::IsNot)
        | (Comparison::AtLeast, Comparison::AtLeast) => order != Ordering::Less,
        (Comparison::AtLeast, Comparison::More | Comparison::IsNot) => order == Ordering::Greater,
        _ => false,
    }
}
