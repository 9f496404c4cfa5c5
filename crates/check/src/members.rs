//! What common types and modules have, to say which name was most likely meant.
//!
//! Only for suggestions: whether a name is there, the type checker knows.

use crate::kinds::Kind;

const LIST: &str = "append clear copy count extend index insert pop remove reverse sort";
const DICT: &str = "clear copy fromkeys get items keys pop popitem setdefault update values";
const INT: &str =
    "bit_count bit_length denominator from_bytes imag is_integer numerator real to_bytes";

/// The methods of a type.
pub(crate) fn of_kind(kind: &Kind) -> impl Iterator<Item = &'static str> {
    let names = match kind {
        Kind::List => LIST,
        Kind::Int(_) => INT,
        Kind::Dict => DICT,
        _ => "",
    };
    names.split_whitespace()
}
