//! A session's files as part of a frozen guest, and back.
//!
//! [`FilesMeta`] holds names, times and open descriptors; contents travel beside it,
//! by inode. What the host gives is not saved: it is given again after the thaw, and
//! descriptors into it are found by path. A frozen guest may come from anybody, so
//! [`Files::restore`] believes nothing that it has not checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::descriptors::{Access, Cursor, Descriptor, Descriptors, Target};
use super::host::target_at;
use super::quota::{MAX_FILE, MAX_FILES};
use super::tree::{Body, Inode, MAX_DEPTH, Node, Place, ROOT, Times, Tree, is_name};
use super::{Content, Files, GivenFolder, Library, Mount, Quota};

/// Inodes are counted from 1; nobody gets this far by counting.
const MAX_INODE: Inode = 1 << 62;

/// Everything about a session's files but their contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FilesMeta {
    next_inode: Inode,
    nodes: Vec<NodeMeta>,
    descriptors: Vec<DescriptorMeta>,
}

/// One file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct NodeMeta {
    inode: Inode,
    times: Times,
    /// A folder's entries; `None` for a file.
    entries: Option<Vec<(Arc<str>, Inode)>>,
}

/// One open file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct DescriptorMeta {
    fd: u32,
    mount: Mount,
    target: TargetMeta,
    access: Access,
    offset: u64,
    cursor: Option<Cursor>,
}

/// What a descriptor leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TargetMeta {
    /// In the workspace.
    Inode(Inode),
    /// In a read-only folder, or in a workspace that no longer has it.
    Path(Arc<str>),
}

impl Files {
    /// Everything that [`Self::restore`] needs: the shape, and each file's content.
    pub(crate) fn save(&self) -> (FilesMeta, Vec<(Inode, Arc<Content>)>) {
        let tree = &*self.workspace;
        let mut contents = Vec::new();
        let mut nodes = Vec::with_capacity(tree.nodes.len());
        for (&inode, node) in &tree.nodes {
            let entries = match &node.body {
                Body::Folder(entries) => {
                    Some(entries.iter().map(|(name, &inode)| (Arc::clone(name), inode)).collect())
                }
                Body::File(content) => {
                    contents.push((inode, Arc::clone(content)));
                    None
                }
                // The workspace has none: what the host gives is elsewhere.
                Body::Given(_) | Body::Host(_) => continue,
            };
            nodes.push(NodeMeta { inode, times: node.times, entries });
        }
        let descriptors =
            self.open.iter().map(|(fd, open)| self.save_descriptor(fd, open)).collect();
        (FilesMeta { next_inode: tree.next, nodes, descriptors }, contents)
    }

    /// Files as they were when saved, with nothing given yet but the image's packages.
    ///
    /// A quota lower than what is there refuses nothing here; the guest can then
    /// only make less of it.
    ///
    /// # Errors
    /// Says what is wrong with `meta` or `contents`.
    pub(crate) fn restore(
        meta: FilesMeta,
        contents: &[(Inode, &[u8])],
        library: Arc<Library>,
        quota: Quota,
        packages: &GivenFolder,
    ) -> Result<Self, &'static str> {
        let (descriptors, tree) =
            (meta.descriptors, restore_tree(meta.next_inode, meta.nodes, contents)?);
        let mut files = Self::new(library, quota, packages);
        files.workspace = Arc::new(tree);
        for saved in descriptors {
            let fd = saved.fd;
            let descriptor = files.restore_descriptor(saved)?;
            files.open.insert_at(fd, descriptor)?;
        }
        check_places(&files.workspace, &files.open)?;
        Ok(files)
    }

    fn save_descriptor(&self, fd: u32, open: &Descriptor) -> DescriptorMeta {
        let target = match (&open.target, open.mount) {
            (Target::Node(inode), Mount::Workspace) => TargetMeta::Inode(*inode),
            (Target::Node(inode), mount) => {
                let path = self.tree(mount).ok().and_then(|tree| tree.path_of(*inode));
                TargetMeta::Path(path.unwrap_or_default().into())
            }
            (Target::Missing(path), _) => TargetMeta::Path(Arc::clone(path)),
        };
        let (mount, access, offset, cursor) =
            (open.mount, open.access, open.offset, open.cursor.clone());
        DescriptorMeta { fd, mount, target, access, offset, cursor }
    }

    fn restore_descriptor(&self, saved: DescriptorMeta) -> Result<Descriptor, &'static str> {
        let DescriptorMeta { mount, access, offset, cursor, .. } = saved;
        if i64::try_from(offset).is_err() {
            return Err("a descriptor's offset is out of range");
        }
        if cursor.as_ref().is_some_and(|cursor| !is_name(&cursor.name)) {
            return Err("a listing stands at something that is not a name");
        }
        let target = match (saved.target, mount) {
            (TargetMeta::Inode(inode), Mount::Workspace)
                if self.workspace.nodes.contains_key(&inode) =>
            {
                Target::Node(inode)
            }
            (TargetMeta::Path(path), Mount::Library | Mount::Data | Mount::Given(_)) => {
                let tree = self
                    .tree(mount)
                    .map_err(|_| "a descriptor leads to data that cannot be read")?;
                target_at(tree, path)
            }
            // Its files were replaced by another session's.
            (TargetMeta::Path(path), Mount::Workspace) => Target::Missing(path),
            _ => return Err("a descriptor leads to nothing"),
        };
        let is_folder = matches!(target, Target::Node(inode) if self.is_folder(mount, inode));
        if access.write && (mount != Mount::Workspace || is_folder) {
            return Err("a descriptor claims to write what cannot be written");
        }
        Ok(Descriptor { mount, target, access, offset, cursor })
    }

    fn is_folder(&self, mount: Mount, inode: Inode) -> bool {
        self.tree(mount).and_then(|tree| tree.node(inode)).is_ok_and(Node::is_folder)
    }
}

/// Nodes with their contents, and the places of all that the root leads to.
fn restore_tree(
    next: Inode,
    nodes: Vec<NodeMeta>,
    contents: &[(Inode, &[u8])],
) -> Result<Tree, &'static str> {
    if nodes.len() as u64 > MAX_FILES + 1 || next > MAX_INODE {
        return Err("there are more files than can be");
    }
    let mut bytes_of: BTreeMap<Inode, &[u8]> = contents.iter().copied().collect();
    if bytes_of.len() != contents.len() {
        return Err("a file has two contents");
    }
    let mut tree = Tree { nodes: BTreeMap::new(), next, bytes: 0 };
    for NodeMeta { inode, times, entries } in nodes {
        let body = if let Some(entries) = entries {
            restore_folder(entries)?
        } else {
            let bytes = bytes_of.remove(&inode).ok_or("a file has no content")?;
            Body::File(Arc::new(Content::from_bytes(bytes)))
        };
        let node = Node { body, times, place: None };
        if node.len() > MAX_FILE {
            return Err("a file is longer than can be");
        }
        tree.bytes =
            tree.bytes.checked_add(node.len()).ok_or("there are more bytes than can be")?;
        if inode < ROOT || inode >= next || tree.nodes.insert(inode, node).is_some() {
            return Err("an inode is out of range or used twice");
        }
    }
    if !bytes_of.is_empty() {
        return Err("a content belongs to no file");
    }
    place_all(&mut tree)?;
    Ok(tree)
}

fn restore_folder(saved: Vec<(Arc<str>, Inode)>) -> Result<Body, &'static str> {
    let count = saved.len();
    if !saved.iter().all(|(name, _)| is_name(name)) {
        return Err("a folder has an entry that is not a name");
    }
    let entries: BTreeMap<_, _> = saved.into_iter().collect();
    if entries.len() != count {
        return Err("a folder has two entries of one name");
    }
    Ok(Body::Folder(Arc::new(entries)))
}

/// Follows all entries from the root, level by level. Meeting a node twice, be it
/// by a second name or in a circle, is refused, so this ends.
fn place_all(tree: &mut Tree) -> Result<(), &'static str> {
    if !tree.nodes.get(&ROOT).is_some_and(Node::is_folder) {
        return Err("there is no root");
    }
    let mut met = BTreeSet::from([ROOT]);
    let mut level = vec![ROOT];
    for depth in 0.. {
        if level.is_empty() {
            break;
        }
        if depth > MAX_DEPTH {
            return Err("folders are nested too deeply");
        }
        let mut next_level = Vec::new();
        for parent in level {
            let Some(Body::Folder(entries)) = tree.nodes.get(&parent).map(|node| node.body.clone())
            else {
                continue;
            };
            for (name, &inode) in &*entries {
                if !met.insert(inode) {
                    return Err("something has two names");
                }
                let node = tree.nodes.get_mut(&inode).ok_or("an entry leads to nothing")?;
                node.place = Some(Place { parent, name: Arc::clone(name) });
                next_level.push(inode);
            }
        }
        level = next_level;
    }
    Ok(())
}

/// What has no place must be something that was removed while open: held by a
/// descriptor and, if a folder, empty.
fn check_places(tree: &Tree, open: &Descriptors) -> Result<(), &'static str> {
    let held: BTreeSet<_> = open
        .iter()
        .filter_map(|(_, open)| match open.target {
            Target::Node(inode) if open.mount == Mount::Workspace => Some(inode),
            _ => None,
        })
        .collect();
    let removed = tree.nodes.iter().filter(|&(&inode, node)| inode != ROOT && node.place.is_none());
    for (inode, node) in removed {
        if !held.contains(inode) {
            return Err("a file has no name and nobody has it open");
        }
        if node.entries().is_ok_and(|entries| !entries.is_empty()) {
            return Err("a folder was removed and yet has entries");
        }
    }
    Ok(())
}
