//! Makes a value fit: from generous limits to tight ones, until its tokens are few enough.

use serde_json::value::RawValue;

use crate::names::LEFT_OUT;
use crate::render::{Limits, Plan, render};
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
        Strategy::Summarize => Some(summary::of(text, most)),
        Strategy::Schema => Some(outline::of(text, most)),
        Strategy::Auto | Strategy::Sample | Strategy::Truncate | Strategy::None => None,
    };
    if let Some(told) = told {
        // Of small values there is nothing shorter to say.
        if tokens::fits(text, most) && told.len() >= text.len() {
            return whole(tokens::count(text));
        }
        return cut(&told, Keep::Ends, true, most);
    }
    if tokens::fits(text, most) {
        return whole(tokens::count(text));
    }
    let keep = match strategy {
        Strategy::Sample => Keep::Spread,
        Strategy::Truncate => Keep::Start,
        _ => Keep::Ends,
    };
    cut(text, keep, false, most)
}

/// How tight limits may get while names stay as they are.
const STEPS: usize = 24;
/// Bytes of a name where not even the tightest suffice.
const NAMES: [usize; 3] = [48, 24, 12];
/// How many steps wider the limits are of what is given more, until the tokens are used.
const WIDER: [usize; 3] = [1, 6, STEPS];

fn limits(step: usize, most: usize) -> Limits {
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
    // In parts of a level: rows become fewer long before anything is too deep to be shown.
    const DEPTH: [usize; STEPS] = [
        512, 512, 512, 512, 512, 512, 512, 512, 512, 512, 256, 160, 96, 64, 48, 40, 32, 24, 16, 8,
        8, 4, 2, 1,
    ];
    let widest = if step == 0 { most } else { 0 };
    let name = step.checked_sub(STEPS).map_or(usize::MAX, |at| NAMES[at]);
    let step = step.min(STEPS - 1);
    Limits {
        items: ITEMS[step].max(widest),
        letters: LETTERS[step].max(widest * 6),
        fields: FIELDS[step].max(widest),
        depth: DEPTH[step],
        name,
    }
}

/// A value that is made to fit.
struct Fitting<'a> {
    tree: Node<'a>,
    keep: Keep,
    is_told: bool,
    most: usize,
}

fn cut(text: &str, keep: Keep, is_told: bool, most: usize) -> Fitted {
    let fitting = Fitting { tree: skim(text, most, keep, is_told), keep, is_told, most };
    // Tighter limits never give more, so the first that fit can be searched for.
    let (mut best, mut low, mut high) = (None, 0, STEPS + NAMES.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let tight = limits(middle, most);
        if let Some(found) = fitting.tried(tight, tight, 0) {
            best = Some((middle, found));
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let (text, tokens) = match best {
        Some((step, found)) => fitting.fuller(step, found),
        None => smallest(&fitting.tree, most),
    };
    let value = RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned());
    Fitted { value, tokens, is_cut: true }
}

impl Fitting<'_> {
    /// The value within limits, and its tokens, if they are few enough.
    fn tried(&self, tight: Limits, wide: Limits, more: usize) -> Option<(String, usize)> {
        let Self { keep, is_told, most, .. } = *self;
        let bytes = most.saturating_mul(12);
        let text = render(&self.tree, &Plan { tight, wide, more, bytes, keep, is_told })?;
        let count = (text.len() / 12 <= most).then(|| tokens::count(&text))?;
        (count <= most).then_some((text, count))
    }

    /// The same with longer lists, then with more of its first parts, while there is room for more
    /// than that step gives.
    fn fuller(&self, step: usize, found: (String, usize)) -> (String, usize) {
        let mut best = found;
        let mut tight = limits(step, self.most);
        let Some(before) = step.checked_sub(1) else { return best };
        let mut high = limits(before, self.most).items;
        while tight.items + 1 < high {
            let items = usize::midpoint(tight.items, high);
            let longer = Limits { items, ..tight };
            match self.tried(longer, longer, 0) {
                Some(found) => (best, tight) = (found, longer),
                None => high = items,
            }
        }
        best = self.wider(step, tight, best);
        for name in NAMES {
            // Long names may be all that keeps others out.
            if name < tight.name && best.1 * 2 < self.most {
                best = self.wider(step, Limits { name, ..tight }, best);
            }
        }
        best
    }

    /// The same, or more of its first parts within wider limits.
    fn wider(&self, step: usize, tight: Limits, found: (String, usize)) -> (String, usize) {
        let mut best = found;
        for wider in WIDER {
            let wide = limits(step.saturating_sub(wider), self.most);
            let (mut low, mut high) = (0, self.most);
            // Nearly full is full enough.
            while low + 1 < high && best.1 * 20 < self.most * 19 {
                let more = usize::midpoint(low, high);
                match self.tried(tight, wide, more) {
                    Some(found) => {
                        low = more;
                        if found.1 > best.1 {
                            best = found;
                        }
                    }
                    None => high = more,
                }
            }
        }
        best
    }
}

/// What can always be said.
fn smallest(tree: &Node<'_>, most: usize) -> (String, usize) {
    let what = match tree {
        Node::List { total, .. } => format!("list of {total}"),
        Node::Object { total, sign, .. } => format!("object of {total}{sign}"),
        Node::Text(text) => format!("text of {} bytes", text.written.len()),
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
