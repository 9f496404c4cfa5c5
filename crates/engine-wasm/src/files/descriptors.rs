//! The table of open files and folders, which belongs to a frozen guest.
//!
//! A guest remembers descriptor numbers in its memory. Were a thawed guest given
//! an empty table, the next file it opens would get a number that an older buffer
//! still writes to. So the table is frozen and thawed with the rest.

use std::sync::Arc;

use super::errno::Errno;
use super::quota::MAX_OPEN;
use super::tree::Inode;
use super::{FIRST_FREE, Mount};

/// One open file or folder.
#[derive(Clone)]
pub(super) struct Descriptor {
    pub(super) mount: Mount,
    pub(super) target: Target,
    pub(super) access: Access,
    /// Where the next read or write starts.
    pub(super) offset: u64,
    /// How far a listing has come.
    pub(super) cursor: Option<Cursor>,
}

/// What a descriptor leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Node(Inode),
    /// A read-only file that was here when the guest was frozen and that the host
    /// has not given again, or one that another session's files do not have. Using it
    /// is `ESTALE`.
    Missing(Arc<str>),
}

/// What a descriptor may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Access {
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// The guest's own flags, see `wasi::wire`. Only [`APPEND`] means something here.
    pub(crate) flags: u16,
}

/// Every write goes to the end of the file.
pub(crate) const APPEND: u16 = 1;

/// The last entry that a listing delivered whole. Readers go on from there, so
/// deleting what was listed, the usual loop, makes them miss nothing.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Cursor {
    pub(super) cookie: u64,
    pub(super) name: Arc<str>,
}

/// All open files. See the [module](self).
#[derive(Clone, Default)]
pub(super) struct Descriptors {
    slots: Vec<Option<Descriptor>>,
    open: usize,
}

impl Descriptors {
    /// How many are open.
    pub(super) fn count(&self) -> usize {
        self.open
    }

    pub(super) fn get(&self, fd: u32) -> Result<&Descriptor, Errno> {
        slot(fd).and_then(|slot| self.slots.get(slot)?.as_ref()).ok_or(Errno::BadDescriptor)
    }

    pub(super) fn get_mut(&mut self, fd: u32) -> Result<&mut Descriptor, Errno> {
        slot(fd).and_then(|slot| self.slots.get_mut(slot)?.as_mut()).ok_or(Errno::BadDescriptor)
    }

    /// Takes the lowest free number.
    pub(super) fn insert(&mut self, descriptor: Descriptor) -> Result<u32, Errno> {
        let free = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        let fd = u32::try_from(free).map_err(|_| Errno::TooManyOpen)? + FIRST_FREE;
        self.insert_at(fd, descriptor).map_err(|_| Errno::TooManyOpen)?;
        Ok(fd)
    }

    /// Takes the number `fd`, which must be free and not too high.
    pub(super) fn insert_at(
        &mut self,
        fd: u32,
        descriptor: Descriptor,
    ) -> Result<(), &'static str> {
        let slot = slot(fd)
            .filter(|&slot| slot < MAX_OPEN)
            .ok_or("a descriptor's number is out of range")?;
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, None);
        }
        if self.slots[slot].replace(descriptor).is_some() {
            return Err("two descriptors have the same number");
        }
        self.open += 1;
        Ok(())
    }

    pub(super) fn remove(&mut self, fd: u32) -> Result<Descriptor, Errno> {
        let slot = slot(fd).and_then(|slot| self.slots.get_mut(slot));
        let removed = slot.and_then(Option::take).ok_or(Errno::BadDescriptor)?;
        self.open -= 1;
        Ok(removed)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Descriptor)> {
        (FIRST_FREE..).zip(&self.slots).filter_map(|(fd, slot)| Some((fd, slot.as_ref()?)))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Descriptor> {
        self.slots.iter_mut().flatten()
    }

    /// Whether any descriptor leads to this file or folder of the workspace.
    pub(super) fn hold(&self, inode: Inode) -> bool {
        let held = |open: &Descriptor| {
            open.mount == Mount::Workspace && open.target == Target::Node(inode)
        };
        self.slots.iter().flatten().any(held)
    }
}

fn slot(fd: u32) -> Option<usize> {
    usize::try_from(fd.checked_sub(FIRST_FREE)?).ok()
}
