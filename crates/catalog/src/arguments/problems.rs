//! What a validator found, in words.

mod difference;

use std::cmp::Reverse;
use std::fmt::Write as _;

use jsonschema::paths::LocationSegment;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value};

use self::difference::difference;
use super::{MOST_PROBLEMS, Problem, alternatives, words};
use crate::nearest;
use crate::schema::{Field, Schema, Shape};

/// Alternatives of which each is told what it lacks.
const MOST_ALTERNATIVES: usize = 5;

/// What is judged, and by what.
#[derive(Clone, Copy)]
struct Case<'a> {
    schema: &'a Schema,
    arguments: &'a Value,
}

/// Everything that is wrong with `arguments` beyond what is `known` already; a few of it.
pub(super) fn find(
    validator: &Validator,
    schema: &Schema,
    arguments: &Value,
    known: &[Problem],
) -> Vec<Problem> {
    let case = Case { schema, arguments };
    let mut problems: Vec<Problem> = Vec::new();
    for error in validator.iter_errors(arguments) {
        for problem in of(case, &error) {
            let told = known.iter().any(|known| {
                // The same unknown parameter, or a missing one that was only misspelled.
                known.path == problem.path
                    || (problem.message.ends_with("is missing")
                        && known.message.ends_with(&format!("did you mean \"{}\"?", problem.path)))
            });
            if !told && !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        if problems.len() >= MOST_PROBLEMS {
            break;
        }
    }
    problems
}

fn of(case: Case<'_>, error: &ValidationError<'_>) -> Vec<Problem> {
    let path: Vec<Segment> = error.instance_path().segments().map(Segment::from).collect();
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            // Nothing says which was meant.
            let is_empty = error.instance().as_object().is_some_and(Map::is_empty);
            if is_empty && let Some(problem) = lacking(context, &path) {
                return vec![problem];
            }
            if let Some(branch) = meant_branch(case, context, &path) {
                return branch.iter().flat_map(|error| of(case, error)).collect();
            }
            if let Some(problem) = unknown_mark(context, path.len()) {
                return vec![problem];
            }
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            return unexpected.iter().map(|name| unknown_key(case, &path, name)).collect();
        }
        ValidationErrorKind::Required { property: Value::String(name) } => {
            return vec![missing_key(case, &path, name)];
        }
        ValidationErrorKind::Constant { expected_value } => {
            return vec![difference(&path, expected_value, error.instance())];
        }
        ValidationErrorKind::Enum { options }
            if options.as_array().is_some_and(|all| all.len() == 1)
                && (options[0].is_object() || options[0].is_array()) =>
        {
            return vec![difference(&path, &options[0], error.instance())];
        }
        ValidationErrorKind::PropertyNames { error } => {
            let message =
                format!("{} has a key that is not allowed: {}", named(&path), error.masked());
            return vec![Problem { path: path_in_words(path.into_iter()), message }];
        }
        _ => {}
    }
    let Some(expected) = expected(case, &path, error) else { return Vec::new() };
    let message = format!("{} {expected}", named(&path));
    vec![Problem { path: path_in_words(path.into_iter()), message }]
}

/// What the value should be, and what it is. `None` for what is left to the server.
fn expected(case: Case<'_>, path: &[Segment], error: &ValidationError<'_>) -> Option<String> {
    let value = error.instance();
    let given = words::value(value);
    let should = match error.kind() {
        ValidationErrorKind::Type { .. }
        | ValidationErrorKind::AnyOf { .. }
        | ValidationErrorKind::OneOfNotValid { .. } => match at(case, path) {
            Some(shape) if !could_be(value, shape) => {
                format!("should be {}, not {given}", words::shape(shape))
            }
            Some(Shape::Union(shapes)) if value.is_object() => {
                let objects = alternatives::objects(case.schema, shapes);
                let kinds: Vec<&[Field]> =
                    objects.map(|(_, object)| object.fields.as_slice()).collect();
                format!("fits none of {}", words::keys(&kinds))
            }
            _ => format!("does not fit: {}", error.masked_with("it")),
        },
        ValidationErrorKind::Enum { options } => enumerated(options, value),
        ValidationErrorKind::Minimum { limit } => {
            format!("should be at least {limit}, not {given}")
        }
        ValidationErrorKind::Maximum { limit } => format!("should be at most {limit}, not {given}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => {
            format!("should be more than {limit}, not {given}")
        }
        ValidationErrorKind::ExclusiveMaximum { limit } => {
            format!("should be less than {limit}, not {given}")
        }
        ValidationErrorKind::MultipleOf { multiple_of } => {
            format!("should be a multiple of {multiple_of}, not {given}")
        }
        ValidationErrorKind::MinLength { limit } => {
            format!("should have at least {limit} characters, not {}", length(value))
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("should have at most {limit} characters, not {}", length(value))
        }
        ValidationErrorKind::MinItems { limit } => {
            format!("should have at least {limit} items, not {}", length(value))
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("should have at most {limit} items, not {}", length(value))
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!("should match {}, which {given} does not", words::shortened(pattern))
        }
        ValidationErrorKind::UniqueItems => "should not have the same item twice".to_owned(),
        ValidationErrorKind::FalseSchema => "must not be given".to_owned(),
        // Servers are not that strict about alternatives that overlap, and what could not be
        // decided is theirs to decide.
        ValidationErrorKind::OneOfMultipleValid { .. }
        | ValidationErrorKind::BacktrackLimitExceeded { .. }
        | ValidationErrorKind::RegexEngineFailure { .. }
        | ValidationErrorKind::ContentEncoding { .. }
        | ValidationErrorKind::ContentMediaType { .. }
        | ValidationErrorKind::FromUtf8 { .. }
        | ValidationErrorKind::Format { .. }
        | ValidationErrorKind::Referencing(_) => return None,
        _ => format!("does not fit: {}", error.masked_with("it")),
    };
    Some(should)
}

/// What each alternative lacks, where keys are all that each of them lacks.
fn lacking(context: &[Vec<ValidationError<'static>>], path: &[Segment]) -> Option<Problem> {
    let key = |error: &ValidationError<'_>| match error.kind() {
        ValidationErrorKind::Required { property: Value::String(name) }
            if error.instance_path().segments().count() == path.len() =>
        {
            Some(format!("\"{}\"", words::shortened(name)))
        }
        _ => None,
    };
    let keys = |branch: &Vec<ValidationError<'static>>| {
        let keys: Option<Vec<String>> = branch.iter().map(key).collect();
        keys.filter(|keys| !keys.is_empty()).map(|keys| keys.join(" and "))
    };
    let mut alternatives: Vec<String> = context.iter().map(keys).collect::<Option<_>>()?;
    alternatives.dedup();
    if !(2..=MOST_ALTERNATIVES).contains(&alternatives.len()) {
        return None;
    }
    let keys = alternatives.join(", or ");
    let message = match path {
        [] => format!("{keys} is missing"),
        path => format!("{} lacks {keys}", named(path)),
    };
    Some(Problem { path: path_in_words(path.iter().cloned()), message })
}

/// The alternative that was most likely meant: of those that do not fail over the value as a
/// whole, or over a constant by which an object is recognised, the one that fits best, and of
/// several such the one with the least wrong.
fn meant_branch<'e>(
    case: Case<'_>,
    context: &'e [Vec<ValidationError<'static>>],
    path: &[Segment],
) -> Option<&'e [ValidationError<'static>]> {
    let fails_as_a_whole = |error: &ValidationError<'_>| {
        let deepest = match error.kind() {
            ValidationErrorKind::Type { .. } => path.len(),
            ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
                path.len() + 1
            }
            _ => return false,
        };
        error.instance_path().segments().count() <= deepest
    };
    context
        .iter()
        .filter(|branch| !branch.is_empty() && !branch.iter().any(fails_as_a_whole))
        .min_by_key(|branch| {
            let of_type = |error: &&ValidationError<'_>| {
                matches!(error.kind(), ValidationErrorKind::Type { .. })
            };
            let fit = branch_fit(case, branch, path);
            (Reverse(fit), branch.iter().filter(of_type).count(), branch.len())
        })
        .map(Vec::as_slice)
}

/// How well an alternative fits what was given: as well as the best object that requires what is
/// missing in it.
fn branch_fit(
    case: Case<'_>,
    branch: &[ValidationError<'static>],
    path: &[Segment],
) -> Option<alternatives::Fit> {
    let (Shape::Union(shapes), Value::Object(given)) = (at(case, path)?, value_at(case, path)?)
    else {
        return None;
    };
    let missing = branch.iter().filter_map(|error| match error.kind() {
        ValidationErrorKind::Required { property: Value::String(name) }
            if error.instance_path().segments().count() == path.len() =>
        {
            Some(name)
        }
        _ => None,
    });
    let missing: Vec<&String> = missing.collect();
    let requires = |fields: &[Field]| {
        missing.iter().all(|name| fields.iter().any(|field| field.required && field.name == **name))
    };
    alternatives::objects(case.schema, shapes)
        .filter(|(_, object)| requires(&object.fields))
        .map(|(_, object)| alternatives::fit(object, given))
        .max()
}

/// What is wrong with the key by which alternatives are told apart, when none of them has its
/// value.
fn unknown_mark(context: &[Vec<ValidationError<'static>>], depth: usize) -> Option<Problem> {
    let mut place: Option<Vec<Segment>> = None;
    let mut options = Vec::new();
    let mut given = None;
    for branch in context {
        let is_mark =
            |error: &&ValidationError<'_>| error.instance_path().segments().count() == depth + 1;
        let mark = branch.iter().filter(is_mark).find_map(|error| match error.kind() {
            ValidationErrorKind::Enum { options } => Some((error, options.as_array()?.clone())),
            ValidationErrorKind::Constant { expected_value } => {
                Some((error, vec![Value::clone(expected_value)]))
            }
            _ => None,
        });
        let (error, values) = mark?;
        let path: Vec<Segment> = error.instance_path().segments().map(Segment::from).collect();
        if place.get_or_insert_with(|| path.clone()) != &path {
            return None;
        }
        options.extend(values);
        given = Some(error.instance());
    }
    let (place, given) = (place?, given?);
    let message = format!("{} {}", named(&place), enumerated(&Value::Array(options), given));
    Some(Problem { path: path_in_words(place.into_iter()), message })
}

/// `value` is the kind of thing that `shape` describes, so that the shape does not explain what
/// is wrong.
fn could_be(value: &Value, shape: &Shape) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Null => value.is_null(),
        Shape::Boolean => value.is_boolean(),
        Shape::Integer => {
            // Beyond 64 bits an integer is held as a floating-point number.
            let is_integral = |number: f64| number.abs() >= 9e18 && number.fract() == 0.0;
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(is_integral)
        }
        Shape::Number => value.is_number(),
        Shape::String => value.is_string(),
        Shape::Literal(values) => values.contains(value),
        Shape::Object(_) | Shape::Map(_) => value.is_object(),
        Shape::List(_) | Shape::Tuple { .. } => value.is_array(),
        Shape::Union(shapes) => shapes.iter().any(|shape| could_be(value, shape)),
    }
}

fn enumerated(options: &Value, value: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let should =
        format!("should be one of {}, not {}", words::listed(options), words::in_full(value));
    let named = options.iter().filter_map(|option| Some((option.as_str()?, option)));
    match value.as_str().and_then(|text| nearest::to(text, named, 1).first().copied()) {
        Some(meant) => format!("{should}; did you mean {}?", words::value(meant)),
        None => should,
    }
}

fn unknown_key(case: Case<'_>, path: &[Segment], name: &str) -> Problem {
    let fields = fields_at(case, path);
    if fields.iter().any(|field| field.name == name) {
        // Told by one part of an `allOf`, and forbidden by `additionalProperties: false` of another.
        let message = format!(
            "the schema contradicts itself about \"{}\": one part of its allOf lists it, and another allows \
             no others (additionalProperties: false); no call with it fits, so leave it out, or mend the schema \
             on the server",
            extended(path, name)
        );
        return Problem { path: extended(path, name), message };
    }
    let named_fields = fields.iter().map(|field| (field.name.as_str(), field.name.as_str()));
    let meant = nearest::to(name, named_fields, 1).first().copied();
    let what = match path {
        [] => format!("\"{}\" is not a parameter", words::shortened(name)),
        // Which keys it may have is said by patterns, if at all.
        path if fields.is_empty() => {
            let name = words::shortened(name);
            format!("{} has no key \"{name}\": its schema allows none of that name", named(path))
        }
        path => format!(
            "{} has no key \"{}\", only {}",
            named(path),
            words::shortened(name),
            words::fields(fields)
        ),
    };
    let message = match meant {
        Some(meant) => format!("{what}; did you mean \"{meant}\"?"),
        None => what,
    };
    Problem { path: extended(path, name), message }
}

fn missing_key(case: Case<'_>, path: &[Segment], name: &str) -> Problem {
    let path_of_it = extended(path, name);
    let message = match path {
        [] => format!("\"{path_of_it}\" is missing"),
        path => format!(
            "{} has the keys {}; \"{path_of_it}\" is missing",
            named(path),
            words::fields(fields_at(case, path))
        ),
    };
    Problem { path: path_of_it, message }
}

/// The fields of the object at `path`, or of the one that it was meant to be.
fn fields_at<'s>(case: Case<'s>, path: &[Segment]) -> &'s [Field] {
    let shape = match at(case, path) {
        Some(Shape::Union(shapes)) => {
            value_at(case, path).and_then(|value| alternatives::meant(case.schema, shapes, value))
        }
        shape => shape,
    };
    match shape {
        Some(Shape::Object(index)) => &case.schema.definitions[*index].fields,
        _ => &[],
    }
}

/// The value at `path`.
fn value_at<'s>(case: Case<'s>, path: &[Segment]) -> Option<&'s Value> {
    path.iter().try_fold(case.arguments, |value, segment| segment.of(value))
}

/// The shape of what is at `path`.
fn at<'s>(case: Case<'s>, path: &[Segment]) -> Option<&'s Shape> {
    let mut shape = &case.schema.root;
    let mut value = Some(case.arguments);
    for segment in path {
        let meant = match (shape, value) {
            (Shape::Union(shapes), Some(value)) => alternatives::meant(case.schema, shapes, value),
            _ => None,
        };
        let by_meant = meant.and_then(|meant| step(case.schema, meant, segment));
        shape = by_meant.or_else(|| step(case.schema, shape, segment))?;
        value = value.and_then(|value| segment.of(value));
    }
    Some(shape)
}

fn step<'s>(schema: &'s Schema, shape: &'s Shape, segment: &Segment) -> Option<&'s Shape> {
    match (shape, segment) {
        (Shape::Object(index), Segment::Key(key)) => {
            let object = schema.definitions.get(*index)?;
            let field = object.fields.iter().find(|field| field.name == *key);
            field.map(|field| &field.shape).or(object.extra.as_ref())
        }
        (Shape::Map(value), Segment::Key(_)) => Some(value),
        (Shape::List(item), Segment::Position(_)) => Some(item),
        (Shape::Tuple { items, rest }, Segment::Position(position)) => {
            items.get(*position).or(rest.as_deref())
        }
        (Shape::Union(shapes), segment) => {
            shapes.iter().find_map(|shape| step(schema, shape, segment))
        }
        _ => None,
    }
}

/// One step into a value.
#[derive(Clone, PartialEq)]
pub(super) enum Segment {
    Key(String),
    Position(usize),
}

impl Segment {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.get(key),
            Self::Position(position) => value.get(*position),
        }
    }
}

impl From<LocationSegment<'_>> for Segment {
    fn from(segment: LocationSegment<'_>) -> Self {
        match segment {
            LocationSegment::Property(key) => Self::Key(key.into_owned()),
            LocationSegment::Index(position) => Self::Position(position),
        }
    }
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

/// `filter.labels[0]`.
pub(super) fn path_in_words(path: impl Iterator<Item = Segment>) -> String {
    let mut written = String::new();
    for segment in path {
        match segment {
            Segment::Key(key) => {
                if !written.is_empty() {
                    written.push('.');
                }
                written.push_str(&words::shortened(&key));
            }
            Segment::Position(position) => {
                let _ = write!(written, "[{position}]");
            }
        }
    }
    written
}

fn extended(path: &[Segment], name: &str) -> String {
    path_in_words(path.iter().cloned().chain([name.into()]))
}

/// What is at `path`, to begin a sentence with.
fn named(path: &[Segment]) -> String {
    match path {
        [] => "the whole of the arguments".to_owned(),
        path => format!("\"{}\"", path_in_words(path.iter().cloned())),
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        _ => 0,
    }
}
