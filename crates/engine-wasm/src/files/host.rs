//! What the host does with a session's files, besides what the guest asks for.

use std::sync::Arc;

use super::descriptors::Target;
use super::tree::{Body, Found, ROOT, Tree};
use super::{Content, Errno, Files, Given, GivenFolder, Mount};

/// The descriptor that every guest has the workspace under.
const WORKSPACE: u32 = 5;

impl Files {
    /// Shows `folder` to the guest from now on, in place of what was there. What the
    /// guest has open is found again by its path.
    pub(crate) fn set_folder(&mut self, which: Given, folder: GivenFolder) {
        let old = std::mem::replace(&mut self.given[which as usize], folder);
        let new = &self.given[which as usize].0;
        for open in self.open.iter_mut().filter(|open| open.mount == Mount::Given(which)) {
            let path = match &open.target {
                Target::Node(inode) => old.0.path_of(*inode).unwrap_or_default().into(),
                Target::Missing(path) => Arc::clone(path),
            };
            open.target = target_at(new, path);
        }
    }

    /// Guest paths of everything open besides the folders every guest has. An image
    /// that others start from must have none.
    pub(crate) fn open_descriptors(&self) -> Vec<String> {
        let path_of = |mount: Mount, target: &Target| match target {
            Target::Missing(path) => format!("{}/{path}", mount.path()),
            Target::Node(inode) => {
                match self.tree(mount).ok().and_then(|tree| tree.path_of(*inode)) {
                    Some(path) if path.is_empty() => mount.path().to_owned(),
                    Some(path) => format!("{}/{path}", mount.path()),
                    None => format!("{}/ (a deleted file)", mount.path()),
                }
            }
        };
        self.open.iter().map(|(_, open)| path_of(open.mount, &open.target)).collect()
    }

    /// Bytes of all files in the workspace, and how many files and folders there are.
    /// Removed ones that are still open count.
    pub(crate) fn usage(&self) -> (u64, u64) {
        (self.workspace.bytes, self.workspace.count())
    }

    /// Removes everything from the workspace. What is open can still be used, as
    /// after any removal.
    pub(crate) fn clear_workspace(&mut self) {
        let mut nodes = self.workspace.nodes.clone();
        nodes.retain(|&inode, _| inode == ROOT || self.open.hold(inode));
        for node in nodes.values_mut() {
            node.place = None;
            if let Body::Folder(entries) = &mut node.body {
                *entries = Arc::default();
            }
        }
        let bytes = nodes.values().map(super::tree::Node::len).sum();
        self.workspace = Arc::new(Tree { nodes, next: self.workspace.next, bytes });
    }

    /// The content of the workspace's file at `path`, below `/workspace`.
    pub(crate) fn read_workspace(&self, path: &str) -> Option<Arc<Content>> {
        match &self.workspace.node(self.workspace.find(path)?).ok()?.body {
            Body::File(content) => Some(Arc::clone(content)),
            _ => None,
        }
    }

    /// Puts a file into the workspace, replacing one of that path and making the
    /// folders on the way. The quota counts as it does for the guest.
    pub(crate) fn write_workspace(
        &mut self,
        path: &str,
        bytes: &[u8],
        now: u64,
    ) -> Result<(), Errno> {
        self.allow_change(Mount::Workspace)?;
        let mut made = Vec::new();
        let written = self.write_below(path, bytes, now, &mut made);
        if written.is_err() {
            // What was made for it alone goes with it.
            for folder in made.into_iter().rev() {
                let _ = self.remove_folder(WORKSPACE, folder, now);
            }
        }
        written
    }

    /// The same; folders that were not there before are added to `made`.
    fn write_below<'path>(
        &mut self,
        path: &'path str,
        bytes: &[u8],
        now: u64,
        made: &mut Vec<&'path str>,
    ) -> Result<(), Errno> {
        let found = self.make_folders(path, now, made)?;
        match found.inode {
            Some(inode) => {
                self.allow_size(inode, bytes.len() as u64)?;
                self.workspace_mut()
                    .edit(inode, now, |content| *content = Content::from_bytes(bytes))
            }
            None if found.as_folder => Err(Errno::IsFolder),
            None => {
                self.allow(self.quota.resize(self.workspace.bytes, 0, bytes.len() as u64))?;
                self.create(&found, Body::File(Arc::new(Content::from_bytes(bytes))), now)?;
                Ok(())
            }
        }
    }

    /// Every file of the workspace, by path below it, with its length.
    pub(crate) fn list_workspace(&self) -> Vec<(String, u64)> {
        let length = |inode| self.workspace.node(inode).map_or(0, super::tree::Node::len);
        self.workspace.files().into_iter().map(|(path, inode)| (path, length(inode))).collect()
    }

    /// Takes a file out of the workspace; `None` if there is none of that path.
    pub(crate) fn remove_workspace(&mut self, path: &str, now: u64) -> Option<Result<(), Errno>> {
        self.read_workspace(path)?;
        if let Err(errno) = self.allow_change(Mount::Workspace) {
            return Some(Err(errno));
        }
        Some(self.remove_file(WORKSPACE, path, now))
    }

    fn make_folders<'path>(
        &mut self,
        path: &'path str,
        now: u64,
        made: &mut Vec<&'path str>,
    ) -> Result<Found<'path>, Errno> {
        for (end, _) in path.match_indices('/') {
            let found = self.workspace.walk(ROOT, &path[..end])?;
            if found.inode.is_none() {
                self.create(&found, Body::Folder(Arc::default()), now)?;
                made.push(&path[..end]);
            }
        }
        self.workspace.walk(ROOT, path)
    }
}

/// A descriptor's target in a tree that may or may not have the path.
pub(super) fn target_at(tree: &Tree, path: Arc<str>) -> Target {
    let inode = if path.is_empty() { Some(ROOT) } else { tree.find(&path) };
    inode.map_or(Target::Missing(path), Target::Node)
}
