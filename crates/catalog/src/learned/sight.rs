//! Values in: the shape of one result, read in one pass and without keeping any of it.
//!
//! After [`MOST_VALUES`] values no further item of a list or a map is begun, and of a long one ever
//! fewer are: all of the first [`DENSE`] items, then every second, every fourth, and so on. Which ones
//! depends on nothing but their place, so the same result always gives the same shape.
//! Everything up to those numbers is looked at. Records that were begun are finished within
//! [`SPARE`] values; what is left then may be anything.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::shape::{BOOLEAN, DEEPEST, FLOAT, INTEGER, NULL, Shape};
use super::text::Text;
use super::words;

/// How many values of one result are looked at.
pub(super) const MOST_VALUES: usize = 100_000;
/// How many more may be looked at to finish what was begun.
pub(super) const SPARE: usize = MOST_VALUES / 4;
/// How many items of a list are looked at before they are sampled.
pub(super) const DENSE: usize = 1_000;

/// One result, as a program gets it.
#[derive(Debug, Clone)]
pub enum Sight<'a> {
    /// Data.
    Value(&'a Value),
    /// Data as text. What cannot be read may be anything.
    Json(&'a str),
    /// Text.
    Text(&'a str),
    /// A list of these.
    Several(Vec<Sight<'a>>),
    /// Nothing.
    Nothing,
    /// Something that is no data, such as a picture.
    Opaque,
}

impl Shape {
    /// The shape of one result.
    #[must_use]
    pub fn of(result: &Sight<'_>) -> Self {
        let mut shape = Self::default();
        shape.look(result, &mut { MOST_VALUES + SPARE });
        shape.settle();
        shape.keep_small();
        shape
    }

    pub(super) fn look(&mut self, result: &Sight<'_>, budget: &mut usize) {
        let look = Look { shape: self, depth: 0, category: false, budget };
        match result {
            Sight::Value(value) => {
                // A value is always readable.
                let _ = look.deserialize(*value);
            }
            Sight::Json(text) => {
                let mut reader = serde_json::Deserializer::from_str(text);
                let read = look.deserialize(&mut reader).and_then(|()| reader.end());
                if read.is_err() {
                    *self = Self::any();
                }
            }
            Sight::Text(text) => look.text(text),
            Sight::Several(parts) => {
                let items = self.items.get_or_insert_default();
                parts.iter().take(DENSE).for_each(|part| items.look(part, budget));
                if parts.len() > DENSE {
                    **items = Self::any();
                }
            }
            Sight::Nothing => self.kinds |= NULL,
            Sight::Opaque => *self = Self::any(),
        }
    }
}

/// Whether the item at this place of a list is looked at.
fn is_looked_at(index: usize) -> bool {
    index.is_multiple_of((index / DENSE).next_power_of_two())
}

/// Looks at one value.
struct Look<'a> {
    shape: &'a mut Shape,
    depth: usize,
    /// Texts here are of a category.
    category: bool,
    /// How many more values are looked at.
    budget: &'a mut usize,
}

impl Look<'_> {
    fn text(self, text: &str) {
        self.shape.text.get_or_insert_with(|| Text::new(self.category)).add(text);
    }

    fn kind(self, kind: u8) {
        self.shape.kinds |= kind;
    }
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if *self.budget == 0 {
            *self.shape = Shape::any();
        }
        if self.shape.is_any() {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        *self.budget -= 1;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.kind(NULL);
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.kind(BOOLEAN);
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.kind(INTEGER);
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.kind(INTEGER);
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.kind(FLOAT);
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if self.depth >= DEEPEST {
            *self.shape = Shape::any();
            while list.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        let items = self.shape.items.get_or_insert_default();
        let (depth, category) = (self.depth + 1, self.category);
        for index in 0.. {
            let found = if *self.budget > SPARE && is_looked_at(index) {
                list.next_element_seed(Look { shape: items, depth, category, budget: self.budget })?
            } else {
                list.next_element::<IgnoredAny>()?.map(drop)
            };
            if found.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if self.depth >= DEEPEST {
            *self.shape = Shape::any();
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        let object = self.shape.object.get_or_insert_default();
        object.seen += 1;
        // JSON may have a key twice, which is still one object that has it.
        let mut had = Vec::new();
        let mut index = 0;
        while let Some(key) = map.next_key::<String>()? {
            let mark = object.mark(&key);
            // Fields are few, and an object that was begun is finished.
            let looked_at = mark.is_some() || (*self.budget > SPARE && is_looked_at(index));
            index += 1;
            if !looked_at {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let category = mark.is_some() && words::names_category(&key);
            let shape = object.held_by(mark);
            let depth = self.depth + 1;
            map.next_value_seed(Look { shape, depth, category, budget: self.budget })?;
            if let Some(mark) = mark
                && !had.contains(&mark)
            {
                had.push(mark);
                object.count(mark);
            }
        }
        Ok(())
    }
}
