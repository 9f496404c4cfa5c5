//! The program as the type checker is to see it.
//!
//! Annotations of variables, parameters and results are blanked: a program runs whatever they
//! claim, so a type must come from a value to be certain. An `await` that the guest puts in is
//! put in here, too. And what a program changes in passing loses the type that it had before:
//! see `changes`.

mod changes;
mod literals;

pub(crate) use changes::changes_containers;
pub(crate) use literals::has_endless;

use std::borrow::Cow;

use ruff_python_ast::{AnyNodeRef, PySourceType};
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::awaits::Forgotten;
use crate::names::Names;
use crate::results::Spelt;
use crate::tree::{Id, Tree};

/// An expression that is put into brackets, and what stands before it.
#[derive(Debug)]
struct Wrap {
    range: TextRange,
    with: Cow<'static, str>,
}

impl Wrap {
    fn awaited(forgotten: &Forgotten) -> Self {
        let with = if forgotten.can_await { "(await " } else { "__tidegate_wait__(" };
        Self { range: forgotten.range, with: with.into() }
    }

    /// A value with its spelling beside it.
    fn spelt((range, spelling): &(TextRange, String)) -> Self {
        Self { range: *range, with: format!("__tidegate_own__({spelling}, ").into() }
    }
}

/// A text, and the way back to the places of the one it was made from.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// Where something was put in, in the original, and how long it is; sorted.
    inserted: Vec<(u32, u32)>,
}

impl Rewritten {
    pub(crate) fn of(
        source: &str,
        tree: &Tree<'_>,
        names: &Names<'_, '_>,
        forgotten: &[Forgotten],
        spelt: &Spelt,
    ) -> Self {
        let mut blanked = source.as_bytes().to_vec();
        for (id, node) in tree.all() {
            blank_annotations(source, &mut blanked, tree, id, node);
        }
        let emptied = literals::too_large(tree);
        let one = TextSize::new(1);
        for range in &emptied {
            blank(&mut blanked, range.start() + one, range.end() - one);
        }
        let blanked = String::from_utf8(blanked).unwrap_or_else(|_| source.to_owned());
        // Around the same expression, what comes first is outside.
        let mut wraps: Vec<Wrap> = spelt.spellings.iter().map(Wrap::spelt).collect();
        wraps.extend(forgotten.iter().map(Wrap::awaited));
        wraps.extend(changes::wraps(tree, names));
        // Nothing is put into what was emptied, and what that was nobody knows.
        wraps.retain(|wrap| !emptied.iter().any(|range| range.contains_range(wrap.range)));
        wraps.extend(emptied.iter().map(|range| Wrap { range: *range, with: changes::ANY.into() }));
        let made = Self::wrapped(&blanked, &wraps);
        if !parse_unchecked_source(&made.text, PySourceType::Python).has_valid_syntax() {
            // Rather fewer types than a mistake of our own making.
            return Self { text: source.to_owned(), inserted: Vec::new() };
        }
        made
    }

    /// The same with lines before it.
    pub(crate) fn after(mut self, lines: &str) -> Self {
        if !lines.is_empty() {
            self.text.insert_str(0, lines);
            self.inserted.insert(0, (0, u32::try_from(lines.len()).unwrap_or(0)));
        }
        self
    }

    fn wrapped(text: &str, wraps: &[Wrap]) -> Self {
        // At one place, what closes comes before what opens, and inner before outer or after it.
        let mut edits: Vec<(u32, bool, u32, &str)> = Vec::with_capacity(wraps.len() * 2);
        for Wrap { range, with } in wraps {
            let (start, end) = (range.start().to_u32(), range.end().to_u32());
            edits.push((start, true, u32::MAX - end, with.as_ref()));
            edits.push((end, false, u32::MAX - start, ")"));
        }
        edits.sort_by_key(|(at, opens, order, _)| (*at, *opens, *order));
        let mut out = String::with_capacity(text.len() + edits.len() * 8);
        let mut inserted = Vec::with_capacity(edits.len());
        let mut from = 0;
        for (at, _, _, words) in edits {
            out.push_str(text.get(from..at as usize).unwrap_or_default());
            out.push_str(words);
            inserted.push((at, u32::try_from(words.len()).unwrap_or(0)));
            from = at as usize;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        Self { text: out, inserted }
    }

    /// A place in the original.
    pub(crate) fn original(&self, range: TextRange) -> TextRange {
        let (start, end) = (self.back(range.start().to_u32()), self.back(range.end().to_u32()));
        TextRange::new(TextSize::new(start.min(end)), TextSize::new(end.max(start)))
    }

    /// Whether a place is in what was put in.
    pub(crate) fn is_put_in(&self, range: TextRange) -> bool {
        let (start, end) = (range.start().to_u32(), range.end().to_u32());
        let mut added = 0;
        self.inserted.iter().any(|(place, length)| {
            let begins = place + added;
            added += length;
            begins <= start && end <= begins + length
        })
    }

    fn back(&self, at: u32) -> u32 {
        let mut added = 0;
        for (place, length) in &self.inserted {
            let begins = place + added;
            if at < begins + length {
                // Inside of what was put in, or before it.
                return if at > begins { *place } else { at - added };
            }
            added += length;
        }
        at - added
    }
}

/// Makes annotations blank. One that spans lines outside brackets has to stay.
fn blank_annotations(source: &str, text: &mut [u8], tree: &Tree<'_>, id: Id, node: AnyNodeRef<'_>) {
    match node {
        AnyNodeRef::Parameter(parameter) => {
            if let Some(annotation) = &parameter.annotation {
                blank(text, parameter.name.range.end(), annotation.range().end());
            }
        }
        AnyNodeRef::StmtFunctionDef(function) => {
            if let Some(returns) = &function.returns {
                let start = function.parameters.range.end();
                let range = TextRange::new(start, returns.range().end());
                if !source[range].contains('\n') {
                    blank(text, start, closing(source, returns.range().end()));
                }
            }
        }
        AnyNodeRef::StmtAnnAssign(assign) => {
            let in_class = tree
                .above(id)
                .next()
                .is_some_and(|parent| matches!(tree.node(parent), AnyNodeRef::StmtClassDef(_)));
            let range =
                TextRange::new(assign.target.range().end(), assign.annotation.range().end());
            if !in_class && assign.value.is_some() && !source[range].contains('\n') {
                let end = assign.value.as_ref().map_or(range.end(), |value| value.range().start());
                // Everything up to the `=`, so that brackets around the annotation go, too.
                let between = &source[TextRange::new(range.end(), end)];
                let equals = between.find('=').and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
                blank(text, range.start(), range.end() + TextSize::new(equals));
            }
        }
        _ => {}
    }
}

/// The end of a result's annotation with the brackets around it: just before the colon.
fn closing(source: &str, end: TextSize) -> TextSize {
    let rest = source.get(usize::from(end)..).unwrap_or_default();
    let colon = rest.find(':').and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
    end + TextSize::new(colon)
}

fn blank(text: &mut [u8], start: TextSize, end: TextSize) {
    if let Some(part) = text.get_mut(usize::from(start)..usize::from(end)) {
        for byte in part.iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(source: &str, forgotten: &[Forgotten]) -> Rewritten {
        let parsed = parse_unchecked_source(source, PySourceType::Python);
        let tree = Tree::new(parsed.syntax());
        let catalog = catalog::Catalog::default();
        let servers = crate::servers::Servers { catalog: &catalog, opaque: &[], partial: false };
        let (names, _) = Names::read(&tree, servers);
        Rewritten::of(source, &tree, &names, forgotten, &Spelt::default())
    }

    #[test]
    fn annotations_go_and_everything_stays_in_its_place() {
        let source = "def f(a: int, *b: str, c: list[int] = []) -> dict[str, int]:\n    x: int = 1\nclass A:\n    y: int = 2\n";
        let text = rewritten(source, &[]).text;
        assert_eq!(text.len(), source.len());
        assert!(
            !text.contains("dict") && !text.contains("list") && text.contains("y: int = 2"),
            "{text}"
        );
    }

    #[test]
    fn places_lead_back_to_where_they_were() {
        let source = "x = f(1)['a']\n";
        let range = TextRange::new(TextSize::new(4), TextSize::new(8));
        let made = rewritten(source, &[Forgotten { range, can_await: true }]);
        assert_eq!(made.text, "x = (await f(1))['a']\n");
        let at = u32::try_from(made.text.find("'a'").unwrap()).unwrap();
        let back = made.original(TextRange::new(TextSize::new(at), TextSize::new(at + 3)));
        assert_eq!(&source[back], "'a'");
        let call = u32::try_from(made.text.find("f(1)").unwrap()).unwrap();
        let back = made.original(TextRange::new(TextSize::new(call), TextSize::new(call + 4)));
        assert_eq!(&source[back], "f(1)");
        assert_eq!(
            &source[made.original(TextRange::new(TextSize::new(5), TextSize::new(15)))],
            "f(1)"
        );
    }

    #[test]
    fn what_is_changed_in_passing_has_no_type_any_more() {
        let source = "rows = [{'a': '1'}]\nfor row in rows:\n    row['a'] = int(row['a'])\nprint(rows[0]['a'])\n";
        assert_eq!(
            rewritten(source, &[]).text,
            "rows = __tidegate_list__([__tidegate_dict__({'a': '1'})])\nfor row in rows:\n    \
             row['a'] = int(__tidegate_any__(row['a']))\nprint(__tidegate_any__(rows[0]['a']))\n"
        );
        let unchanged = "rows = [{'a': '1'}]\nprint(rows[0]['a'])\n";
        assert_eq!(rewritten(unchanged, &[]).text, unchanged);
    }

    #[test]
    fn what_is_nested_too_deep_or_has_too_many_parts_is_emptied() {
        let deep = format!("x = {}1{}\n", "[".repeat(9), "]".repeat(9));
        assert_eq!(rewritten(&deep, &[]).text, "x = __tidegate_any__([                 ])\n");
        let long = format!("x = [{}]\n", "1, ".repeat(3_000));
        assert!(!rewritten(&long, &[]).text.contains('1'));
        let usual = "x = [[[[1, {'a': [2]}]]]]\n";
        assert_eq!(rewritten(usual, &[]).text, usual);
    }

    #[test]
    fn a_variable_that_a_function_sets_has_no_type() {
        let source = "found = None\ndef f():\n    global found\n    found = {}\n";
        assert!(rewritten(source, &[]).text.starts_with("found = __tidegate_any__(None)\n"));
    }
}
