//! What can be done with an open file or folder.

use std::ops::Bound;
use std::sync::Arc;

use super::descriptors::{APPEND, Access, Cursor, Target};
use super::tree::{Node, Times, Tree};
use super::{Errno, Files, Inode, Mount, NewTimes};

/// What something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A folder.
    Folder,
    /// A file.
    File,
}

/// What is known about a file or folder without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Tells the folders every guest has apart.
    pub(crate) device: u64,
    /// Tells what is in one of them apart.
    pub(crate) inode: Inode,
    /// What it is.
    pub(crate) kind: Kind,
    /// 1, or 0 after it was removed.
    pub(crate) links: u64,
    /// Bytes of a file.
    pub(crate) size: u64,
    /// When things happened to it.
    pub(crate) times: Times,
}

/// One entry of a listing.
pub(crate) struct Listed<'tree> {
    /// Where a listing that goes on after this entry starts.
    pub(crate) next: u64,
    pub(crate) inode: Inode,
    pub(crate) kind: Kind,
    pub(crate) name: &'tree str,
}

/// From where a seek counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whence {
    /// The file's beginning.
    Start,
    /// Where the descriptor is.
    Current,
    /// The file's end.
    End,
}

impl Files {
    /// Closes a descriptor. The folders every guest has stay open: a program that
    /// closed them would break the next one.
    pub(crate) fn close(&mut self, fd: u32) -> Result<(), Errno> {
        if Mount::of(fd).is_some() {
            return Err(Errno::NotSupported);
        }
        let closed = self.open.remove(fd)?;
        if let (Mount::Workspace, Target::Node(inode)) = (closed.mount, closed.target)
            && inode != super::ROOT
            && self.workspace.node(inode)?.place.is_none()
        {
            self.forget_unless_open(inode);
        }
        Ok(())
    }

    /// Reads from where the descriptor is, and moves it on.
    pub(crate) fn read(&mut self, fd: u32, buffer: &mut [u8]) -> Result<usize, Errno> {
        let offset = self.tell(fd)?;
        let count = self.read_at(fd, offset, buffer)?;
        self.open.get_mut(fd)?.offset = offset + count as u64;
        Ok(count)
    }

    /// Reads from `offset` on.
    pub(crate) fn read_at(&self, fd: u32, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let node = self.opened(fd)?;
        if !node.is_folder() && !self.open.get(fd)?.access.read {
            return Err(Errno::BadDescriptor);
        }
        node.read_at(offset, buffer)
    }

    /// Writes where the descriptor is, or at the end if it appends, and moves it on.
    /// Writes everything or nothing.
    pub(crate) fn write(&mut self, fd: u32, bytes: &[u8], now: u64) -> Result<usize, Errno> {
        let open = self.open.get(fd)?;
        let offset =
            if open.access.flags & APPEND == 0 { open.offset } else { self.opened(fd)?.len() };
        self.write_at(fd, offset, bytes, now)?;
        self.open.get_mut(fd)?.offset = offset + bytes.len() as u64;
        Ok(bytes.len())
    }

    /// Writes at `offset`, everything or nothing.
    pub(crate) fn write_at(
        &mut self,
        fd: u32,
        offset: u64,
        bytes: &[u8],
        now: u64,
    ) -> Result<usize, Errno> {
        let inode = self.writable_file(fd)?;
        let end = offset.checked_add(bytes.len() as u64).ok_or(Errno::FileTooLarge)?;
        if !bytes.is_empty() {
            self.allow_size(inode, end)?;
            self.workspace_mut().edit(inode, now, |content| content.write_at(offset, bytes))?;
        }
        Ok(bytes.len())
    }

    /// Cuts or extends an open file.
    pub(crate) fn set_len(&mut self, fd: u32, len: u64, now: u64) -> Result<(), Errno> {
        let inode = self.writable_file(fd)?;
        self.allow_size(inode, len)?;
        self.workspace_mut().edit(inode, now, |content| content.set_len(len))
    }

    /// Moves a descriptor and says where it is now.
    pub(crate) fn seek(&mut self, fd: u32, delta: i64, whence: Whence) -> Result<u64, Errno> {
        let from = match whence {
            Whence::Start => 0,
            Whence::Current => self.tell(fd)?,
            Whence::End => self.opened(fd)?.len(),
        };
        let to = from
            .checked_add_signed(delta)
            .filter(|&to| i64::try_from(to).is_ok())
            .ok_or(Errno::Invalid)?;
        self.open.get_mut(fd)?.offset = to;
        Ok(to)
    }

    /// Where the descriptor is.
    pub(crate) fn tell(&self, fd: u32) -> Result<u64, Errno> {
        match self.open.get(fd) {
            Ok(open) => Ok(open.offset),
            Err(_) if Mount::of(fd).is_some() => Err(Errno::IsFolder),
            Err(error) => Err(error),
        }
    }

    /// What is known about an open file or folder.
    pub(crate) fn stat(&self, fd: u32) -> Result<Stat, Errno> {
        let (mount, inode) = self.target(fd)?;
        stat_of(mount, self.tree(mount)?, inode)
    }

    /// What the descriptor leads to and may be used for.
    pub(crate) fn access(&self, fd: u32) -> Result<(Kind, Access), Errno> {
        if Mount::of(fd).is_some() {
            return Ok((Kind::Folder, Access { read: true, write: false, flags: 0 }));
        }
        Ok((kind_of(self.opened(fd)?), self.open.get(fd)?.access))
    }

    /// Changes the descriptor's flags.
    pub(crate) fn set_flags(&mut self, fd: u32, flags: u16) -> Result<(), Errno> {
        self.open.get_mut(fd)?.access.flags = flags;
        Ok(())
    }

    /// Changes the times of an open file or folder.
    pub(crate) fn set_times(&mut self, fd: u32, times: NewTimes, now: u64) -> Result<(), Errno> {
        let (mount, inode) = self.target(fd)?;
        self.allow_change(mount)?;
        times.apply(&mut self.workspace_mut().node_mut(inode)?.times, now);
        Ok(())
    }

    /// Lists a folder from `cookie` on, 0 being its beginning, until `take` returns
    /// false because it could not take the entry whole. There is no `.` and no `..`.
    pub(crate) fn list(
        &mut self,
        fd: u32,
        cookie: u64,
        mut take: impl FnMut(&Listed<'_>) -> bool,
    ) -> Result<(), Errno> {
        let (mount, inode) = self.target(fd)?;
        let tree = self.tree(mount)?;
        let entries = tree.node(inode)?.entries()?;
        let cursor = self.open.get(fd).ok().and_then(|open| open.cursor.as_ref());
        let (after, skip) = match cursor.filter(|cursor| cursor.cookie == cookie) {
            Some(cursor) => (Bound::Excluded(&*cursor.name), 0),
            None => (Bound::Unbounded, usize::try_from(cookie).unwrap_or(usize::MAX)),
        };
        let mut last = None;
        let rest = entries.range::<str, _>((after, Bound::Unbounded)).skip(skip);
        for (next, (name, &inode)) in (cookie.saturating_add(1)..).zip(rest) {
            if !take(&Listed { next, inode, kind: kind_of(tree.node(inode)?), name }) {
                break;
            }
            last = Some(Cursor { cookie: next, name: Arc::clone(name) });
        }
        if let (Some(last), Ok(open)) = (last, self.open.get_mut(fd)) {
            open.cursor = Some(last);
        }
        Ok(())
    }

    /// May this file of the workspace be `len` bytes long?
    pub(super) fn allow_size(&mut self, inode: Inode, len: u64) -> Result<(), Errno> {
        let old = self.workspace.node(inode)?.len();
        self.allow(self.quota.resize(self.workspace.bytes, old, len))
    }

    fn opened(&self, fd: u32) -> Result<&Node, Errno> {
        let (mount, inode) = self.target(fd)?;
        self.tree(mount)?.node(inode)
    }

    fn writable_file(&mut self, fd: u32) -> Result<Inode, Errno> {
        let (mount, inode) = self.target(fd)?;
        if self.tree(mount)?.node(inode)?.is_folder() {
            return Err(Errno::IsFolder);
        }
        if !self.open.get(fd)?.access.write {
            return Err(Errno::BadDescriptor);
        }
        self.allow_change(mount)?;
        Ok(inode)
    }
}

pub(super) fn stat_of(mount: Mount, tree: &Tree, inode: Inode) -> Result<Stat, Errno> {
    let node = tree.node(inode)?;
    let links = u64::from(inode == super::ROOT || node.place.is_some());
    Ok(Stat {
        device: mount.device(),
        inode,
        kind: kind_of(node),
        links,
        size: node.len(),
        times: node.times,
    })
}

fn kind_of(node: &Node) -> Kind {
    if node.is_folder() { Kind::Folder } else { Kind::File }
}
