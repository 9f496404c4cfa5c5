//! Arguments of which only the type is known, against what a parameter takes.

use bindings::Parameter;
use catalog::schema::Shape;
use catalog::shape_in_words;
use serde_json::Value;

use crate::calls::Question;
use crate::finding::{Code, Mistake, Weight, raises};
use crate::kinds::Kind;

/// What is wrong with an argument whose type is one of `kinds`; nothing if any of them would do.
pub(crate) fn wrong(question: &Question, kinds: &[Kind], shown: &str) -> Option<Mistake> {
    let Question { range, function, parameter } = question;
    if kinds.is_empty() || kinds.iter().any(|kind| fits(kind, parameter)) {
        return None;
    }
    let of_type = kinds.iter().any(|kind| fits_type(kind, &parameter.shape));
    let (code, message) = if kinds.contains(&Kind::Bytes) {
        (
            Code::WrongType,
            format!(
                "{function}(): '{}' is bytes, which JSON does not have; base64.b64encode(value).decode() makes it text",
                parameter.name
            ),
        )
    } else if kinds.contains(&Kind::Coroutine) {
        (
            Code::MissingAwait,
            format!(
                "{function}(): '{}' is a coroutine; write `await` before the call that gives it",
                parameter.name
            ),
        )
    } else {
        let code = if of_type { Code::WrongValue } else { Code::WrongType };
        (
            code,
            format!(
                "{function}(): '{}' should be {}, not {}",
                parameter.name,
                shape_in_words(&parameter.shape),
                shortened(shown)
            ),
        )
    };
    Some(Mistake {
        range: *range,
        code,
        weight: Weight::Call,
        message,
        valid: vec![format!("{}: {}", parameter.name, shape_in_words(&parameter.shape))],
        nearest: near_value(kinds, &parameter.shape),
        raises: raises::ARGUMENT,
        usage: None,
    })
}

fn fits(kind: &Kind, parameter: &Parameter) -> bool {
    *kind == Kind::None && parameter.none_is_absent || fits_shape(kind, &parameter.shape)
}

fn fits_shape(kind: &Kind, shape: &Shape) -> bool {
    match (kind, shape) {
        // JSON has neither, whatever the parameter is.
        (Kind::Bytes | Kind::Coroutine, _) => false,
        (
            Kind::Other
            | Kind::Known(_)
            | Kind::Class(_)
            | Kind::Future
            | Kind::Function
            | Kind::Module,
            _,
        )
        | (_, Shape::Any) => true,
        (kind, Shape::Union(shapes)) => shapes.iter().any(|shape| fits_shape(kind, shape)),
        (Kind::Str(text), Shape::Literal(values)) => values
            .iter()
            .filter_map(Value::as_str)
            .any(|value| text.as_ref().is_none_or(|text| text == value)),
        (Kind::Int(number), Shape::Literal(values)) => {
            values.iter().filter(|value| value.is_number()).any(|value| {
                number.is_none_or(|number| {
                    value.as_f64() == serde_json::Number::from(number).as_f64()
                })
            })
        }
        (Kind::Float, Shape::Literal(values)) => values.iter().any(Value::is_number),
        (Kind::Bool, Shape::Literal(values)) => values.iter().any(Value::is_boolean),
        (Kind::None, Shape::Literal(values)) => values.iter().any(Value::is_null),
        (kind, shape) => fits_type(kind, shape),
    }
}

/// Whether the type alone would do.
fn fits_type(kind: &Kind, shape: &Shape) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Null => *kind == Kind::None,
        Shape::Boolean => *kind == Kind::Bool,
        // A float without a fraction is a whole number in JSON.
        Shape::Integer | Shape::Number => matches!(kind, Kind::Int(_) | Kind::Float),
        Shape::String => matches!(kind, Kind::Str(_)),
        Shape::Literal(values) => match kind {
            Kind::Str(_) => values.iter().any(Value::is_string),
            Kind::Int(_) | Kind::Float => values.iter().any(Value::is_number),
            _ => false,
        },
        Shape::List(_) | Shape::Tuple { .. } => {
            matches!(kind, Kind::List | Kind::Tuple | Kind::Set)
        }
        Shape::Map(_) | Shape::Object(_) => matches!(kind, Kind::Dict | Kind::Typed(_)),
        Shape::Union(shapes) => shapes.iter().any(|shape| fits_type(kind, shape)),
    }
}

/// The value of an enumeration that was most likely meant.
fn near_value(kinds: &[Kind], shape: &Shape) -> Option<String> {
    let [Kind::Str(Some(text))] = kinds else { return None };
    let values: Vec<&str> = match shape {
        Shape::Literal(values) => values.iter().filter_map(Value::as_str).collect(),
        Shape::Union(shapes) => shapes
            .iter()
            .filter_map(
                |shape| if let Shape::Literal(values) = shape { Some(values) } else { None },
            )
            .flatten()
            .filter_map(Value::as_str)
            .collect(),
        _ => return None,
    };
    crate::nearest::nearest(text, values).map(|value| format!("\"{value}\""))
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
