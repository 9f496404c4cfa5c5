//! Arguments, checked before they leave.
//!
//! A mistake is told to whoever wrote the program, in words that are enough to correct it. In
//! doubt the server decides: a schema that cannot be compiled, or that would take too long to
//! check, checks nothing.

mod alternatives;
mod compile;
mod problems;
mod words;
mod work;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde_json::{Map, Value};

use crate::nearest;
use crate::schema::{self, Field, Schema, Shape};
use problems::path_in_words;
pub use words::shape as shape_in_words;
use work::Work;

/// How many problems are told at once.
const MOST_PROBLEMS: usize = 5;
/// How many steps finding out what is wrong may take.
const MOST_STEPS: u64 = 1_000_000;

/// Arguments that do not fit a tool's parameters. What it displays is meant for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    tool: String,
    problems: Vec<Problem>,
    parameters: String,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which parameter or part of one: `filter.labels[0]`. Empty for the arguments as a whole.
    pub path: String,
    /// What is wrong with it and what would be right.
    pub message: String,
}

impl Mistake {
    /// What is wrong, at most five things. Never empty.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The tool's parameters in one line, required ones marked with `*`.
    #[must_use]
    pub fn parameters(&self) -> &str {
        &self.parameters
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.tool)?;
        for problem in &self.problems {
            formatter.write_str(&problem.message)?;
            // A question ends with its own mark.
            formatter.write_str(if problem.message.ends_with('?') { " " } else { "; " })?;
        }
        match self.parameters.as_str() {
            "" => formatter.write_str("it takes no parameters"),
            parameters => write!(formatter, "parameters: {parameters}"),
        }
    }
}

impl std::error::Error for Mistake {}

/// What checks the arguments of one tool.
#[derive(Debug)]
pub(crate) struct Checker {
    validator: Option<jsonschema::Validator>,
    work: Work,
}

impl Checker {
    pub(crate) fn new(schema: &Value) -> Self {
        let work = Work::of(schema);
        // No call could fit a schema that describes a list or a text.
        let fits_some = || schema::read(schema).root.instead_of_an_object().is_none();
        let validator =
            if work.is_bounded() && fits_some() { compile::validator(schema) } else { None };
        Self { validator, work }
    }

    /// The arguments to send, or what is wrong with them.
    pub(crate) fn check<'a>(
        &self,
        tool: &str,
        schema: &Schema,
        arguments: &'a Value,
    ) -> Result<Cow<'a, Value>, Mistake> {
        let fields = parameters(schema);
        let mistake = |problems| Mistake {
            tool: tool.to_owned(),
            problems,
            parameters: in_words(schema, &fields),
        };
        let arguments = normalised(&fields, arguments);
        let Value::Object(given) = arguments.as_ref() else {
            let message = format!("arguments are an object, not {}", words::value(&arguments));
            return Err(mistake(vec![Problem { path: String::new(), message }]));
        };
        let Some(validator) = &self.validator else { return Ok(arguments) };

        let mut problems = unknown_parameters(schema, &fields, given);
        if !validator.is_valid(&arguments) {
            if self.work.steps(&arguments) <= MOST_STEPS {
                problems.extend(problems::find(validator, schema, &arguments, &problems));
            } else {
                let message = "an argument does not fit its parameter".to_owned();
                problems.push(Problem { path: String::new(), message });
            }
        }
        problems.truncate(MOST_PROBLEMS);
        if problems.is_empty() { Ok(arguments) } else { Err(mistake(problems)) }
    }
}

/// A tool's parameters for whoever got one wrong.
fn in_words(schema: &Schema, fields: &[Cow<'_, Field>]) -> String {
    let sets = objects(schema);
    let of_any_name = match (&schema.root, &sets[..]) {
        (Shape::Map(shape), _) => Some(shape.as_ref()),
        (_, [only]) => only.extra.as_ref(),
        _ => None,
    };
    match of_any_name {
        Some(shape) if fields.is_empty() => format!("any name: {}", words::shape(shape)),
        _ => words::fields(fields),
    }
}

/// The parameters of a tool. Where there are several sets to choose from, all of them, and
/// required is what is required in each.
fn parameters(schema: &Schema) -> Vec<Cow<'_, Field>> {
    let sets = objects(schema);
    if let [only] = sets[..] {
        return only.fields.iter().map(Cow::Borrowed).collect();
    }
    let mut required: HashMap<&str, usize> = HashMap::new();
    for field in sets.iter().flat_map(|set| &set.fields).filter(|field| field.required) {
        *required.entry(&field.name).or_default() += 1;
    }
    let mut known = HashSet::new();
    let mut parameters = Vec::new();
    for field in sets.iter().flat_map(|set| &set.fields) {
        if !known.insert(field.name.as_str()) {
            continue;
        }
        let everywhere = required.get(field.name.as_str()) == Some(&sets.len());
        let mut field = Cow::Borrowed(field);
        if field.required != everywhere {
            field.to_mut().required = everywhere;
        }
        parameters.push(field);
    }
    parameters
}

/// The objects that the arguments as a whole may be.
fn objects(schema: &Schema) -> Vec<&crate::schema::Object> {
    let of = |shape: &Shape| match shape {
        Shape::Object(index) => schema.definitions.get(*index),
        _ => None,
    };
    match &schema.root {
        Shape::Union(shapes) => shapes.iter().filter_map(of).collect(),
        shape => of(shape).into_iter().collect(),
    }
}

/// `null` for an optional parameter that does not allow it means that there is no argument, and
/// so does `null` for all arguments.
fn normalised<'a>(fields: &[Cow<'_, Field>], arguments: &'a Value) -> Cow<'a, Value> {
    let given = match arguments {
        Value::Null => return Cow::Owned(Value::Object(Map::new())),
        Value::Object(given) => given,
        _ => return Cow::Borrowed(arguments),
    };
    let unwanted = |name: &String, value: &Value| {
        value.is_null()
            && fields
                .iter()
                .any(|field| field.name == *name && !field.required && !field.shape.admits_null())
    };
    if !given.iter().any(|(name, value)| unwanted(name, value)) {
        return Cow::Borrowed(arguments);
    }
    let kept = given.iter().filter(|(name, value)| !unwanted(name, value));
    Cow::Owned(Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect()))
}

/// Servers mostly ignore what they do not know, which hides a slip of the pen. So a parameter
/// that is not listed is wrong unless the schema says that there may be others.
fn unknown_parameters(
    schema: &Schema,
    fields: &[Cow<'_, Field>],
    given: &Map<String, Value>,
) -> Vec<Problem> {
    let sets = objects(schema);
    let open = fields.is_empty()
        || sets.iter().any(|object| object.extra.is_some())
        || matches!(&schema.root, Shape::Union(shapes) if shapes.len() != sets.len());
    if open {
        return Vec::new();
    }
    given
        .keys()
        .filter(|name| !fields.iter().any(|field| field.name == **name))
        .take(MOST_PROBLEMS)
        .map(|name| {
            let named = fields.iter().map(|field| (field.name.as_str(), field.name.as_str()));
            let meant = nearest::to(name, named, 1).first().copied();
            let name = words::shortened(name);
            let message = match meant {
                Some(meant) => format!("\"{name}\" is not a parameter; did you mean \"{meant}\"?"),
                None => format!("\"{name}\" is not a parameter"),
            };
            Problem { path: path_in_words(std::iter::once(name.as_str().into())), message }
        })
        .collect()
}

#[cfg(test)]
mod tests;
