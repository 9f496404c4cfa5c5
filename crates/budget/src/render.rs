//! Writes a skimmed value within limits, as JSON that says what it left out.
//!
//! Tight limits hold for all of it. What they leave of the tokens goes to the first parts, which are
//! written within wider ones: so many parts more, shared among the fields of an object.

use std::fmt::Write as _;

use crate::halves::text_of;
use crate::names::{LEFT_OUT, Names, free_name};
use crate::printed::{ceil, floor};
use crate::skim::{Keep, Node, SEED, Text, kind, mixed, spread};

/// What a level takes of the depth. One with a single way on takes 1: it is long, but never wide.
pub(crate) const LEVEL: usize = 8;

/// Letters of a text that count as a part.
const LETTERS: usize = 16;
/// Nested fields that share what there is more.
const SHARERS: usize = 5;

/// How much is written of each part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Members of a list.
    pub(crate) items: usize,
    /// Fields of an object.
    pub(crate) fields: usize,
    /// Characters of a text.
    pub(crate) letters: usize,
    /// Bytes of a name. It holds everywhere, also where other limits are wider.
    pub(crate) name: usize,
    /// How deep, in parts of a [`LEVEL`].
    pub(crate) depth: usize,
}

/// How much is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// What holds for every part.
    pub(crate) tight: Limits,
    /// What holds for those that are given more.
    pub(crate) wide: Limits,
    /// How many are.
    pub(crate) more: usize,
    /// Bytes of everything; writing stops there, since it cannot fit.
    pub(crate) bytes: usize,
    /// Which members of a list.
    pub(crate) keep: Keep,
    /// Whether it is a summary, of which some parts are known by their names.
    pub(crate) is_told: bool,
}

/// The value within limits; nothing if it would be longer than it may be.
pub(crate) fn render(node: &Node<'_>, plan: &Plan) -> Option<String> {
    let mut writing = Writing { plan, more: plan.more, is_named: false, out: String::new() };
    writing.write(node, 0)?;
    Some(writing.out)
}

struct Writing<'p> {
    plan: &'p Plan,
    /// Parts that may still be given more.
    more: usize,
    /// Whether the names of what is next are told elsewhere, and are nothing without what is under
    /// them.
    is_named: bool,
    out: String,
}

impl Writing<'_> {
    /// What holds for any part at a depth, and what holds for the next.
    fn limits(&self, depth: usize) -> (Limits, Limits) {
        let Plan { mut tight, wide, .. } = *self.plan;
        if depth >= tight.depth {
            // There is only what is given more.
            (tight.items, tight.fields) = (1, 1);
        }
        let more = |tight: usize, wide: usize, by: usize| (tight + by).min(wide.max(tight));
        let limits = Limits {
            items: more(tight.items, wide.items, self.more),
            fields: more(tight.fields, wide.fields, self.more),
            letters: more(tight.letters, wide.letters, self.more * LETTERS),
            name: tight.name,
            depth: if self.more > 0 { wide.depth.max(tight.depth) } else { tight.depth },
        };
        (tight, limits)
    }

    fn write(&mut self, node: &Node<'_>, depth: usize) -> Option<()> {
        if self.out.len() > self.plan.bytes {
            return None;
        }
        let (tight, limits) = self.limits(depth);
        self.more = self.more.saturating_sub(1);
        let is_named = std::mem::take(&mut self.is_named);
        match node {
            Node::Plain(text) => self.out.push_str(text),
            Node::Text(text) => self.write_text(text, limits.letters, self.plan.keep),
            Node::List { total, kept } if is_short(*total, kept) => {
                // Shorter than any words about it.
                self.out.push('[');
                for (at, (_, node)) in kept.iter().enumerate() {
                    self.comma(at);
                    self.write(node, depth)?;
                }
                self.out.push(']');
            }
            Node::List { total, .. } if depth >= limits.depth && *total > 0 => {
                let _ = write!(self.out, "{{\"{LEFT_OUT}\":\"list of {total}\"}}");
            }
            Node::Object { total, sign, kept } if depth >= limits.depth && *total > 0 => {
                self.write_unopened((*total, sign), kept, &limits)?;
            }
            Node::List { total, kept } => {
                let depth = depth + cost(kept.iter().map(|(_, node)| node));
                // Each row takes its fields of what there is more.
                let room = limits.items.min(tight.items + self.more / parts(kept));
                let rows = chosen(*total, kept, room, self.plan.keep);
                match columns(&rows, &limits).filter(|_| depth < limits.depth) {
                    Some(columns) => self.write_table(*total, &rows, &columns, depth)?,
                    None => self.write_list(*total, &rows, depth)?,
                }
            }
            Node::Object { total, sign, kept } => {
                let depth = depth + cost(kept.iter().map(|(_, node)| node));
                self.out.push('{');
                let most = limits.fields.min(kept.len());
                let certain = if is_named && depth >= tight.depth { 1 } else { tight.fields };
                let shown = self.write_fields(&kept[..most], certain, depth)?;
                if shown < *total {
                    self.comma(shown);
                    self.write_missing((*total - shown, sign), &kept[..shown]);
                }
                self.out.push('}');
            }
        }
        (self.out.len() <= self.plan.bytes).then_some(())
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.out.push(',');
        }
    }

    /// How many fields are missing, beside those that are shown.
    fn write_missing(&mut self, (missing, sign): (usize, &str), shown: &[(&str, Node<'_>)]) {
        let name = free_name(|name| has(shown, name));
        let _ = write!(self.out, "\"{name}\":\"{missing}{sign} more fields\"");
    }

    /// Fields, each with its share of what there is more: so many, and others while there is any.
    /// Says how many.
    fn write_fields(
        &mut self,
        fields: &[(&str, Node<'_>)],
        certain: usize,
        depth: usize,
    ) -> Option<usize> {
        let is_part = self.plan.is_told && is_text(fields);
        let mut nested = fields.iter().filter(|(_, node)| node.is_nested()).count();
        let is_table = self.plan.is_told && is_table(fields);
        // Of many, the first ones have what they need.
        let shares = nested <= SHARERS;
        let mut names = Names::default();
        for (at, (key, value)) in fields.iter().enumerate() {
            if at >= certain && self.more == 0 {
                return Some(at);
            }
            self.comma(at);
            self.out.push_str(&names.within(key, self.plan.tight.name));
            self.out.push(':');
            self.is_named = is_table && *key == "\"describe\"";
            match value {
                Node::Text(text) if is_part => self.write_end(text, *key == "\"tail\""),
                _ if value.is_nested() && shares => {
                    let share = self.more.div_ceil(nested.max(1));
                    let rest = self.more - share;
                    self.more = share;
                    self.write(value, depth)?;
                    self.more += rest;
                    nested -= 1;
                }
                _ => self.write(value, depth)?,
            }
        }
        Some(fields.len())
    }

    /// An object that is too deep to be gone into.
    fn write_unopened(
        &mut self,
        (total, sign): (usize, &str),
        kept: &[(&str, Node<'_>)],
        limits: &Limits,
    ) -> Option<()> {
        let is_short = total == kept.len()
            && kept.iter().map(|(key, _)| key.len()).sum::<usize>() <= SHORT
            && are_short(kept.iter().map(|(_, node)| node));
        if is_short {
            // Shorter than any words about it.
            self.out.push('{');
            self.write_fields(kept, kept.len(), 0)?;
            self.out.push('}');
        } else if is_typed(kept, limits) {
            self.write_typed((total, sign), kept)?;
        } else {
            let _ = write!(self.out, "{{\"{LEFT_OUT}\":\"object of {total}{sign}\"}}");
        }
        Some(())
    }

    /// What such an object is: its type, its shape, the names and types of its columns, but no rows.
    fn write_typed(
        &mut self,
        (total, sign): (usize, &str),
        kept: &[(&str, Node<'_>)],
    ) -> Option<()> {
        self.out.push('{');
        let mut shown = 0;
        for (key, value) in kept {
            let tells = match value {
                Node::Plain(_) | Node::Text(_) => true,
                Node::List { total, kept } => is_short(*total, kept),
                Node::Object { kept, .. } => !kept.iter().any(|(_, one)| one.is_nested()),
            };
            if tells {
                self.comma(shown);
                shown += 1;
                self.out.push_str(key);
                self.out.push(':');
                // Not below anything, so that it is gone into whatever the depth.
                self.write(value, 0)?;
            }
        }
        if shown < total {
            self.comma(shown);
            self.write_missing((total - shown, sign), kept);
        }
        self.out.push('}');
        Some(())
    }

    fn write_list(
        &mut self,
        total: usize,
        rows: &[&(usize, Node<'_>)],
        depth: usize,
    ) -> Option<()> {
        self.out.push('[');
        self.write_rows(total, rows, |writing, row| writing.write(row, depth))?;
        self.out.push(']');
        Some(())
    }

    /// Rows that all have the same fields, as columns and rows.
    fn write_table(
        &mut self,
        total: usize,
        rows: &[&(usize, Node<'_>)],
        columns: &[&str],
        depth: usize,
    ) -> Option<()> {
        let mut names = Names::default();
        let columns = columns.iter().map(|name| names.within(name, self.plan.tight.name));
        let columns = columns.collect::<Vec<_>>().join(",");
        let _ = write!(self.out, "{{\"$columns\":[{columns}],\"$rows\":[");
        self.write_rows(total, rows, |writing, row| {
            let Node::Object { kept, .. } = row else { return None };
            let depth = depth + cost(kept.iter().map(|(_, node)| node));
            writing.out.push('[');
            for (at, (_, value)) in kept.iter().enumerate() {
                writing.comma(at);
                writing.write(value, depth)?;
            }
            writing.out.push(']');
            Some(())
        })?;
        self.out.push_str("]}");
        Some(())
    }

    /// Rows with commas, and how many there would have been between them.
    fn write_rows(
        &mut self,
        total: usize,
        rows: &[&(usize, Node<'_>)],
        mut write_row: impl FnMut(&mut Self, &Node<'_>) -> Option<()>,
    ) -> Option<()> {
        let mut next = 0;
        for (at, row) in rows {
            self.gap(at - next, next == 0);
            write_row(self, row)?;
            next = at + 1;
        }
        self.gap(total - next, next == 0);
        if self.out.ends_with(',') {
            self.out.pop();
        }
        Some(())
    }

    /// What stands between two members: a comma, and how many there would have been.
    fn gap(&mut self, missing: usize, is_first: bool) {
        if !is_first {
            self.out.push(',');
        }
        if missing > 0 {
            let _ = write!(self.out, "{{\"{LEFT_OUT}\":{missing}}},");
        }
    }

    /// A text with at most so many letters: its beginning, its end, and what is missing between;
    /// only its beginning where that is what was asked for.
    fn write_text(&mut self, text: &Text<'_>, most: usize, keep: Keep) {
        // Letters take at least one byte, so a short one need not be read.
        if text.written.len() <= most + 2 {
            self.out.push_str(text.written);
            return;
        }
        let (whole, letters) = text.whole();
        if whole.len() <= most {
            self.out.push_str(text.written);
            return;
        }
        self.more = self.more.saturating_sub(most / LETTERS);
        let (head, tail) = match keep {
            Keep::Start => (floor(whole, most), whole.len()),
            Keep::Ends | Keep::Spread => {
                let head = floor(whole, most * 2 / 3);
                (head, ceil(whole, whole.len() - most / 3).max(head))
            }
        };
        let (head, tail) = (&whole[..head], &whole[tail..]);
        let left = letters - head.chars().count() - tail.chars().count();
        let cut = format!("{head}[... {left} characters left out ...]{tail}");
        let cut = if cut.len() < whole.len() { cut } else { whole.to_owned() };
        self.out.push_str(&serde_json::Value::String(cut).to_string());
    }

    /// The beginning or the end of a text of which a summary says how long it is.
    fn write_end(&mut self, text: &Text<'_>, is_tail: bool) {
        let most = self.limits(0).1.letters;
        let (whole, _) = text.whole();
        self.more = self.more.saturating_sub(whole.len().min(most) / LETTERS);
        let cut = if whole.len() <= most {
            whole.to_owned()
        } else if is_tail {
            format!("…{}", &whole[ceil(whole, whole.len() - most)..])
        } else {
            format!("{}…", &whole[..floor(whole, most)])
        };
        self.out.push_str(&serde_json::Value::String(cut).to_string());
    }
}

/// What it takes of the depth to go into a value with these members.
fn cost<'n, 'a: 'n>(members: impl Iterator<Item = &'n Node<'a>>) -> usize {
    if members.filter(|node| node.is_nested()).nth(1).is_some() { LEVEL } else { 1 }
}

/// How many parts a row of a list has.
fn parts(rows: &[(usize, Node<'_>)]) -> usize {
    match rows.first() {
        Some((_, Node::List { kept, .. })) => 1 + kept.len(),
        Some((_, Node::Object { kept, .. })) => 1 + kept.len(),
        _ => 1,
    }
}

/// Whether one of the fields has this name.
fn has(fields: &[(&str, Node<'_>)], name: &str) -> bool {
    // A name may be written with signs that stand for others.
    let is_it = |key: &str| key.contains('\\') && text_of(key).as_deref() == Some(name);
    fields.iter().any(|(key, _)| key.trim_matches('"') == name || is_it(key))
}

/// Whether fields are what a summary says of a text.
fn is_text(fields: &[(&str, Node<'_>)]) -> bool {
    let is_kind = |node: &Node<'_>| matches!(node, Node::Text(text) if text.written == "\"text\"");
    matches!(fields, [("\"type\"", kind), ("\"characters\"", _), ..] if is_kind(kind))
}

/// Fewer fields than this, and not even tables say what they are.
const TYPED_FROM: usize = 5;

/// Whether an object says what it is, as a table of pandas does.
fn is_typed(kept: &[(&str, Node<'_>)], limits: &Limits) -> bool {
    limits.fields >= TYPED_FROM && is_table(kept)
}

fn is_table(kept: &[(&str, Node<'_>)]) -> bool {
    kept.first().is_some_and(|(key, _)| *key == "\"$type\"")
}

/// Whether a list is a few short values: a shape, names of columns.
fn is_short(total: usize, kept: &[(usize, Node<'_>)]) -> bool {
    kept.len() == total && are_short(kept.iter().map(|(_, node)| node))
}

/// The most bytes of values that are shown whatever the limits.
const SHORT: usize = 60;

fn are_short<'n, 'a: 'n>(nodes: impl Iterator<Item = &'n Node<'a>>) -> bool {
    let mut bytes = 0;
    for node in nodes {
        bytes += match node {
            Node::Plain(text) => text.len() + 1,
            Node::Text(text) => text.written.len() + 1,
            Node::List { .. } | Node::Object { .. } => return false,
        };
        if bytes > SHORT {
            return false;
        }
    }
    true
}

/// The members of a list that are shown, in their order.
fn chosen<'n, 'a>(
    total: usize,
    kept: &'n [(usize, Node<'a>)],
    room: usize,
    keep: Keep,
) -> Vec<&'n (usize, Node<'a>)> {
    if kept.len() <= room && kept.len() == total {
        return kept.iter().collect();
    }
    match keep {
        Keep::Start => kept.iter().take(room).collect(),
        Keep::Spread => spread(kept.len(), room).into_iter().map(|at| &kept[at]).collect(),
        Keep::Ends => {
            // The first of each kind before more of one, then the last, then from the beginning.
            let mut wanted: Vec<usize> = Vec::new();
            let mut kinds: Vec<u64> = Vec::new();
            for (at, (_, node)) in kept.iter().enumerate() {
                let kind = kind_of(node);
                if wanted.len() < room && kinds.len() < 8 && !kinds.contains(&kind) {
                    kinds.push(kind);
                    wanted.push(at);
                }
            }
            if room > 2 && kept.last().is_some_and(|(at, _)| at + 1 == total) {
                wanted.push(kept.len() - 1);
            }
            for at in 0..kept.len() {
                if wanted.len() >= room {
                    break;
                }
                wanted.push(at);
            }
            wanted.sort_unstable();
            wanted.dedup();
            wanted.truncate(room.max(1).min(wanted.len()));
            wanted.into_iter().map(|at| &kept[at]).collect()
        }
    }
}

fn kind_of(node: &Node<'_>) -> u64 {
    match node {
        Node::Plain(text) => kind(text),
        Node::Text(text) => kind(text.written),
        Node::List { .. } => kind("["),
        Node::Object { kept, .. } => kept.iter().fold(SEED, |sum, (key, _)| mixed(sum, key)),
    }
}

/// The fields that rows have in common, where they are shorter as a table.
fn columns<'a>(rows: &[&(usize, Node<'a>)], limits: &Limits) -> Option<Vec<&'a str>> {
    let fields = |node: &Node<'a>| match node {
        Node::Object { total, kept, .. } if *total == kept.len() && *total <= limits.fields => {
            Some(kept.iter().map(|(key, _)| *key).collect::<Vec<_>>())
        }
        _ => None,
    };
    let columns = fields(&rows.first()?.1)?;
    let is_same = |row: &&(usize, Node<'a>)| fields(&row.1).as_ref() == Some(&columns);
    if rows.len() < 3 || columns.is_empty() || !rows.iter().all(is_same) {
        return None;
    }
    // Values take the same room in both; names are written once instead of in every row.
    let names: usize = columns.iter().map(|name| name.len() + 1).sum();
    let table = names + r#"{"$columns":[],"$rows":[]}"#.len();
    (table < rows.len() * names).then_some(columns)
}
