//! Makes a value fit: from generous limits to tight ones, until its tokens are few enough.

use serde_json::value::RawValue;

use crate::render::{LEFT_OUT, Limits, render};
use crate::skim::{Keep, Node, skim};
use crate::{Strategy, outline, summary, tokens};

/// A value that fits.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The value, as JSON.
    pub value: Box<RawValue>,
    /// How many tokens it is.
    pub tokens: usize,
    /// Whether it is less than all of it.
    pub is_cut: bool,
}

/// `value` in at most `most` tokens.
#[must_use]
pub fn fit(value: &RawValue, strategy: Strategy, most: usize) -> Fitted {
    let text = value.get();
    let whole = |tokens| Fitted { value: value.to_owned(), tokens, is_cut: false };
    if strategy == Strategy::None {
        return whole(tokens::count(text));
    }
    let told = match strategy {
        Strategy::Summarize => Some(summary::of(text)),
        Strategy::Schema => Some(outline::of(text)),
        Strategy::Auto | Strategy::Sample | Strategy::Truncate | Strategy::None => None,
    };
    if let Some(told) = told {
        // Of small values there is nothing shorter to say.
        if tokens::fits(text, most) && told.len() >= text.len() {
            return whole(tokens::count(text));
        }
        return cut(&told, Keep::Ends, most);
    }
    if tokens::fits(text, most) {
        return whole(tokens::count(text));
    }
    let keep = match strategy {
        Strategy::Sample => Keep::Spread,
        Strategy::Truncate => Keep::Start,
        _ => Keep::Ends,
    };
    cut(text, keep, most)
}

/// How tight limits may get.
const STEPS: usize = 24;

fn limits(step: usize, keep: Keep, most: usize) -> Limits {
    const ITEMS: [usize; STEPS] =
        [1000, 600, 400, 250, 150, 100, 70, 50, 35, 25, 18, 12, 8, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1];
    const LETTERS: [usize; STEPS] = [
        20_000, 8000, 4000, 2000, 1000, 700, 500, 400, 300, 250, 200, 160, 120, 100, 80, 70, 60,
        50, 40, 30, 25, 20, 20, 20,
    ];
    const FIELDS: [usize; STEPS] = [
        500, 500, 500, 500, 300, 200, 150, 120, 100, 80, 60, 50, 40, 35, 30, 25, 20, 16, 10, 6, 5,
        4, 3, 2,
    ];
    const DEPTH: [usize; STEPS] =
        [12, 12, 12, 12, 12, 10, 10, 8, 8, 8, 7, 7, 6, 6, 5, 5, 4, 3, 2, 1, 1, 1, 1, 1];
    Limits {
        items: ITEMS[step],
        letters: LETTERS[step],
        fields: FIELDS[step],
        depth: DEPTH[step],
        bytes: most.saturating_mul(12),
        keep,
    }
}

fn cut(text: &str, keep: Keep, most: usize) -> Fitted {
    let tree = skim(text, most, keep);
    let tried = |step| {
        let text = render(&tree, &limits(step, keep, most))?;
        let count = (text.len() / 12 <= most).then(|| tokens::count(&text))?;
        (count <= most).then_some((text, count))
    };
    // Tighter limits never give more, so the first that fit can be searched for.
    let (mut best, mut low, mut high) = (None, 0, STEPS);
    while low < high {
        let middle = usize::midpoint(low, high);
        if let Some(found) = tried(middle) {
            best = Some((middle, found));
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let (text, tokens) = match best {
        Some((step, (text, count))) => fuller(&tree, keep, most, step).unwrap_or((text, count)),
        None => smallest(&tree, most),
    };
    let value = RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned());
    Fitted { value, tokens, is_cut: true }
}

/// The same with longer lists, while there is room for more than that step gives.
fn fuller(tree: &Node<'_>, keep: Keep, most: usize, step: usize) -> Option<(String, usize)> {
    let wider = limits(step.checked_sub(1)?, keep, most);
    let (mut low, mut high) = (limits(step, keep, most).items, wider.items);
    let mut best = None;
    while low + 1 < high {
        let items = usize::midpoint(low, high);
        let text = render(tree, &Limits { items, ..limits(step, keep, most) });
        let fitting = text.filter(|text| tokens::fits(text, most));
        if let Some(text) = fitting {
            best = Some(text);
            low = items;
        } else {
            high = items;
        }
    }
    best.map(|text| {
        let count = tokens::count(&text);
        (text, count)
    })
}

/// What can always be said.
fn smallest(tree: &Node<'_>, most: usize) -> (String, usize) {
    let what = match tree {
        Node::List { total, .. } => format!("list of {total}"),
        Node::Object { total, .. } => format!("object of {total}"),
        Node::Text(text) => format!("text of {} bytes", text.len()),
        Node::Plain(_) => "a long number".to_owned(),
    };
    for text in [format!("{{\"{LEFT_OUT}\":\"{what}\"}}"), "\"…\"".to_owned()] {
        let count = tokens::count(&text);
        if count <= most {
            return (text, count);
        }
    }
    ("0".to_owned(), 1)
}
