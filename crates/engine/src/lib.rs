//! The contract between whoever runs programs and whoever wants them run.
//!
//! An engine takes a [`Program`], runs it inside a sandbox, hands out the
//! [`HostCall`]s it makes and ends with an [`Outcome`]. This crate says what that
//! means and tests it; it contains no sandbox and has never heard of any protocol.
//!
//! Reading order: [`program`], [`language`], [`limits`], [`guest`] (the traits), [`outcome`],
//! [`image`] (a guest at rest, as bytes), [`session`] (programs one after another).

#![forbid(unsafe_code)]

pub mod call;
pub mod contract;
pub mod files;
pub mod folder;
pub mod guest;
pub mod image;
pub mod language;
pub mod limits;
pub mod outcome;
pub mod program;
pub mod session;

pub use call::{CallError, CallId, CallResult, HostCall};
pub use files::{FileAnswer, FileEntry, FileError, FileTask, Workspace};
pub use folder::Folder;
pub use guest::{
    Engine, FreezeError, Guest, Host, Input, NoHost, Shown, StandbyFigures, Start, StartError,
    Step, StepError, Waiting,
};
pub use image::{Digest, Image, ImageError};
pub use language::{Language, UnknownLanguage};
pub use limits::{Level, LimitKind, Limits};
pub use outcome::{Artifact, Outcome, ProgramError, Stream, Usage};
pub use program::{Context, Program, is_variable, is_variable_of, other_name};
pub use session::{Calls, ENDLESS, NoCalls, Rest, Session, SessionError, WAITED, stopped, used_up};
