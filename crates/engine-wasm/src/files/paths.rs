//! What can be done by path: open, look, make, remove, move.

use std::sync::Arc;

use super::descriptors::{APPEND, Access, Descriptor, Target};
use super::opened::stat_of;
use super::quota::RefusalKind;
use super::tree::{Body, Found, MAX_DEPTH, Times};
use super::{Errno, Files, Inode, Mount, Refusal, Stat};

/// How a file is to be opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent flag of the call it mirrors"
)]
pub(crate) struct How {
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// Make an empty file if there is nothing.
    pub(crate) create: bool,
    /// With `create`: refuse if there is something.
    pub(crate) exclusive: bool,
    /// Refuse anything but a folder.
    pub(crate) folder: bool,
    /// Empty the file.
    pub(crate) truncate: bool,
    /// The guest's own flags, kept with the descriptor.
    pub(crate) flags: u16,
}

/// Times to set; `None` leaves one as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NewTimes {
    pub(crate) accessed: Option<u64>,
    pub(crate) modified: Option<u64>,
}

impl NewTimes {
    pub(super) fn apply(self, times: &mut Times, now: u64) {
        times.accessed = self.accessed.unwrap_or(times.accessed);
        times.modified = self.modified.unwrap_or(times.modified);
        times.changed = now;
    }
}

impl Files {
    /// Opens the file or folder at `path` below the folder `fd`.
    pub(crate) fn open(&mut self, fd: u32, path: &str, how: How, now: u64) -> Result<u32, Errno> {
        self.allow(self.quota.open_file(self.open.count()))?;
        let (mount, found) = self.find(fd, path)?;
        let inode = match found.inode {
            Some(_) if how.create && how.exclusive => return Err(Errno::Exists),
            Some(inode) => self.check_open(mount, inode, how)?,
            None if !how.create => {
                self.explain_hidden(mount, path);
                return Err(Errno::NotFound);
            }
            None if how.folder || found.as_folder => return Err(Errno::Invalid),
            None => {
                self.allow_change(mount)?;
                self.create(&found, Body::File(Arc::default()), now)?
            }
        };
        if how.truncate {
            self.workspace_mut().edit(inode, now, |content| content.set_len(0))?;
        }
        let access = Access { read: how.read, write: how.write, flags: how.flags };
        let write_at_end = how.flags & APPEND != 0;
        let offset = if write_at_end { self.tree(mount)?.node(inode)?.len() } else { 0 };
        self.open.insert(Descriptor {
            mount,
            target: Target::Node(inode),
            access,
            offset,
            cursor: None,
        })
    }

    /// What is known about the file or folder at `path`.
    pub(crate) fn stat_at(&self, fd: u32, path: &str) -> Result<Stat, Errno> {
        let (mount, found) = self.find(fd, path)?;
        stat_of(mount, self.tree(mount)?, found.inode.ok_or(Errno::NotFound)?)
    }

    /// Changes the times of the file or folder at `path`.
    pub(crate) fn set_times_at(
        &mut self,
        fd: u32,
        path: &str,
        times: NewTimes,
        now: u64,
    ) -> Result<(), Errno> {
        let (mount, found) = self.find(fd, path)?;
        let inode = found.inode.ok_or(Errno::NotFound)?;
        self.allow_change(mount)?;
        times.apply(&mut self.workspace_mut().node_mut(inode)?.times, now);
        Ok(())
    }

    /// Makes an empty folder.
    pub(crate) fn create_folder(&mut self, fd: u32, path: &str, now: u64) -> Result<(), Errno> {
        let (mount, found) = self.find(fd, path)?;
        if found.inode.is_some() {
            return Err(Errno::Exists);
        }
        self.allow_change(mount)?;
        self.create(&found, Body::Folder(Arc::default()), now)?;
        Ok(())
    }

    /// Removes an empty folder.
    pub(crate) fn remove_folder(&mut self, fd: u32, path: &str, now: u64) -> Result<(), Errno> {
        let (mount, found) = self.find(fd, path)?;
        let inode = found.inode.ok_or(Errno::NotFound)?;
        if !self.tree(mount)?.node(inode)?.entries()?.is_empty() {
            return Err(Errno::NotEmpty);
        }
        self.remove(mount, &found, inode, now)
    }

    /// Removes a file. Who has it open keeps it, and it keeps counting, until closed.
    pub(crate) fn remove_file(&mut self, fd: u32, path: &str, now: u64) -> Result<(), Errno> {
        let (mount, found) = self.find(fd, path)?;
        let inode = found.inode.ok_or(Errno::NotFound)?;
        if self.tree(mount)?.node(inode)?.is_folder() {
            return Err(Errno::IsFolder);
        }
        self.remove(mount, &found, inode, now)
    }

    /// Moves a file or folder, replacing what is there as POSIX says: a file by a
    /// file, an empty folder by a folder.
    pub(crate) fn rename(
        &mut self,
        from: (u32, &str),
        to: (u32, &str),
        now: u64,
    ) -> Result<(), Errno> {
        let (mount, old) = self.find(from.0, from.1)?;
        let (new_mount, new) = self.find(to.0, to.1)?;
        let inode = old.inode.ok_or(Errno::NotFound)?;
        if mount != new_mount {
            return Err(Errno::CrossDevice);
        }
        self.allow_change(mount)?;
        let (Some(_), Some(name)) = (old.name, new.name) else { return Err(Errno::Busy) };
        if new.inode == Some(inode) {
            return Ok(());
        }
        self.check_move(inode, &new)?;
        let tree = self.workspace_mut();
        if let Some(replaced) = new.inode {
            tree.detach(replaced, now)?;
        }
        tree.detach(inode, now)?;
        tree.attach(inode, new.parent, name, now)?;
        if let Some(replaced) = new.inode {
            self.forget_unless_open(replaced);
        }
        Ok(())
    }

    /// Remembers that a file was not found because it is hidden.
    fn explain_hidden(&mut self, mount: Mount, path: &str) {
        if mount == Mount::Workspace && self.is_hidden() && self.workspace.find(path).is_some() {
            self.last_refusal = Some(Refusal { kind: RefusalKind::Hidden, allowed: 0 });
        }
    }

    /// Follows `path` from the folder `fd` on.
    fn find<'path>(&self, fd: u32, path: &'path str) -> Result<(Mount, Found<'path>), Errno> {
        let (mount, start) = self.target(fd)?;
        Ok((mount, self.tree(mount)?.walk(start, path)?))
    }

    /// May what is already there be opened like this?
    fn check_open(&mut self, mount: Mount, inode: Inode, how: How) -> Result<Inode, Errno> {
        let is_folder = self.tree(mount)?.node(inode)?.is_folder();
        let changes = how.write || how.truncate;
        match (is_folder, how.folder) {
            (true, _) if changes => return Err(Errno::IsFolder),
            (false, true) => return Err(Errno::NotFolder),
            _ if changes => self.allow_change(mount)?,
            _ => {}
        }
        Ok(inode)
    }

    /// Puts something new into the workspace where `found` says.
    pub(super) fn create(
        &mut self,
        found: &Found<'_>,
        body: Body,
        now: u64,
    ) -> Result<Inode, Errno> {
        let name = found.name.ok_or(Errno::Exists)?;
        self.allow(self.quota.add_file(self.workspace.count()))?;
        self.workspace_mut().add(found.parent, name, body, now)
    }

    fn remove(
        &mut self,
        mount: Mount,
        found: &Found<'_>,
        inode: Inode,
        now: u64,
    ) -> Result<(), Errno> {
        self.allow_change(mount)?;
        if found.name.is_none() {
            return Err(Errno::Busy);
        }
        self.workspace_mut().detach(inode, now)?;
        self.forget_unless_open(inode);
        Ok(())
    }

    /// May `inode` be moved to where `new` leads?
    fn check_move(&self, inode: Inode, new: &Found<'_>) -> Result<(), Errno> {
        let tree = &*self.workspace;
        let is_folder = tree.node(inode)?.is_folder();
        if !is_folder && new.as_folder {
            return Err(Errno::NotFolder);
        }
        if is_folder && tree.is_within(new.parent, inode) {
            return Err(Errno::Invalid);
        }
        if tree.depth(new.parent)? + tree.height(inode) > MAX_DEPTH {
            return Err(Errno::NameTooLong);
        }
        let Some(replaced) = new.inode else { return Ok(()) };
        let replaced = tree.node(replaced)?;
        match (is_folder, replaced.entries()) {
            (false, Ok(_)) => Err(Errno::IsFolder),
            (true, Err(error)) => Err(error),
            (true, Ok(entries)) if !entries.is_empty() => Err(Errno::NotEmpty),
            _ => Ok(()),
        }
    }
}
