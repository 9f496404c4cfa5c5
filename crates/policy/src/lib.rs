//! Which calls may be made.
//!
//! An operator writes rules; [`Policy::new`] reads them and refuses what is unknown, contradictory or
//! never reached; [`Policy::decide`] says of one call whether it is allowed, denied, or somebody has to
//! be asked, and by which rule. Nothing here is done, kept or counted: who calls it does that.
//!
//! Reading order: [`settings`] (what is written), [`condition`] (what may be said of arguments, with
//! [`path`], [`sql`] and [`alike`] for what is not clear), [`rule`] (one rule), [`decide`] (all of them), [`flow`] (where data may go).
#![forbid(unsafe_code)]

mod alike;
mod condition;
mod decide;
mod flow;
mod glob;
mod path;
mod rule;
mod settings;
mod sql;

pub use condition::all_hold;
pub use decide::{ASK_MODEL, Decision, Limit, Limited, Per, Policy, Question, Verdict};
pub use flow::{ANYWHERE, Flow, FlowSettings, MODEL};
pub use glob::Glob;
pub use rule::{Hints, PolicyError};
pub use settings::{Action, Annotation, Defaults, PolicySettings, RuleSettings};
