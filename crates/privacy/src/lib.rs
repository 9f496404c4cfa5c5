//! Personal data, found in texts and JSON, replaced by stable tokens, and put back.
//!
//! ```text
//! result ──► Detector: what is personal ──► Tokenizer: tokens in, values to the Vault ──► model
//! model ──► arguments with tokens ──► Vault: values back ──► tool
//! ```
//!
//! Three things hold throughout:
//!
//! * Putting back what was taken gives what there was: same meaning, and outside of what was
//!   replaced the same bytes.
//! * Tokenising twice changes nothing more.
//! * Time grows with the length of the input, whatever the input.
//!
//! What counts as personal is decided by check digits, by shapes and by the words around; each
//! module says how. Nothing here reads a file, a clock or chance: the key comes from outside.

#![forbid(unsafe_code)]

mod address;
mod card;
mod checks;
mod codes;
mod columns;
mod detect;
mod edit;
mod email;
mod embedded;
mod fields;
mod ip;
mod kind;
mod lists;
mod names;
mod national;
mod phone;
mod reader;
mod records;
mod recurring;
mod run;
mod scan;
mod settings;
mod tables;
mod token;
mod tokenizer;
mod vault;
mod view;
mod words;

pub use detect::{Detector, Found};
pub use edit::{Piece, edited_json};
pub use kind::Kind;
pub use reader::JsonError;
pub use records::FoundInJson;
pub use settings::{Pattern, Settings, SettingsError};
pub use token::Key;
pub use tokenizer::Tokenizer;
pub use vault::Vault;
