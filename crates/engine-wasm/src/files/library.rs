//! What every session of the process reads and none can change: Python's standard
//! library and matplotlib's data.
//!
//! The standard library stays the zip file it is; Python's own importer reads it.
//! matplotlib opens its fonts and styles as ordinary files, so they are unpacked
//! into memory, once per process, when the first session looks for one.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, OnceLock};

use zip::ZipArchive;

use super::errno::Errno;
use super::tree::{Body, Inode, ROOT, Tree, is_name};

/// The name under which guests see the standard library.
const ZIP_NAME: &str = "python315.zip";

/// matplotlib's data, an archive inside the archive.
const DATA_ARCHIVE: &str = "matplotlib/mpl-data.zip";

/// More than this is not matplotlib's data.
const MAX_DATA: u64 = 256 << 20;

/// A read-only file on the host's disk.
pub(crate) struct HostFile {
    file: File,
    len: u64,
}

impl HostFile {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

/// The read-only files that all sessions share. See the [module](self).
pub(crate) struct Library {
    zip: Option<Arc<HostFile>>,
    root: Tree,
    data: OnceLock<Option<Tree>>,
}

impl Library {
    /// Uses `zip` as the standard library. It must not change while the process lives.
    pub(crate) fn open(zip: File) -> io::Result<Self> {
        let len = zip.metadata()?.len();
        let zip = Arc::new(HostFile { file: zip, len });
        let mut root = Tree::default();
        root.add(ROOT, ZIP_NAME, Body::Host(Arc::clone(&zip)), 0)
            .map_err(|_| io::ErrorKind::InvalidInput)?;
        Ok(Self { zip: Some(zip), root, data: OnceLock::new() })
    }

    /// For guests that bring all they need in their module.
    pub(crate) fn none() -> Self {
        Self { zip: None, root: Tree::default(), data: OnceLock::new() }
    }

    /// The folder that holds the standard library.
    pub(super) fn root(&self) -> &Tree {
        &self.root
    }

    /// matplotlib's data folder, unpacked at the first call.
    pub(super) fn data(&self) -> Result<&Tree, Errno> {
        self.data.get_or_init(|| self.unpack_data().ok()).as_ref().ok_or(Errno::Io)
    }

    fn unpack_data(&self) -> io::Result<Tree> {
        let zip = self.zip.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let reader = HostReader { file: zip, offset: 0 };
        let mut outer = ZipArchive::new(io::BufReader::new(reader))?;
        let archive = read_member(outer.by_name(DATA_ARCHIVE)?)?;
        let mut inner = ZipArchive::new(Cursor::new(archive))?;
        let mut files = Vec::new();
        for index in 0..inner.len() {
            let member = inner.by_index(index)?;
            if member.is_file() {
                files.push((member.name()?.into_owned(), read_member(member)?.into()));
            }
        }
        given_tree(files).map_err(io::Error::other)
    }
}

/// Files that the host shows to guests in one read-only folder. Cheap to clone, so
/// that sessions can share one.
#[derive(Clone, Default)]
pub(crate) struct GivenFolder(pub(super) Arc<Tree>);

impl GivenFolder {
    /// A folder of these files, by path below it. Folders on the way are made.
    ///
    /// # Errors
    /// Says what is wrong when a path is not a relative path of ordinary names, or
    /// when one file stands in the way of another.
    pub(crate) fn new(
        files: impl IntoIterator<Item = (String, Arc<[u8]>)>,
    ) -> Result<Self, &'static str> {
        given_tree(files).map(|tree| Self(Arc::new(tree)))
    }

    /// Whether a file may have this path.
    pub(crate) fn is_path(path: &str) -> bool {
        path.split('/').all(is_name)
    }
}

fn given_tree(files: impl IntoIterator<Item = (String, Arc<[u8]>)>) -> Result<Tree, &'static str> {
    let mut tree = Tree::default();
    for (path, bytes) in files {
        let (folders, name) = match path.rsplit_once('/') {
            Some((folders, name)) => (Some(folders), name),
            None => (None, &*path),
        };
        let mut parent = ROOT;
        for folder in folders.into_iter().flat_map(|folders| folders.split('/')) {
            parent = match entry(&tree, parent, folder)? {
                Some(inode) => inode,
                None => {
                    tree.add(parent, folder, Body::Folder(Arc::default()), 0).map_err(|_| NESTED)?
                }
            };
        }
        if entry(&tree, parent, name)?.is_some() {
            return Err("two given files have the same path");
        }
        tree.add(parent, name, Body::Given(bytes), 0).map_err(|_| NESTED)?;
    }
    Ok(tree)
}

const NESTED: &str = "the folders of a given file are nested too deeply";

fn entry(tree: &Tree, parent: Inode, name: &str) -> Result<Option<Inode>, &'static str> {
    if !is_name(name) {
        return Err("the path of a given file is not a plain relative path");
    }
    let entries = tree.node(parent).and_then(|node| node.entries());
    Ok(entries.map_err(|_| "a given file has the path of a folder")?.get(name).copied())
}

fn read_member(member: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    member.take(MAX_DATA).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a [`HostFile`] front to back without moving the position others share.
struct HostReader<'file> {
    file: &'file HostFile,
    offset: u64,
}

impl Read for HostReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(self.offset, buffer)?;
        self.offset += count as u64;
        Ok(count)
    }
}

impl Seek for HostReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let offset = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(delta) => self.file.len.checked_add_signed(delta),
            SeekFrom::Current(delta) => self.offset.checked_add_signed(delta),
        };
        self.offset = offset.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}
