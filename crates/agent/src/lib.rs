//! The agent: a question in; a program, its result and an answer out.
//!
//! ```text
//! question ──► search ──► model writes a program ──► gateway runs it ──► model reads the small result ──► answer
//!                              ▲                          │
//!                              └── what went wrong ◄──────┘   at most so many times
//! ```
//!
//! Every program goes through [`gateway::service`], so checks, rules, approvals and receipts hold here as
//! they do for everybody else. Reading order: [`settings`], [`ask`] (what is asked and answered), `steps`
//! (writing, running, interpreting), `chat` (a model that chooses between tools and programs), [`model`]
//! (the providers' wire formats), [`live`] (questions that are being answered), [`answering`] (by whom, when that changes).
#![forbid(unsafe_code)]

pub mod answering;
pub mod ask;
mod blocks;
mod chat;
pub mod event;
mod figures;
pub mod form;
pub mod live;
mod mind;
pub mod model;
mod offered;
mod past;
mod rollout;
mod running;
pub mod settings;
pub mod spend;
mod steps;
mod template;
mod think;
mod words;
mod work;

pub use self::answering::Answering;
pub use self::ask::{Answer, Ask, AskError};
pub use self::event::Event;
pub use self::form::{Form, FormError, Schema};
pub use self::live::{Agent, Live, Watched};
pub use self::mind::Provider;
pub use self::rollout::Arm;
pub use self::settings::{Budgets, Mode, ModelSettings, Prices, ProviderName, Settings};
pub use self::spend::Totals;
pub use self::template::{Template, TemplateError, TemplateFormat};
