//! What a tool's Python function takes, for whoever judges a call without making it.

use catalog::names;
use catalog::schema::{Schema, Shape};

use crate::parameters::{mentions_null, parameters};

/// The parameters of one function.
#[derive(Debug, Clone)]
pub struct Signature {
    /// The known ones, required ones first; only those may be given by position.
    pub parameters: Vec<Parameter>,
    /// Arguments of any other name are taken too.
    pub extra: bool,
}

/// One parameter.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// What it is called in Python.
    pub name: String,
    /// What the server calls it; a program may call it so, too.
    pub key: String,
    /// What it takes.
    pub shape: Shape,
    /// It must be given.
    pub required: bool,
    /// `None` means that it is not given.
    pub none_is_absent: bool,
}

/// Reads the parameters out of an input schema.
pub(crate) fn signature(input: &Schema) -> Signature {
    let found = parameters(input);
    let names = names::parameters(&found.fields);
    let parameters = found.fields.iter().zip(names).map(|(field, name)| Parameter {
        name,
        key: field.name.clone(),
        shape: field.shape.clone(),
        required: field.required,
        none_is_absent: !field.required && !mentions_null(&field.shape),
    });
    Signature { parameters: parameters.collect(), extra: found.extra.is_some() }
}
