//! What lies behind a session's image on disk: runs whose end it holds, and how new its files are.
//!
//! ```text
//! image  what the session is
//! runs   whose programs have changed it and are not stored as over yet, and how they ended
//! files  how often those had been changed that it shares with other sessions
//! tail   how long that is, its checksum, and a mark
//! ```
//!
//! A run of which there is no image of its own begins again after a crash. Where its session was written
//! with what it had done, that would do it twice: so both are in one file, which is written at once. The same
//! holds for files that sessions share: which of them has the newest must be true after a crash as well.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use engine::{Outcome, ProgramError};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::service::ids::RunId;

/// The last bytes of a file that has runs behind its image.
const MARK: &[u8; 8] = b"TGHELD1\n";

/// Length, checksum and mark.
const TAIL: usize = 8 + 4 + MARK.len();

/// The longest end of a run that is kept with its session. Of a longer one only that it ended is.
const MOST_BYTES: usize = 4 << 20;

/// What is said of a run whose end was too long to be kept.
const UNSAID: &str = "it had ended when its gateway was ended, and what it returned and printed was too long to be kept with its session";

/// A run that ended in a session. What is written of it is made only where the session is written before the
/// run is stored.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) run: RunId,
    success: bool,
    /// How it ended, unless that is too long to be kept.
    outcome: Option<Box<Outcome>>,
}

impl Held {
    pub(crate) fn new(run: RunId, outcome: &Outcome) -> Self {
        let whole = (length(outcome) <= MOST_BYTES).then(|| Box::new(outcome.clone()));
        Self { run, success: outcome.success, outcome: whole }
    }
}

/// How long an end is at least, as it is written.
fn length(outcome: &Outcome) -> usize {
    let artifacts: usize = outcome.artifacts.iter().map(|artifact| artifact.data.len()).sum();
    outcome.return_value.get().len() + outcome.stdout.len() + outcome.stderr.len() + artifacts
}

/// The same, as it lies on disk.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) run: RunId,
    success: bool,
    outcome: Option<Box<RawValue>>,
}

impl From<&Held> for Stored {
    fn from(held: &Held) -> Self {
        let whole = held.outcome.as_ref().and_then(|outcome| to_raw_value(outcome).ok());
        let whole = whole.filter(|whole| whole.get().len() <= MOST_BYTES);
        Self { run: held.run.clone(), success: held.success, outcome: whole }
    }
}

impl Stored {
    /// How it ended.
    pub(crate) fn outcome(&self) -> Outcome {
        let whole = self.outcome.as_ref().and_then(|whole| serde_json::from_str(whole.get()).ok());
        whole.unwrap_or_else(|| {
            let failed = || ProgramError {
                kind: "Unstored".to_owned(),
                message: "this run did not succeed".to_owned(),
                ..ProgramError::default()
            };
            Outcome {
                success: self.success,
                error: (!self.success).then(failed),
                note: Some(UNSAID.to_owned()),
                ..Outcome::failed(ProgramError::default())
            }
        })
    }
}

/// What lies behind the image of a session that shares its files.
#[derive(Debug, Serialize, Deserialize)]
struct Shared<R> {
    runs: R,
    files: u64,
}

/// What was found of a session's file.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// How long it is; 0 where there is none.
    pub(crate) bytes: u64,
    /// The runs that it holds.
    pub(crate) runs: Vec<Stored>,
    /// How often its files had been changed that it shares; 0 where it shares none.
    pub(crate) files: u64,
}

/// What is written behind an image.
pub(crate) fn tail(held: &[Arc<Held>], files: u64) -> io::Result<Vec<u8>> {
    let runs: Vec<Stored> = held.iter().map(|held| Stored::from(&**held)).collect();
    let mut bytes = match (held, files) {
        ([], 0) => return Ok(Vec::new()),
        (_, 0) => serde_json::to_vec(&runs)?,
        _ => serde_json::to_vec(&Shared { runs: &runs, files })?,
    };
    let (length, sum) = (bytes.len() as u64, crc32fast::hash(&bytes));
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes.extend_from_slice(MARK);
    Ok(bytes)
}

/// The image without what was written behind it.
pub(crate) fn without(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some((length, _)) = read_tail(&bytes)
        && let Some(image) = bytes.len().checked_sub(TAIL).and_then(|end| end.checked_sub(length))
    {
        bytes.truncate(image);
    }
    bytes
}

/// What lies behind the image in a session's file; nothing where there is no file.
pub(crate) fn read(path: &Path) -> io::Result<Written> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Written::default()),
        file => file?,
    };
    let bytes = file.metadata()?.len();
    let nothing = Written { bytes, ..Written::default() };
    if bytes < TAIL as u64 {
        return Ok(nothing);
    }
    let mut end = [0; TAIL];
    file.seek(SeekFrom::Start(bytes - TAIL as u64))?;
    file.read_exact(&mut end)?;
    let Some((length, sum)) = read_tail(&end) else { return Ok(nothing) };
    let from = bytes.checked_sub(TAIL.saturating_add(length) as u64);
    let from = from.ok_or_else(|| io::Error::other("it is shorter than it says"))?;
    let mut runs = vec![0; length];
    file.seek(SeekFrom::Start(from))?;
    file.read_exact(&mut runs)?;
    if crc32fast::hash(&runs) != sum {
        return Err(io::Error::other("the runs that it holds were changed"));
    }
    if runs.starts_with(b"[") {
        return Ok(Written { runs: serde_json::from_slice(&runs)?, ..nothing });
    }
    let Shared { runs, files } = serde_json::from_slice(&runs)?;
    Ok(Written { bytes, runs, files })
}

/// How long the runs are, and their checksum, where there are any.
fn read_tail(bytes: &[u8]) -> Option<(usize, u32)> {
    let tail = bytes.len().checked_sub(TAIL).and_then(|at| bytes.get(at..))?;
    let tail = tail.strip_suffix(MARK)?;
    let (length, sum) = tail.split_at_checked(8)?;
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    Some((length, u32::from_le_bytes(sum.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(value: &str) -> Outcome {
        Outcome {
            success: true,
            error: None,
            return_value: RawValue::from_string(value.to_owned()).unwrap(),
            stdout: "said".to_owned(),
            ..Outcome::failed(ProgramError::default())
        }
    }

    fn held(outcome: &Outcome) -> Arc<Held> {
        Arc::new(Held::new(RunId::fresh(), outcome))
    }

    #[test]
    fn a_file_has_its_image_and_the_runs_that_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        assert_eq!(read(&path).unwrap().bytes, 0);
        let both = [held(&ended("[1]")), held(&ended("2"))];
        for (image, held, files) in [
            (b"an image".as_slice(), &both[..], 0),
            (b"", &both[..1], 0),
            (b"x", &[], 0),
            (b"x", &[], 1),
            (b"an image", &both[..], 12_345),
        ] {
            let whole = [image, &tail(held, files).unwrap()].concat();
            std::fs::write(&path, &whole).unwrap();
            let found = read(&path).unwrap();
            assert_eq!((found.bytes, found.runs.len()), (whole.len() as u64, held.len()));
            assert_eq!(found.files, files);
            for ((found, held), value) in found.runs.iter().zip(held).zip(["[1]", "2"]) {
                assert_eq!(found.run, held.run);
                let outcome = found.outcome();
                assert_eq!(outcome.return_value.get(), value);
                assert_eq!((outcome.success, outcome.stdout.as_str()), (true, "said"));
            }
            assert_eq!(without(whole), image);
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        let tail = tail(&[held(&ended("7"))], 0).unwrap();
        for at in 0..tail.len() - MARK.len() {
            let mut changed = [b"image".as_slice(), &tail].concat();
            changed[5 + at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert!(read(&path).is_err(), "{at}");
        }
    }

    #[test]
    fn an_end_that_is_too_long_is_still_one() {
        let long = Outcome { stdout: "x".repeat(MOST_BYTES), ..ended("1") };
        // As it is written, each of these letters is six.
        let longer = Outcome { stdout: "\u{1}".repeat(MOST_BYTES / 2), ..ended("1") };
        for outcome in [long, longer] {
            let held = held(&outcome);
            assert!(tail(std::slice::from_ref(&held), 0).unwrap().len() < 1_000);
            let outcome = Stored::from(&*held).outcome();
            assert!(outcome.success && outcome.error.is_none() && outcome.stdout.is_empty());
            assert!(outcome.note.unwrap().contains("too long"));
        }
    }
}
