//! What a guest can rely on in its file system, and what it cannot get out of it.

mod rules;
mod saved;
mod shared;

use std::io::Write as _;
use std::sync::Arc;

use super::{Errno, Files, GivenFolder, How, Library, Listed, Quota};

/// The writable folder.
const WORKSPACE: u32 = 5;

/// When things happen in these tests.
const NOW: u64 = 1_000;

const READ: How = How {
    read: true,
    write: false,
    create: false,
    exclusive: false,
    folder: false,
    truncate: false,
    flags: 0,
};
const WRITE: How = How { write: true, create: true, ..READ };

const QUOTA: Quota = Quota {
    writable: true,
    workspace_bytes: 1_000_000,
    file_bytes: 600_000,
    files: 100,
    open_files: 20,
};

fn files() -> Files {
    Files::new(library(), QUOTA, &GivenFolder::default())
}

/// A standard library of one module, with two of matplotlib's files.
fn library() -> Arc<Library> {
    let data = archive(&[("matplotlibrc", b"backend: agg"), ("fonts/ttf/a.ttf", b"a font")]);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&archive(&[("os.pyc", b"compiled"), ("matplotlib/mpl-data.zip", &data)]))
        .unwrap();
    Arc::new(Library::open(file).unwrap())
}

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

impl Files {
    /// Writes a whole file the way a guest does.
    fn make(&mut self, path: &str, bytes: &[u8]) -> Result<(), Errno> {
        let fd = self.open(WORKSPACE, path, How { truncate: true, ..WRITE }, NOW)?;
        let written = self.write(fd, bytes, NOW);
        self.close(fd)?;
        written.map(drop)
    }

    /// Reads a whole file the way a guest does.
    fn content(&mut self, folder: u32, path: &str) -> Result<Vec<u8>, Errno> {
        let fd = self.open(folder, path, READ, NOW)?;
        let mut bytes = vec![0; 2_000_000];
        let count = self.read(fd, &mut bytes);
        self.close(fd)?;
        bytes.truncate(count?);
        Ok(bytes)
    }

    /// The next `count` names of an open folder, and where to go on.
    fn some_names(&mut self, fd: u32, cookie: u64, count: usize) -> (Vec<String>, u64) {
        let (mut names, mut next) = (Vec::new(), cookie);
        let take = |listed: &Listed<'_>| {
            let fits = names.len() < count;
            if fits {
                names.push(listed.name.to_owned());
                next = listed.next;
            }
            fits
        };
        self.list(fd, cookie, take).unwrap();
        (names, next)
    }

    fn names(&mut self, folder: u32, path: &str) -> Result<Vec<String>, Errno> {
        let fd = self.open(folder, path, How { folder: true, ..READ }, NOW)?;
        let names = self.some_names(fd, 0, usize::MAX).0;
        self.close(fd)?;
        Ok(names)
    }
}
