//! A changed definition, in words that show every difference.
//!
//! What changed may be an attack on whoever reads it, a terminal or a model, so nothing is
//! printed raw: control characters are written out, and long texts are cut around the place where they begin
//! to differ.

use std::fmt::{self, Formatter};

use serde_json::{Map, Value};

use super::{Change, ChangeKind, Part};
use crate::Tool;

/// How many differences of one part are shown.
const MOST: usize = 30;
/// How many characters of a text are shown.
const LONGEST: usize = 400;
/// How many characters before the first difference are shown.
const BEFORE: usize = 40;

pub(super) fn write(change: &Change, out: &mut Formatter<'_>) -> fmt::Result {
    write!(out, "{}.{} ", printable(&change.server.0), printable(&change.tool.0))?;
    match &change.kind {
        ChangeKind::Added => writeln!(out, "is new")?,
        ChangeKind::Removed => writeln!(out, "is gone")?,
        ChangeKind::Changed { parts } => {
            let names: Vec<String> = parts.iter().map(Part::to_string).collect();
            writeln!(out, "changed: {}", names.join(", "))?;
            match (&change.before, &change.after) {
                (Some(before), Some(after)) => {
                    return parts.iter().try_for_each(|part| write_part(*part, before, after, out));
                }
                _ => writeln!(out, "  the accepted definition was too large to keep")?,
            }
        }
    }
    if let (None, Some(only)) | (Some(only), None) = (&change.before, &change.after) {
        let sign = if change.after.is_some() { '+' } else { '-' };
        let description = only.description.as_deref().unwrap_or("no description");
        writeln!(out, "  {sign} {}", excerpt(description, 0))?;
    }
    Ok(())
}

fn write_part(part: Part, before: &Tool, after: &Tool, out: &mut Formatter<'_>) -> fmt::Result {
    let (before, after) = (part_of(part, before), part_of(part, after));
    let mut differences = Vec::new();
    compare(&part.to_string(), Some(&before), Some(&after), &mut differences);
    for difference in differences.iter().take(MOST) {
        difference.write(out)?;
    }
    match differences.len().saturating_sub(MOST) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more differences in {part}"),
    }
}

fn part_of(part: Part, tool: &Tool) -> Value {
    match part {
        Part::Description => match &tool.title {
            None => tool.description.clone().into(),
            Some(title) => Map::from_iter([
                ("title".to_owned(), title.clone().into()),
                ("text".to_owned(), tool.description.clone().into()),
            ])
            .into(),
        },
        Part::Parameters => tool.input_schema.clone(),
        Part::Result => tool.output_schema.clone().unwrap_or_default(),
        Part::Annotations => serde_json::to_value(&tool.annotations).unwrap_or_default(),
    }
}

/// One place where two values differ.
struct Difference {
    place: String,
    before: Option<Value>,
    after: Option<Value>,
}

impl Difference {
    fn write(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let (before, after) = (self.before.as_ref().map(text), self.after.as_ref().map(text));
        let same = match (&before, &after) {
            (Some(before), Some(after)) => {
                before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count()
            }
            _ => 0,
        };
        writeln!(out, "  {}", printable(&self.place))?;
        if let Some(before) = before {
            writeln!(out, "    - {}", excerpt(&before, same))?;
        }
        if let Some(after) = after {
            writeln!(out, "    + {}", excerpt(&after, same))?;
        }
        Ok(())
    }
}

/// Goes down as long as both sides are objects; what differs is told as a whole there.
fn compare(
    place: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (before, after) {
        (Some(before), Some(after)) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let gone = before.keys().filter(|key| !after.contains_key(*key));
            for key in after.keys().chain(gone) {
                let place = format!("{place}.{key}");
                compare(&place, before.get(key), after.get(key), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (position, (before, after)) in before.iter().zip(after).enumerate() {
                compare(&format!("{place}[{position}]"), Some(before), Some(after), found);
            }
        }
        (before, after) => found.push(Difference {
            place: place.to_owned(),
            before: before.filter(|value| !value.is_null() || after.is_none()).cloned(),
            after: after.filter(|value| !value.is_null() || before.is_none()).cloned(),
        }),
    }
}

/// Part of a text around its first difference, on one line.
fn excerpt(text: &str, same: usize) -> String {
    let length = text.chars().count();
    let start = if length <= LONGEST { 0 } else { same.saturating_sub(BEFORE).min(length) };
    let shown: String = text.chars().skip(start).take(LONGEST).collect();
    let (left, right) = (start, length.saturating_sub(start + LONGEST));
    let left = if left > 0 { format!("[{left} characters] … ") } else { String::new() };
    let right = if right > 0 { format!(" … [{right} characters]") } else { String::new() };
    format!("{left}{}{right}", printable(&shown))
}

/// Without anything that a terminal obeys or a reader cannot see.
fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        let invisible = matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{e0000}'..='\u{e0fff}'
        );
        if character.is_control() || invisible {
            printable.extend(character.escape_default());
        } else {
            printable.push(character);
        }
    }
    printable
}
