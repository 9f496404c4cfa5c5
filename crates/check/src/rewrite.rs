//! The program as the type checker is to see it.
//!
//! Annotations of variables, parameters and results are blanked: a program runs whatever they
//! claim, so a type must come from a value to be certain. An `await` that the guest puts in is
//! put in here, too.

use ruff_python_ast::{AnyNodeRef, PySourceType};
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::awaits::Forgotten;
use crate::tree::{Id, Tree};

/// A text, and the way back to the places of the one it was made from.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// Where something was put in, in the original, and how long it is; sorted.
    inserted: Vec<(u32, u32)>,
}

impl Rewritten {
    pub(crate) fn of(source: &str, tree: &Tree<'_>, forgotten: &[Forgotten]) -> Self {
        let mut blanked = source.as_bytes().to_vec();
        for (id, node) in tree.all() {
            blank_annotations(source, &mut blanked, tree, id, node);
        }
        let blanked = String::from_utf8(blanked).unwrap_or_else(|_| source.to_owned());
        let mut edits: Vec<(u32, bool, &str)> = Vec::new();
        for one in forgotten {
            let opening = if one.can_await { "(await " } else { "__tidegate_wait__(" };
            edits.push((one.range.start().to_u32(), true, opening));
            edits.push((one.range.end().to_u32(), false, ")"));
        }
        // At one place, what closes comes before what opens.
        edits.sort_by_key(|(at, opens, _)| (*at, *opens));
        let mut text = String::with_capacity(blanked.len() + edits.len() * 8);
        let mut inserted = Vec::with_capacity(edits.len());
        let mut from = 0;
        for (at, _, words) in edits {
            text.push_str(blanked.get(from..at as usize).unwrap_or_default());
            text.push_str(words);
            inserted.push((at, u32::try_from(words.len()).unwrap_or(0)));
            from = at as usize;
        }
        text.push_str(blanked.get(from..).unwrap_or_default());
        if !parse_unchecked_source(&text, PySourceType::Python).has_valid_syntax() {
            // Rather no types than a mistake of our own making.
            return Self { text: source.to_owned(), inserted: Vec::new() };
        }
        Self { text, inserted }
    }

    /// A place in the original.
    pub(crate) fn original(&self, range: TextRange) -> TextRange {
        let (start, end) = (self.back(range.start().to_u32()), self.back(range.end().to_u32()));
        TextRange::new(TextSize::new(start.min(end)), TextSize::new(end.max(start)))
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
            let in_class = tree.above(id).next().is_some_and(|parent| matches!(tree.node(parent), AnyNodeRef::StmtClassDef(_)));
            let range = TextRange::new(assign.target.range().end(), assign.annotation.range().end());
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
        Rewritten::of(source, &tree, forgotten)
    }

    #[test]
    fn annotations_go_and_everything_stays_in_its_place() {
        let source = "def f(a: int, *b: str, c: list[int] = []) -> dict[str, int]:\n    x: int = 1\nclass A:\n    y: int = 2\n";
        let text = rewritten(source, &[]).text;
        assert_eq!(text.len(), source.len());
        assert!(!text.contains("dict") && !text.contains("list") && text.contains("y: int = 2"), "{text}");
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
        assert_eq!(&source[made.original(TextRange::new(TextSize::new(5), TextSize::new(15)))], "f(1)");
    }
}
