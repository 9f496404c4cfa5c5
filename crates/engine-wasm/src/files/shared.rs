//! A workspace that goes from one guest to another, of whatever language.
//!
//! Names and contents are shared until one of the guests writes, as between clones. What a guest has open is
//! its own: after its files were replaced it finds each by its path again, and what is not there any more is
//! stale, as is what was removed while it was open.

use std::sync::Arc;

use super::descriptors::Target;
use super::host::target_at;
use super::tree::{Inode, Node, ROOT, Tree};
use super::{Files, Mount};

/// Stands for a path that leads to nothing, whatever files there are.
const NOWHERE: &str = "\0";

/// All files of a workspace, without what was removed and is only open somewhere.
pub(crate) struct SharedTree(Arc<Tree>);

impl Files {
    /// All files of the workspace, for another guest.
    pub(crate) fn share_workspace(&self) -> SharedTree {
        let nodes = self.workspace.nodes.iter();
        let removed = nodes.filter(|&(&inode, node)| inode != ROOT && node.place.is_none());
        let removed: Vec<_> = removed.map(|(&inode, _)| inode).collect();
        if removed.is_empty() {
            return SharedTree(Arc::clone(&self.workspace));
        }
        let mut tree = Tree::clone(&self.workspace);
        for inode in removed {
            tree.forget(inode);
        }
        SharedTree(Arc::new(tree))
    }

    /// Has the files of another guest in place of its own.
    pub(crate) fn take_workspace(&mut self, shared: &SharedTree) {
        let old = std::mem::replace(&mut self.workspace, Arc::clone(&shared.0));
        for open in self.open.iter_mut().filter(|open| open.mount == Mount::Workspace) {
            let path = match &open.target {
                Target::Node(inode) => old.path_of(*inode).unwrap_or_else(|| NOWHERE.to_owned()),
                Target::Missing(path) => path.to_string(),
            };
            let path: Arc<str> = path.into();
            open.target = match target_at(&self.workspace, Arc::clone(&path)) {
                // It was a file, and folders are not written to.
                Target::Node(inode) if open.access.write && is_folder(&self.workspace, inode) => {
                    Target::Missing(path)
                }
                target => target,
            };
        }
    }
}

fn is_folder(tree: &Tree, inode: Inode) -> bool {
    tree.node(inode).is_ok_and(Node::is_folder)
}
