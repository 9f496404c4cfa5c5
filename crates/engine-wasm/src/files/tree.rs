//! One folder and everything below it: names, inodes, and how a path leads to one.
//!
//! The writable workspace and every read-only folder are such a tree. There are no
//! links, so each inode has at most one name. A file removed while it is open stays
//! as a node without a place until its last descriptor is closed.
//!
//! Inode numbers are counted and never reused, and folders list their entries in
//! the order of names: the same steps give the same tree, bit for bit.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::content::Content;
use super::errno::Errno;
use super::library::HostFile;

/// Identifies a file or folder within one tree.
pub(crate) type Inode = u64;

/// The folder at the top.
pub(super) const ROOT: Inode = 1;

/// Folders inside one another, at most.
pub(super) const MAX_DEPTH: usize = 64;

/// Bytes of one path, at most.
const MAX_PATH: usize = 4096;

/// Bytes of one name, at most.
const MAX_NAME: usize = 255;

/// When things happened, in nanoseconds of the guest's wall clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Times {
    /// Set when created and when the guest says so. Reading does not change it:
    /// that would turn every read into a write.
    pub(crate) accessed: u64,
    /// The last change of content.
    pub(crate) modified: u64,
    /// The last change of content or name.
    pub(crate) changed: u64,
}

/// What a folder contains, by name.
pub(super) type Entries = BTreeMap<Arc<str>, Inode>;

/// A file or a folder.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) body: Body,
    pub(super) times: Times,
    /// `None` for the root and for what was removed while open.
    pub(super) place: Option<Place>,
}

/// Where a node is found.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) parent: Inode,
    pub(super) name: Arc<str>,
}

/// What a node is.
#[derive(Clone)]
pub(super) enum Body {
    Folder(Arc<Entries>),
    /// A file of the workspace.
    File(Arc<Content>),
    /// A read-only file that the host gave.
    Given(Arc<[u8]>),
    /// A read-only file on the host's disk.
    Host(Arc<HostFile>),
}

impl Node {
    /// How long the file is; 0 for a folder.
    pub(super) fn len(&self) -> u64 {
        match &self.body {
            Body::Folder(_) => 0,
            Body::File(content) => content.len(),
            Body::Given(bytes) => bytes.len() as u64,
            Body::Host(file) => file.len(),
        }
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self.body, Body::Folder(_))
    }

    pub(super) fn entries(&self) -> Result<&Arc<Entries>, Errno> {
        match &self.body {
            Body::Folder(entries) => Ok(entries),
            _ => Err(Errno::NotFolder),
        }
    }

    /// Fills `buffer` from `offset` on and says how many bytes there were.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        match &self.body {
            Body::Folder(_) => Err(Errno::IsFolder),
            Body::File(content) => Ok(content.read_at(offset, buffer)),
            Body::Given(bytes) => {
                let rest = usize::try_from(offset)
                    .ok()
                    .and_then(|offset| bytes.get(offset..))
                    .unwrap_or_default();
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
            Body::Host(file) => file.read_at(offset, buffer).map_err(|_: io::Error| Errno::Io),
        }
    }
}

/// Where a path leads.
pub(super) struct Found<'path> {
    /// The folder that has, or would have, the last name.
    pub(super) parent: Inode,
    /// The last name; `None` when the path ends in `.` or `..`, so that it names
    /// a folder which cannot be created, moved or removed this way.
    pub(super) name: Option<&'path str>,
    /// What is there, if anything is.
    pub(super) inode: Option<Inode>,
    /// The path ends in a slash, so it can only mean a folder.
    pub(super) as_folder: bool,
}

/// A folder and everything below it. See the [module](self).
#[derive(Clone)]
pub(crate) struct Tree {
    pub(super) nodes: BTreeMap<Inode, Node>,
    pub(super) next: Inode,
    /// Length of all files together, removed ones that are still open included.
    pub(super) bytes: u64,
}

impl Default for Tree {
    fn default() -> Self {
        let root =
            Node { body: Body::Folder(Arc::default()), times: Times::default(), place: None };
        Self { nodes: BTreeMap::from([(ROOT, root)]), next: ROOT + 1, bytes: 0 }
    }
}

impl Tree {
    /// Files and folders, the root not counted.
    pub(super) fn count(&self) -> u64 {
        self.nodes.len() as u64 - 1
    }

    pub(super) fn node(&self, inode: Inode) -> Result<&Node, Errno> {
        self.nodes.get(&inode).ok_or(Errno::Stale)
    }

    pub(super) fn node_mut(&mut self, inode: Inode) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&inode).ok_or(Errno::Stale)
    }

    /// Follows `path` from the folder `start` on, never above it.
    pub(super) fn walk<'path>(
        &self,
        start: Inode,
        path: &'path str,
    ) -> Result<Found<'path>, Errno> {
        check_path(path)?;
        let mut found =
            Found { parent: start, name: None, inode: Some(start), as_folder: path.ends_with('/') };
        self.node(start)?.entries()?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let folder = found.inode.ok_or(Errno::NotFound)?;
            let entries = self.node(folder)?.entries()?;
            let step = match name {
                "." => (folder, None, Some(folder)),
                ".." if folder == start => return Err(Errno::NotCapable),
                ".." => {
                    let above = self.parent(folder)?;
                    (above, None, Some(above))
                }
                _ if name.len() > MAX_NAME => return Err(Errno::NameTooLong),
                _ => (folder, Some(name), entries.get(name).copied()),
            };
            (found.parent, found.name, found.inode) = step;
        }
        if found.as_folder
            && found.inode.is_some_and(|inode| self.node(inode).is_ok_and(|node| !node.is_folder()))
        {
            return Err(Errno::NotFolder);
        }
        Ok(found)
    }

    /// What is at `path`, if anything is.
    pub(super) fn find(&self, path: &str) -> Option<Inode> {
        self.walk(ROOT, path).ok()?.inode
    }

    /// The path below the root, without a leading slash; `None` for what was removed.
    pub(super) fn path_of(&self, mut inode: Inode) -> Option<String> {
        let mut names = Vec::new();
        while inode != ROOT {
            let place = self.nodes.get(&inode)?.place.as_ref()?;
            names.push(&*place.name);
            inode = place.parent;
        }
        names.reverse();
        Some(names.join("/"))
    }

    /// Every file with its path, in the order of paths within each folder.
    pub(super) fn files(&self) -> Vec<(String, Inode)> {
        let mut files = Vec::new();
        let mut waiting = vec![(String::new(), ROOT)];
        while let Some((path, inode)) = waiting.pop() {
            match self.nodes.get(&inode).map(|node| &node.body) {
                Some(Body::Folder(entries)) => {
                    let slash = if path.is_empty() { "" } else { "/" };
                    let below = entries.iter().rev();
                    waiting.extend(
                        below.map(|(name, &inode)| (format!("{path}{slash}{name}"), inode)),
                    );
                }
                Some(_) => files.push((path, inode)),
                None => {}
            }
        }
        files
    }

    /// How many folders lead to `inode`; `ENOENT` for what was removed.
    pub(super) fn depth(&self, mut inode: Inode) -> Result<usize, Errno> {
        let mut depth = 0;
        while inode != ROOT {
            inode = self.parent(inode)?;
            depth += 1;
        }
        Ok(depth)
    }

    /// How many levels there are below and including `inode`.
    pub(super) fn height(&self, inode: Inode) -> usize {
        let mut height = 0;
        let mut level = vec![inode];
        while !level.is_empty() {
            height += 1;
            let folders = level.iter().filter_map(|inode| self.nodes.get(inode)?.entries().ok());
            level = folders.flat_map(|entries| entries.values().copied()).collect();
        }
        height
    }

    /// Whether `inode` is `folder` or somewhere below it.
    pub(super) fn is_within(&self, mut inode: Inode, folder: Inode) -> bool {
        while inode != folder {
            match self.parent(inode) {
                Ok(parent) => inode = parent,
                Err(_) => return false,
            }
        }
        true
    }

    /// Puts something new into a folder. The caller has checked that the name is
    /// free and that there is room.
    pub(super) fn add(
        &mut self,
        parent: Inode,
        name: &str,
        body: Body,
        now: u64,
    ) -> Result<Inode, Errno> {
        if self.depth(parent)? >= MAX_DEPTH {
            return Err(Errno::NameTooLong);
        }
        let inode = self.next;
        let times = Times { accessed: now, modified: now, changed: now };
        let node = Node { body, times, place: None };
        self.next += 1;
        self.bytes += node.len();
        self.nodes.insert(inode, node);
        self.attach(inode, parent, name, now)?;
        Ok(inode)
    }

    /// Gives a node without a place the name `name` in `parent`.
    pub(super) fn attach(
        &mut self,
        inode: Inode,
        parent: Inode,
        name: &str,
        now: u64,
    ) -> Result<(), Errno> {
        let name: Arc<str> = name.into();
        self.entries_mut(parent, now)?.insert(Arc::clone(&name), inode);
        let node = self.node_mut(inode)?;
        node.place = Some(Place { parent, name });
        node.times.changed = now;
        Ok(())
    }

    /// Takes a node out of its folder. It stays until [`Self::forget`].
    pub(super) fn detach(&mut self, inode: Inode, now: u64) -> Result<(), Errno> {
        let node = self.node_mut(inode)?;
        node.times.changed = now;
        let place = node.place.take().ok_or(Errno::NotFound)?;
        self.entries_mut(place.parent, now)?.remove(&place.name);
        Ok(())
    }

    /// Drops a node that has no place and that nobody has open.
    pub(super) fn forget(&mut self, inode: Inode) {
        if let Some(node) = self.nodes.remove(&inode) {
            self.bytes -= node.len();
        }
    }

    /// Changes a workspace file's content, keeping count of all bytes.
    pub(super) fn edit(
        &mut self,
        inode: Inode,
        now: u64,
        edit: impl FnOnce(&mut Content),
    ) -> Result<(), Errno> {
        let node = self.nodes.get_mut(&inode).ok_or(Errno::Stale)?;
        let content = match &mut node.body {
            Body::File(content) => Arc::make_mut(content),
            Body::Folder(_) => return Err(Errno::IsFolder),
            Body::Given(_) | Body::Host(_) => return Err(Errno::ReadOnly),
        };
        let before = content.len();
        edit(content);
        self.bytes = self.bytes - before + content.len();
        (node.times.modified, node.times.changed) = (now, now);
        Ok(())
    }

    fn entries_mut(&mut self, folder: Inode, now: u64) -> Result<&mut Entries, Errno> {
        let node = self.node_mut(folder)?;
        (node.times.modified, node.times.changed) = (now, now);
        match &mut node.body {
            Body::Folder(entries) => Ok(Arc::make_mut(entries)),
            _ => Err(Errno::NotFolder),
        }
    }

    fn parent(&self, inode: Inode) -> Result<Inode, Errno> {
        let place = self.node(inode)?.place.as_ref();
        place.map(|place| place.parent).ok_or(Errno::NotFound)
    }
}

/// Whether `name` can be an entry of a folder.
pub(super) fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.len() <= MAX_NAME && !name.contains(['/', '\0'])
}

fn check_path(path: &str) -> Result<(), Errno> {
    match path {
        "" => Err(Errno::NotFound),
        _ if path.len() > MAX_PATH => Err(Errno::NameTooLong),
        _ if path.contains('\0') => Err(Errno::Invalid),
        _ if path.starts_with('/') => Err(Errno::NotCapable),
        _ => Ok(()),
    }
}
