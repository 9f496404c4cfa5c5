//! Skills: programs worth keeping.
//!
//! A [`Skill`] is one function with what it takes to trust it later: the tools it calls and what those
//! were when it was saved, and examples with what the tools answered then. Skills are kept in a
//! [`Store`], where every version that was saved stays as it was, and travel in a [`Pack`], which is
//! signed.
//!
//! Nothing here runs a program or speaks to a server. Whoever saves a skill has run its examples;
//! whoever installs a pack has asked the person first.

mod archive;
mod disk;
mod index;
mod name;
mod pack;
mod seal;
mod skill;
mod starter;
mod store;

pub use archive::ArchiveError;
pub use index::{Index, IndexError, Listed};
pub use name::{Name, NameError, Reader, Scope};
pub use pack::{Manifest, Pack, PackError, Trust};
pub use seal::{Key, SealError, Signer};
pub use skill::{Answer, Example, Recorded, Skill, SkillError, Used};
pub use starter::starter;
pub use store::{Kept, State, Store, StoreError};
