//! The form of an answer: text, JSON by a schema, or a document by a template.

pub use gateway::minds::{Schema, SchemaError};

use crate::template::{Template, TemplateError};

/// The form of an answer.
#[derive(Debug, Default)]
pub enum Form {
    /// Words.
    #[default]
    Text,
    /// JSON that fits a schema.
    Json(Schema),
    /// A document that a template has the form of.
    Document(Template),
}

/// Why a form cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    /// The schema cannot be used.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The template cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateError),
}
