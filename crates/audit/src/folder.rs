//! The files of a log.
//!
//! ```text
//! 000001.jsonl …  the lines, in segments
//! head            the last line that is safe, under the key
//! checkpoint      where the log begins since older segments were removed, under the key
//! key             what head and checkpoint are authenticated with, unless it is kept elsewhere
//! lock            held by whoever writes, for as long as that takes
//! alive           held by everybody who has the log open
//! redacting       a redaction is under way
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::line::MOST_LINE;

/// What the name of a segment ends in.
const SEGMENT: &str = ".jsonl";
/// What the name of a file ends in that is not finished.
const UNFINISHED: &str = ".new";

/// Where a log lies.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
    key: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: &Path, key: Option<&Path>) -> Self {
        let key = key.map_or_else(|| path.join("key"), Path::to_owned);
        Self { path: path.to_owned(), key }
    }

    /// Makes the folder, for its owner only.
    pub(crate) fn create(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn key(&self) -> &Path {
        &self.key
    }

    pub(crate) fn head(&self) -> PathBuf {
        self.path.join("head")
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.path.join("lock")
    }

    pub(crate) fn alive(&self) -> PathBuf {
        self.path.join("alive")
    }

    pub(crate) fn redacting(&self) -> PathBuf {
        self.path.join("redacting")
    }

    pub(crate) fn segment(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:06}{SEGMENT}"))
    }

    /// The numbers of all segments, in order.
    pub(crate) fn segments(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for file in fs::read_dir(&self.path)? {
            if let Some(number) = file?.file_name().to_str().and_then(segment_number) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Comes back when files that were made, renamed or removed stay so.
    pub(crate) fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

/// Only what [`Folder::segment`] writes is a segment: `1.jsonl` beside `000001.jsonl` would be two
/// with one number.
fn segment_number(name: &str) -> Option<u64> {
    let number: u64 = name.strip_suffix(SEGMENT)?.parse().ok()?;
    (number > 0 && name == format!("{number:06}{SEGMENT}")).then_some(number)
}

/// Beside a file, under another name, until it is finished.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

/// Replaces a file so that a crash leaves the old one or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = unfinished(path);
    let written = private(&new).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(error) = written.and_then(|()| fs::rename(&new, path)) {
        let _ = fs::remove_file(new);
        return Err(error);
    }
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// An empty file that only its owner can read.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// A file to lock; what is in it does not matter.
pub(crate) fn lockable(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// A segment to write at the end of.
pub(crate) fn appendable(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// Whether a file that is open is still the one under its name. If it was removed or replaced, what
/// is written to it is lost to everybody else.
pub(crate) fn is_in_place(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// What is in a file, or `None` if there is none; at most so many bytes.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The lines of a segment one after another, in one buffer.
pub(crate) struct Lines {
    file: BufReader<File>,
    line: Vec<u8>,
}

/// What [`Lines::next`] found.
pub(crate) enum Next<'a> {
    /// A line, without its end.
    Line(&'a [u8]),
    /// Bytes that are no line: too many, or without an end.
    Torn,
    /// Nothing more.
    End,
}

impl Lines {
    /// Begins at a byte of a segment.
    pub(crate) fn open(path: &Path, from: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        Ok(Self { file: BufReader::with_capacity(256 << 10, file), line: Vec::new() })
    }

    pub(crate) fn next(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        let read = (&mut self.file).take(MOST_LINE as u64).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(Next::End);
        }
        if self.line.last() == Some(&b'\n') {
            return Ok(Next::Line(&self.line[..read - 1]));
        }
        if read == MOST_LINE {
            self.skip()?;
        }
        Ok(Next::Torn)
    }

    /// Goes to the end of a line that is too long to be held.
    fn skip(&mut self) -> io::Result<()> {
        loop {
            self.line.clear();
            let read = (&mut self.file).take(MOST_LINE as u64).read_until(b'\n', &mut self.line)?;
            if read == 0 || self.line.last() == Some(&b'\n') {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_as_a_segment_is_one() {
        assert_eq!(segment_number("000001.jsonl"), Some(1));
        assert_eq!(segment_number("1234567.jsonl"), Some(1_234_567));
        for name in ["1.jsonl", "0000001.jsonl", "000000.jsonl", "000001.jsonl.new", "+00001.jsonl"]
        {
            assert_eq!(segment_number(name), None, "{name}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("segment");
        let long = vec![b'x'; 2 * MOST_LINE + 5];
        fs::write(&path, [&long[..], b"\nshort\nhalf"].concat()).unwrap();
        let mut lines = Lines::open(&path, 0).unwrap();
        assert!(matches!(lines.next().unwrap(), Next::Torn));
        assert!(matches!(lines.next().unwrap(), Next::Line(b"short")));
        assert!(matches!(lines.next().unwrap(), Next::Torn));
        assert!(matches!(lines.next().unwrap(), Next::End));
    }
}
