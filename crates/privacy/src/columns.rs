//! Tables in JSON: lists in a list, the first of which says what stands where in the others.
//!
//! ```text
//! [["id", "full_name", "phone"], [1, "Jane Doe", "555 0132"]]
//! {"columns": ["id", "full_name"], "rows": [[1, "Jane Doe"]]}
//! ```

use std::rc::Rc;

use crate::words::Cue;

/// The most columns of a table.
const MOST: usize = 200;
/// The longest name of a column, in bytes.
const LONGEST: usize = 60;

/// What one object or list has to do with a table.
#[derive(Default)]
pub(crate) struct Cells {
    /// For a row, what its columns say.
    row: Option<Rc<[Cue]>>,
    /// How many values began in it.
    begun: usize,
    /// For a list that may be a header, what its texts say.
    header: Option<Vec<Cue>>,
    /// What the lists within it are rows of.
    columns: Option<Rc<[Cue]>>,
    /// For an object, whether the field that is read now names columns.
    is_columns: bool,
}

impl Cells {
    /// A field of an object begins.
    pub(crate) fn named(&mut self, key: &str) {
        self.is_columns = matches!(
            key,
            "columns"
                | "column_names"
                | "columnNames"
                | "cols"
                | "fields"
                | "field_names"
                | "fieldNames"
                | "header"
                | "headers"
        );
    }

    /// A list that is the value of a field of this object.
    pub(crate) fn of_a_field(&self) -> Self {
        Self { header: self.is_columns.then(Vec::new), ..Self::default() }
    }

    /// A list in this list, which is a field of `object` if it is one's.
    pub(crate) fn of_a_row(&self, object: Option<&Self>) -> Self {
        let row = self.columns.clone().or_else(|| object?.columns.clone());
        let is_first = row.is_none() && self.begun == 1;
        Self { row, header: is_first.then(Vec::new), ..Self::default() }
    }

    pub(crate) fn may_be_header(&self) -> bool {
        self.header.is_some()
    }

    /// A value begins: a text that says `cue`, or anything else. What its place says, if it stands in a row.
    pub(crate) fn next(&mut self, cue: Option<Cue>) -> Option<Cue> {
        let at = self.begun;
        self.begun += 1;
        match (&mut self.header, cue) {
            (Some(header), Some(cue)) if at < MOST => header.push(cue),
            _ => self.header = None,
        }
        let row = self.row.as_ref()?;
        Some(row.get(at).copied().unwrap_or_default())
    }

    /// What this list says as a header, if it can be one.
    pub(crate) fn header(&self) -> Option<Rc<[Cue]>> {
        let header = self.header.as_ref().filter(|header| header.len() >= 2)?;
        header.iter().any(|cue| *cue != Cue::NONE).then(|| Rc::from(header.as_slice()))
    }

    /// The first list within this one, or one beside the rows, was a header.
    pub(crate) fn heads(&mut self, header: Rc<[Cue]>) {
        self.columns = Some(header);
    }

    /// How many columns of this row say something.
    pub(crate) fn count(&self, says: fn(Cue) -> bool) -> usize {
        self.row.iter().flat_map(|row| row.iter()).filter(|cue| says(**cue)).count()
    }
}

/// Whether a text can be a column's name.
pub(crate) fn may_name(text: &str) -> bool {
    let is_plain = |one: char| one.is_alphabetic() || one.is_numeric() || " _-./()#".contains(one);
    !text.is_empty() && text.len() <= LONGEST && text.chars().all(is_plain)
}
