//! Writes a skimmed value within limits, as JSON that says what it left out.

use std::fmt::Write as _;

use crate::printed::{ceil, floor};
use crate::skim::{Keep, Node, SEED, kind, mixed, spread};

/// The name under which what was left out is counted.
pub(crate) const LEFT_OUT: &str = "$left_out";

/// The same with its quotes.
const QUOTED: &str = "\"$left_out\"";
/// The name where the value has one like it.
const LEFT_OUT_TOO: &str = "$left_out_here";

/// How many fields a summary says were left out of an object.
fn left_out<'a>((key, value): &(&str, Node<'a>)) -> Option<(usize, &'a str)> {
    let Node::Text(text) = value else { return None };
    let count = text.strip_prefix('"')?.strip_suffix(" more fields\"")?;
    let digits = count.trim_end_matches('+');
    (*key == QUOTED).then(|| Some((digits.parse().ok()?, &count[digits.len()..])))?
}

/// How much is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Members of a list.
    pub(crate) items: usize,
    /// Fields of an object.
    pub(crate) fields: usize,
    /// Characters of a text.
    pub(crate) letters: usize,
    /// Levels.
    pub(crate) depth: usize,
    /// Bytes of everything; writing stops there, since it cannot fit.
    pub(crate) bytes: usize,
    /// Which members of a list.
    pub(crate) keep: Keep,
}

/// The value within limits; nothing if it would be longer than it may be.
pub(crate) fn render(node: &Node<'_>, limits: &Limits) -> Option<String> {
    let mut out = String::new();
    write(node, limits, 0, &mut out)?;
    Some(out)
}

fn write(node: &Node<'_>, limits: &Limits, depth: usize, out: &mut String) -> Option<()> {
    if out.len() > limits.bytes {
        return None;
    }
    match node {
        Node::Plain(text) => out.push_str(text),
        Node::Text(text) => write_text(text, limits, out),
        Node::List { total, kept } if is_short(*total, kept) => {
            // Shorter than any words about it.
            out.push('[');
            for (at, (_, node)) in kept.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(node, limits, depth, out)?;
            }
            out.push(']');
        }
        Node::List { total, .. } if depth >= limits.depth && *total > 0 => {
            let _ = write!(out, "{{\"{LEFT_OUT}\":\"list of {total}\"}}");
        }
        Node::Object { total, kept }
            if depth >= limits.depth
                && *total > 0
                && *total == kept.len()
                && kept.iter().map(|(key, _)| key.len()).sum::<usize>() <= SHORT
                && are_short(kept.iter().map(|(_, node)| node)) =>
        {
            // Shorter than any words about it.
            out.push('{');
            for (at, (key, value)) in kept.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(key);
                out.push(':');
                write(value, limits, depth, out)?;
            }
            out.push('}');
        }
        Node::Object { total, kept } if depth >= limits.depth && is_typed(kept, limits) => {
            write_typed(*total, kept, limits, out)?;
        }
        Node::Object { total, kept } if depth >= limits.depth && *total > 0 => {
            let (total, sign) = match kept.last().and_then(left_out) {
                Some((before, sign)) => (total - 1 + before, sign),
                None => (*total, ""),
            };
            let _ = write!(out, "{{\"{LEFT_OUT}\":\"object of {total}{sign}\"}}");
        }
        Node::List { total, kept } => {
            let start = out.len();
            write_list(*total, kept, limits, depth, out)?;
            if let Some(table) = table(*total, kept, limits, depth)
                && table.len() < out.len() - start
            {
                out.truncate(start);
                out.push_str(&table);
            }
        }
        Node::Object { total, kept } => {
            out.push('{');
            let shown = limits.fields.min(kept.len());
            for (at, (key, value)) in kept[..shown].iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(key);
                out.push(':');
                write(value, limits, depth + 1, out)?;
            }
            if shown < *total {
                let comma = if shown > 0 { "," } else { "" };
                let (missing, sign) = match kept.last().and_then(left_out) {
                    // What was left out before is left out still.
                    Some((before, sign)) => (total - shown - 1 + before, sign),
                    None => (total - shown, ""),
                };
                let is_taken = kept[..shown].iter().any(|(key, _)| *key == QUOTED);
                let name = if is_taken { LEFT_OUT_TOO } else { LEFT_OUT };
                let _ = write!(out, "{comma}\"{name}\":\"{missing}{sign} more fields\"");
            }
            out.push('}');
        }
    }
    (out.len() <= limits.bytes).then_some(())
}

/// Fewer fields than this, and not even tables say what they are.
const TYPED_FROM: usize = 5;

/// Whether an object says what it is, as a table of pandas does.
fn is_typed(kept: &[(&str, Node<'_>)], limits: &Limits) -> bool {
    limits.fields >= TYPED_FROM && kept.first().is_some_and(|(key, _)| *key == "\"$type\"")
}

/// What such an object is: its type, its shape, the names and types of its columns, but no rows.
fn write_typed(
    total: usize,
    kept: &[(&str, Node<'_>)],
    limits: &Limits,
    out: &mut String,
) -> Option<()> {
    out.push('{');
    let mut shown = 0;
    for (key, value) in kept {
        let tells = match value {
            Node::Plain(_) | Node::Text(_) => true,
            Node::List { total, kept } => is_short(*total, kept),
            Node::Object { kept, .. } => {
                kept.iter().all(|(_, one)| matches!(one, Node::Plain(_) | Node::Text(_)))
            }
        };
        if tells {
            if shown > 0 {
                out.push(',');
            }
            shown += 1;
            out.push_str(key);
            out.push(':');
            // One level below what is shown, whatever the depth.
            write(value, &Limits { depth: 1, ..*limits }, 0, out)?;
        }
    }
    if shown < total {
        let _ = write!(out, ",\"{LEFT_OUT}\":\"{} more fields\"", total - shown);
    }
    out.push('}');
    Some(())
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
        let (Node::Plain(text) | Node::Text(text)) = node else { return false };
        bytes += text.len() + 1;
        if bytes > SHORT {
            return false;
        }
    }
    true
}

fn write_list(
    total: usize,
    kept: &[(usize, Node<'_>)],
    limits: &Limits,
    depth: usize,
    out: &mut String,
) -> Option<()> {
    out.push('[');
    let mut next = 0;
    for (at, node) in chosen(total, kept, limits) {
        if next > 0 || *at > 0 {
            gap(at - next, next == 0, out);
        }
        write(node, limits, depth + 1, out)?;
        next = at + 1;
    }
    gap(total - next, next == 0, out);
    if out.ends_with(',') {
        out.pop();
    }
    out.push(']');
    Some(())
}

/// What stands between two members: a comma, and how many there would have been.
fn gap(missing: usize, first: bool, out: &mut String) {
    if !first {
        out.push(',');
    }
    if missing > 0 {
        let _ = write!(out, "{{\"{LEFT_OUT}\":{missing}}},");
    }
}

/// The members of a list that are shown, in their order.
fn chosen<'n, 'a>(
    total: usize,
    kept: &'n [(usize, Node<'a>)],
    limits: &Limits,
) -> Vec<&'n (usize, Node<'a>)> {
    let room = limits.items;
    if kept.len() <= room && kept.len() == total {
        return kept.iter().collect();
    }
    match limits.keep {
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
        Node::Plain(text) | Node::Text(text) => kind(text),
        Node::List { .. } => kind("["),
        Node::Object { kept, .. } => kept.iter().fold(SEED, |sum, (key, _)| mixed(sum, key)),
    }
}

/// Rows that all have the same fields, as columns and rows.
fn table(
    total: usize,
    kept: &[(usize, Node<'_>)],
    limits: &Limits,
    depth: usize,
) -> Option<String> {
    let rows = chosen(total, kept, limits);
    if rows.len() < 3 || depth + 1 >= limits.depth {
        return None;
    }
    let fields = |node: &Node<'_>| match node {
        Node::Object { total, kept } if *total == kept.len() && *total <= limits.fields => {
            Some(kept.iter().map(|(key, _)| (*key).to_owned()).collect::<Vec<_>>())
        }
        _ => None,
    };
    let columns = fields(&rows.first()?.1)?;
    if columns.is_empty() || !rows.iter().all(|(_, row)| fields(row).as_ref() == Some(&columns)) {
        return None;
    }
    let mut out = format!("{{\"$columns\":[{}],\"$rows\":[", columns.join(","));
    let mut next = 0;
    for (at, row) in rows {
        if next > 0 || *at > 0 {
            gap(at - next, next == 0, &mut out);
        }
        next = at + 1;
        let Node::Object { kept, .. } = row else { return None };
        out.push('[');
        for (number, (_, value)) in kept.iter().enumerate() {
            if number > 0 {
                out.push(',');
            }
            write(value, limits, depth + 2, &mut out)?;
        }
        out.push(']');
    }
    gap(total - next, next == 0, &mut out);
    if out.ends_with(',') {
        out.pop();
    }
    out.push_str("]}");
    Some(out)
}

/// A text with at most so many letters: its beginning, its end, and what is missing between; only
/// its beginning where that is what was asked for.
fn write_text(text: &str, limits: &Limits, out: &mut String) {
    let most = limits.letters;
    // Letters take at least one byte, so a short one need not be read.
    if text.len() <= most + 2 {
        out.push_str(text);
        return;
    }
    let Ok(whole) = serde_json::from_str::<String>(text) else {
        out.push_str(text);
        return;
    };
    if whole.len() <= most {
        out.push_str(text);
        return;
    }
    let (head, tail) = match limits.keep {
        Keep::Start => (floor(&whole, most), whole.len()),
        Keep::Ends | Keep::Spread => {
            let head = floor(&whole, most * 2 / 3);
            (head, ceil(&whole, whole.len() - most / 3).max(head))
        }
    };
    let left = whole[head..tail].chars().count();
    let cut = format!("{}[... {left} characters left out ...]{}", &whole[..head], &whole[tail..]);
    let cut = if cut.len() < whole.len() { cut } else { whole };
    out.push_str(&serde_json::Value::String(cut).to_string());
}
