//! The gateway: what a program may call, and how its calls reach the servers.
//!
//! ```text
//! program ──host call──► Desk ──resolve, check──► Upstreams ──► server
//!    ▲                                                            │
//!    └───────────── value, or an error in words ◄─────────────────┘
//! ```
//!
//! [`Tools`] knows every server and what each offers, from memory where it was asked before;
//! a [`Desk`] carries out the calls of one run.
#![forbid(unsafe_code)]

mod agents;
mod answer;
mod behalf;
mod besides;
mod brief;
mod checks;
mod children;
mod compiler;
mod desk;
mod effects;
mod engines;
mod finding;
mod hearing;
pub mod judge;
mod learning;
mod mailboxes;
mod meaning;
mod memory;
pub mod minds;
mod missing;
mod numbers;
mod reviewing;
mod run;
pub mod service;
pub mod skillset;
mod tally;
mod tools;
mod veil;
mod web;

pub use answer::answer;
pub use behalf::Behalf;
pub use besides::said_of;
pub use check::review;
pub use checks::{Checks, Earlier, advise, refusal};
pub use children::{Nursery, Places, Rests};
pub use compiler::{Compiler, CompilerError, CompilerKind};
pub use desk::Desk;
pub use effects::{Effects, Said};
pub use engines::{Engines, NoEngine, OnDemand, Readiness};
pub use finding::{Detail, Found, FoundTool, Search};
pub use hearing::{CallKind, CallNote, Fate, Hearing, Written};
pub use mailboxes::MailboxBounds;
pub use meaning::Meaning;
pub use memory::{Memory, MemoryError};
pub use missing::{MissingServer, MissingState};
pub use reviewing::{Reviewing, review_refusal};
pub use run::{run, run_with};
pub use service::durable::Effect;
pub use skillset::Skillset;
pub use tools::{Offer, ServerPolicy, Tools};
pub use veil::{Cover, Held, Pii, SecretError, Veil, VeilError, VeilSettings};
