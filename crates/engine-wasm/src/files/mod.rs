//! A session's files: what a program finds in its folders and what it leaves there.
//!
//! Every guest sees the same folders under the same descriptors, at every level,
//! because an image remembers them:
//!
//! ```text
//! 3 /usr/local/lib                                          the process's  Library
//! 4 /usr/local/lib/python315.zip/matplotlib/mpl-data        the process's  Library
//! 5 /workspace                                              the session's, writable
//! 6 /servers   7 /skills   8 /results   9 /packages         given by the host
//! ```
//!
//! All of it is in memory, save the standard library's zip. [`Files`] is a value:
//! a clone shares everything with its original until one of them writes, so rolling
//! back is putting an earlier clone in its place, and freezing is [`Files::save`].
//!
//! Three things hold throughout and are easy to break by accident:
//!
//! * The [`Quota`] is asked before anything is allocated, never after.
//! * A path never leads above the folder it starts from. There are no links of any
//!   kind: nothing here needs them, and what does not exist cannot lead out.
//! * Time comes in as a number from the guest's own clock, so that building an image
//!   twice gives the same bytes.

mod content;
mod descriptors;
mod errno;
mod host;
mod library;
mod opened;
mod paths;
mod quota;
mod save;
mod shared;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::{Arc, LazyLock};

pub(crate) use content::Content;
pub(crate) use descriptors::Access;
pub(crate) use errno::Errno;
pub(crate) use library::{GivenFolder, Library};
pub(crate) use opened::{Kind, Listed, Stat, Whence};
pub(crate) use paths::{How, NewTimes};
#[cfg(test)]
pub(crate) use quota::RefusalKind;
pub(crate) use quota::{Quota, Refusal};
pub(crate) use save::FilesMeta;
pub(crate) use shared::SharedTree;
pub(crate) use tree::Inode;
#[cfg(test)]
pub(crate) use tree::Times;

use descriptors::{Descriptors, Target};
use tree::{ROOT, Tree};

/// The first descriptor after the folders every guest has.
const FIRST_FREE: u32 = 10;

/// What a program sees of a workspace that is hidden from it.
static NOTHING: LazyLock<Tree> = LazyLock::new(Tree::default);

/// The folders every guest has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mount {
    /// The standard library's zip.
    Library,
    /// matplotlib's data.
    Data,
    /// The session's own files.
    Workspace,
    /// What the host shows, see [`Given`].
    Given(Given),
}

/// The folders whose content the host gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Given {
    /// Bindings of the upstreams' tools.
    Servers,
    /// Programs worth keeping.
    Skills,
    /// Results too large to print.
    Results,
    /// Pure-Python packages that the operator added to the image.
    Packages,
}

impl Mount {
    /// The folder under the descriptor `fd`.
    pub(crate) fn of(fd: u32) -> Option<Self> {
        Some(match fd {
            3 => Self::Library,
            4 => Self::Data,
            5 => Self::Workspace,
            6 => Self::Given(Given::Servers),
            7 => Self::Given(Given::Skills),
            8 => Self::Given(Given::Results),
            9 => Self::Given(Given::Packages),
            _ => return None,
        })
    }

    /// The path a guest knows it by.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Library => "/usr/local/lib",
            Self::Data => "/usr/local/lib/python315.zip/matplotlib/mpl-data",
            Self::Workspace => "/workspace",
            Self::Given(Given::Servers) => "/servers",
            Self::Given(Given::Skills) => "/skills",
            Self::Given(Given::Results) => "/results",
            Self::Given(Given::Packages) => "/packages",
        }
    }

    /// Tells files of different folders apart for whoever compares inodes.
    fn device(self) -> u64 {
        match self {
            Self::Library => 3,
            Self::Data => 4,
            Self::Workspace => 5,
            Self::Given(given) => 6 + given as u64,
        }
    }
}

/// One session's file system. See the [module](self).
#[derive(Clone)]
pub(crate) struct Files {
    library: Arc<Library>,
    given: [GivenFolder; 4],
    workspace: Arc<Tree>,
    open: Descriptors,
    quota: Quota,
    last_refusal: Option<Refusal>,
}

impl Files {
    /// An empty workspace, nothing open, nothing given but the image's packages.
    pub(crate) fn new(library: Arc<Library>, quota: Quota, packages: &GivenFolder) -> Self {
        let mut given: [GivenFolder; 4] = Default::default();
        given[Given::Packages as usize] = packages.clone();
        Self {
            library,
            given,
            workspace: Arc::default(),
            open: Descriptors::default(),
            quota,
            last_refusal: None,
        }
    }

    /// Changes what is allowed from now on. What is already there stays, even if it
    /// is more; it can then only shrink.
    pub(crate) fn set_quota(&mut self, quota: Quota) {
        self.quota = quota;
    }

    /// The last thing the quota refused, once.
    pub(crate) fn take_refusal(&mut self) -> Option<Refusal> {
        self.last_refusal.take()
    }

    /// A workspace that cannot be written to is empty as well: what a run with looser
    /// limits left there is kept for the next such run, and out of sight until then.
    fn is_hidden(&self) -> bool {
        !self.quota.writable
    }

    fn tree(&self, mount: Mount) -> Result<&Tree, Errno> {
        match mount {
            Mount::Library => Ok(self.library.root()),
            Mount::Data => self.library.data(),
            Mount::Workspace if self.is_hidden() => Ok(&NOTHING),
            Mount::Workspace => Ok(&self.workspace),
            Mount::Given(given) => Ok(&self.given[given as usize].0),
        }
    }

    /// Which file or folder `fd` leads to.
    fn target(&self, fd: u32) -> Result<(Mount, Inode), Errno> {
        if let Some(mount) = Mount::of(fd) {
            return Ok((mount, ROOT));
        }
        let open = self.open.get(fd)?;
        match open.target {
            Target::Node(inode) => Ok((open.mount, inode)),
            Target::Missing(_) => Err(Errno::Stale),
        }
    }

    /// Remembers what the quota refused and turns it into what the guest is told.
    fn allow(&mut self, answer: Result<(), Refusal>) -> Result<(), Errno> {
        answer.map_err(|refusal| {
            self.last_refusal = Some(refusal);
            refusal.kind.errno()
        })
    }

    /// May something in `mount` be changed?
    fn allow_change(&mut self, mount: Mount) -> Result<(), Errno> {
        match mount {
            Mount::Workspace => self.allow(self.quota.change()),
            _ => Err(Errno::ReadOnly),
        }
    }

    /// The workspace, about to be changed. Copies the tree if a clone shares it;
    /// names and contents stay shared.
    fn workspace_mut(&mut self) -> &mut Tree {
        Arc::make_mut(&mut self.workspace)
    }

    /// Drops a removed file or folder unless somebody still has it open.
    fn forget_unless_open(&mut self, inode: Inode) {
        if !self.open.hold(inode) {
            self.workspace_mut().forget(inode);
        }
    }
}
