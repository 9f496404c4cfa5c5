//! Runs that outlive the process: nothing is done twice, nothing is lost.
//!
//! ```text
//!            ┌── a write is held ──► image on disk ──► it leaves
//! step ──► rests ── nothing comes ──► image on disk ──► guest let go ──► an answer ──► thawed ──► step
//!                                                                   killed ──► found at the start ──┘
//! ```
//!
//! Reading order: [`Effect`] (what may be repeated), `ledger` (what is written down), `past` (what
//! that says), `keeper` and `images` (the files of one run), `own` (those of a process), `books` (what a desk asks), `drive` (one run, step by step), `resume` (the start), `over`
//! (what does not go on), `remains` (what cannot be read any more), `afresh` (what is run again), `held` (the runs whose end a session holds), `moving` (from one gateway to another).

mod afresh;
mod books;
mod drive;
mod effect;
pub(super) mod held;
mod images;
pub(super) mod keeper;
pub(super) mod ledger;
mod moving;
mod over;
pub(super) mod own;
mod pack;
pub(super) mod past;
mod remains;
mod resume;

pub(super) use self::books::RunBooks;
pub use self::effect::Effect;
pub(super) use self::keeper::Keeper;
pub(super) use self::ledger::Begun;
pub(super) use self::moving::moved;
pub(crate) use self::past::REFUSED;

/// What is fed to the decoder of ledgers by whoever looks for holes in it.
#[doc(hidden)]
#[must_use]
pub fn decode_ledger(bytes: &[u8]) -> usize {
    ledger::decode(bytes).0.len()
}

/// The same of the decoder of runs that come from another gateway.
#[doc(hidden)]
#[must_use]
pub fn decode_pack(bytes: &[u8]) -> bool {
    pack::Pack::decode(bytes).is_ok()
}
