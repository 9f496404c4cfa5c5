//! Names in objects that are cut: of the fields, and of what counts those that are missing.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::halves::text_of;
use crate::printed::{ceil, floor};

/// The name under which what was left out is counted.
pub(crate) const LEFT_OUT: &str = "$left_out";

/// The name under which what is missing is counted: one that no field has.
pub(crate) fn free_name(is_taken: impl Fn(&str) -> bool) -> String {
    let others = (2..).map(|number| format!("{LEFT_OUT}_{number}"));
    let mut names = std::iter::once(LEFT_OUT.to_owned()).chain(others);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// The names of an object that were cut, and how many were cut to the same.
#[derive(Default)]
pub(crate) struct Names(HashMap<String, usize>);

impl Names {
    /// A name with its quotes, in at most about so many bytes: its beginning and its end. Names that
    /// would be the same are numbered.
    pub(crate) fn within<'k>(&mut self, key: &'k str, most: usize) -> Cow<'k, str> {
        if key.len() <= most.saturating_add(2) {
            return Cow::Borrowed(key);
        }
        let whole = text_of(key).unwrap_or_default();
        if whole.len() <= most {
            return Cow::Borrowed(key);
        }
        let (head, tail) = (floor(&whole, most * 2 / 3), ceil(&whole, whole.len() - most / 3));
        let mut name = format!("{}…{}", &whole[..head], &whole[tail..]);
        let alike = self.0.entry(name.clone()).or_default();
        *alike += 1;
        if *alike > 1 {
            name = format!("{name}…{alike}");
        }
        Cow::Owned(serde_json::Value::String(name).to_string())
    }
}
