//! What a run has done, line by line, so that nothing is done twice after a crash.
//!
//! ```text
//! begun    the program, its session, its limits
//! earlier  a call of the run that it takes over from
//! calls    a call leaves: which, with what, and whether it may be repeated
//! answered what came back
//! of child a program that was started makes a call, or has its answer
//! image    everything the program is lies in that file, and these calls are pending in it
//! again    a new process goes on from the last image
//! ended    it was told to have failed before that could be stored
//! taken up another run takes over from it
//! ```
//!
//! A program that goes on from an image counts its calls on from there, and may make them in another
//! order than before. So the number of a call says which one it is only up to the image; what came
//! after it is known by what was asked.
//!
//! Each line begins with a checksum. A line that was torn by a crash ends the ledger, and the one
//! before it is the last that counts.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use engine::{CallId, CallResult, Context, HostCall, Language, Limits, Program, ProgramError};
use serde::{Deserialize, Serialize};

use super::Effect;
use super::past::{Left, OfChild};
use crate::service::ids::{RunId, SessionId};
use crate::service::record::{Moment, Record, Status};
use crate::service::trace::{self, Trace};

/// The longest ledger that is read, and so the longest that is written.
const MOST_BYTES: u64 = 1 << 30;

/// What of that is left to answers, images and the end: a call leaves only while there is more.
const SPARE_BYTES: u64 = 64 << 20;

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    /// The run was accepted.
    Begun(Box<Begun>),
    /// A call that an earlier run made.
    Earlier(Box<Left>),
    /// A call is about to leave.
    Calls {
        /// The call.
        call: HostCall,
        /// What it may do out there.
        effect: Effect,
        /// When.
        at: SystemTime,
        /// It does not leave: its answer is that of an earlier run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        reused: bool,
    },
    /// It was answered.
    Answered {
        /// With what.
        result: CallResult,
        /// How long it took.
        took: Duration,
    },
    /// It has to wait, and has not left.
    Waits {
        /// Which.
        id: CallId,
    },
    /// It waits no longer, and leaves.
    Goes {
        /// Which.
        id: CallId,
    },
    /// A program that was started makes a call, or has its answer.
    OfChild(Box<OfChild>),
    /// Nobody waits for it any more.
    Withdrawn {
        /// Which.
        id: CallId,
    },
    /// Everything the program is has been written.
    Image(ImageLine),
    /// Another process goes on from the last image.
    Again,
    /// What the run has done is not known any more.
    Damaged,
    /// It did not succeed, and was told so though that could not be stored.
    Ended {
        /// Why.
        error: Option<ProgramError>,
    },
    /// Another run took over from it.
    TakenUp {
        /// Which.
        by: RunId,
    },
}

/// What a run is, before it has done anything.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Begun {
    pub(crate) run: RunId,
    pub(crate) session: SessionId,
    pub(crate) owner: String,
    /// The teams that the owner was in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) teams: Vec<String>,
    /// What the agent is called whose program it is,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) agent: String,
    /// and those whose rules hold for it too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) started_by: Vec<String>,
    pub(crate) level: engine::Level,
    pub(crate) created_at: Moment,
    /// What it is written in.
    #[serde(default)]
    pub(crate) language: Language,
    pub(crate) program: String,
    pub(crate) context: Context,
    pub(crate) guidance: String,
    pub(crate) limits: Limits,
    /// How long whoever asked is willing to wait.
    pub(crate) timeout: Option<Duration>,
    /// How its answer is made to fit, and into how many tokens.
    pub(crate) fit: (budget::Strategy, usize),
    /// The run whose answers it takes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resumes: Option<RunId>,
    /// Its session was made for it.
    #[serde(default)]
    pub(crate) is_alone: bool,
    /// It was asked for with nothing but its program, so that whoever runs it again needs nothing else.
    #[serde(default)]
    pub(crate) is_plain: bool,
    /// Where it belongs, so that it does so too in the process that goes on with it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "trace::kept")]
    pub(crate) trace: Option<Trace>,
}

impl Begun {
    /// What is known of a run that has only begun.
    pub(crate) fn record(&self) -> Record {
        Record {
            id: self.run.clone(),
            session: self.session.clone(),
            owner: self.owner.clone(),
            agent: self.agent.clone(),
            status: Status::Queued,
            language: self.language.name().to_owned(),
            guidance: self.guidance.clone(),
            created_at: self.created_at,
            started_at: None,
            finished_at: None,
            program: self.program.as_str().into(),
            ended: None,
            calls: Vec::new(),
            answer: None,
            waiting: None,
            asks: 0,
        }
    }

    /// What the agent of its session is called.
    pub(crate) fn session_agent(&self) -> &str {
        self.started_by.first().unwrap_or(&self.agent)
    }

    pub(crate) fn program(&self) -> Program {
        Program {
            source: self.program.clone(),
            language: self.language,
            context: self.context.clone(),
        }
    }
}

/// An image on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ImageLine {
    /// Which file: `image-3`.
    pub(crate) number: u64,
    /// How long it is.
    pub(crate) bytes: u64,
    /// When the program wants to go on though nothing has come.
    pub(crate) wake_at: Option<SystemTime>,
    /// The calls that are pending in it.
    pub(crate) pending: Vec<CallId>,
    /// Since when the program has rested.
    #[serde(default)]
    pub(crate) since: Option<Moment>,
}

impl ImageLine {
    pub(crate) fn file(&self) -> String {
        format!("image-{}", self.number)
    }
}

/// A ledger that is being written.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    /// Not open while nothing is written for long: there may be more runs that wait than files that
    /// a process may have open.
    file: Option<File>,
    bytes: u64,
    /// It is to be said that another process goes on with it.
    again: bool,
}

impl Ledger {
    /// Begins one.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create_new(true).open(path)?;
        Ok(Self { path: path.to_owned(), file: Some(file), bytes: 0, again: false })
    }

    /// One that an earlier process wrote, after the last line that counts.
    pub(crate) fn of_earlier(path: &Path, valid: u64) -> Self {
        Self { path: path.to_owned(), file: None, bytes: valid, again: true }
    }

    /// The same of a run that is over: nobody goes on with it.
    pub(crate) fn of_over(path: &Path, valid: u64) -> Self {
        Self { again: false, ..Self::of_earlier(path, valid) }
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Lies elsewhere from now on.
    pub(crate) fn rename(&mut self, to: PathBuf) -> io::Result<()> {
        if self.path != to {
            std::fs::rename(&self.path, &to)?;
            self.path = to;
        }
        Ok(())
    }

    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            let file = File::options().append(true).open(&self.path)?;
            file.set_len(self.bytes)?;
            self.file = Some(file);
        }
        self.file.as_mut().ok_or_else(|| io::Error::other("the ledger is closed"))
    }

    /// Writes a line; it is safe once [`Ledger::sync`] has come back.
    pub(crate) fn append(&mut self, line: &Line) -> io::Result<()> {
        self.go_on()?;
        let text = written(line)?;
        let leaves = match line {
            Line::Calls { .. } => true,
            Line::OfChild(call) => call.note.ok.is_none(),
            _ => false,
        };
        let spare = if leaves { SPARE_BYTES } else { 0 };
        if self.bytes.saturating_add(text.len() as u64) > MOST_BYTES - spare {
            // Nothing of it could be read after a crash.
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("what is written down of one run has at most {MOST_BYTES} bytes"),
            ));
        }
        self.write(&text)
    }

    /// Says that another process goes on with it, unless that is said.
    pub(crate) fn go_on(&mut self) -> io::Result<()> {
        if self.again {
            self.write(&written(&Line::Again)?)?;
            self.again = false;
        }
        Ok(())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        let bytes = self.bytes;
        let file = self.file()?;
        let written = file.write_all(text.as_bytes());
        if written.is_err() {
            // Half a line would make whatever follows unreadable.
            let _ = file.set_len(bytes);
            return written;
        }
        self.bytes += text.len() as u64;
        Ok(())
    }

    /// Comes back when everything written is on disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.file()?.sync_data()
    }

    /// Nothing will be written for a while.
    pub(crate) fn close(&mut self) {
        self.file = None;
    }

    #[cfg(test)]
    pub(crate) fn is_open(&self) -> bool {
        self.file.is_some()
    }
}

fn written(line: &Line) -> io::Result<String> {
    let text = serde_json::to_string(line)?;
    Ok(format!("{:08x} {text}\n", crc32fast::hash(text.as_bytes())))
}

/// The lines that count, how many bytes they are, and whether others follow that would count but for
/// one that does not: no crash leaves that.
pub(crate) fn read(path: &Path) -> io::Result<(Vec<Line>, u64, bool)> {
    let bytes = whole(path)?;
    let (lines, valid) = decode(&bytes);
    let rest = usize::try_from(valid).ok().and_then(|valid| bytes.get(valid..)).unwrap_or_default();
    let is_torn_inside =
        rest.split_inclusive(|byte| *byte == b'\n').any(|text| line(text).is_some());
    Ok((lines, valid, is_torn_inside))
}

/// Every line that can be read, whatever stands between them.
pub(crate) fn legible(path: &Path) -> io::Result<Vec<Line>> {
    Ok(whole(path)?.split_inclusive(|byte| *byte == b'\n').filter_map(line).collect())
}

fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if length > MOST_BYTES {
        return Err(io::Error::other(format!("the ledger has more than {MOST_BYTES} bytes")));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same of bytes from anywhere.
#[must_use]
pub(crate) fn decode(bytes: &[u8]) -> (Vec<Line>, u64) {
    let (mut lines, mut valid) = (Vec::new(), 0);
    for text in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = line(text) else { break };
        lines.push(line);
        valid += text.len() as u64;
    }
    (lines, valid)
}

fn line(text: &[u8]) -> Option<Line> {
    let text = std::str::from_utf8(text.strip_suffix(b"\n")?).ok()?;
    let (sum, text) = text.split_once(' ')?;
    let sum = u32::from_str_radix(sum, 16).ok()?;
    if sum != crc32fast::hash(text.as_bytes()) {
        return None;
    }
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<String> {
        let pending = vec![CallId(3)];
        let image = ImageLine { number: 1, bytes: 7, wake_at: None, pending, since: None };
        [Line::Image(image), Line::Withdrawn { id: CallId(3) }, Line::Withdrawn { id: CallId(4) }]
            .iter()
            .map(|line| written(line).unwrap())
            .collect()
    }

    #[test]
    fn a_torn_line_ends_the_ledger_wherever_it_is_torn() {
        let lines = lines();
        let whole = lines.concat();
        for length in 0..=whole.len() {
            let (read, valid) = decode(&whole.as_bytes()[..length]);
            let mut ends = lines.iter().scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            });
            let expected = ends.clone().take_while(|end| *end <= length).count();
            assert_eq!(read.len(), expected, "{length}");
            let end = expected.checked_sub(1).and_then(|last| ends.nth(last)).unwrap_or(0);
            assert_eq!(valid, end as u64);
        }
    }

    #[test]
    fn a_call_does_not_leave_that_would_make_the_ledger_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        drop(Ledger::create(&path).unwrap());
        let arguments = serde_json::value::RawValue::from_string("{}".to_owned()).unwrap();
        let call = HostCall { id: CallId(1), name: "$call".to_owned(), arguments };
        let at = SystemTime::UNIX_EPOCH;
        let calls = Line::Calls { call, effect: Effect::Write, at, reused: false };
        let mut ledger = Ledger::of_over(&path, MOST_BYTES - SPARE_BYTES);
        assert_eq!(ledger.append(&calls).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        // What was made can still be said to have been answered.
        ledger.append(&Line::Withdrawn { id: CallId(1) }).unwrap();
        let mut full = Ledger::of_over(&path, MOST_BYTES - 1);
        assert!(full.append(&Line::Withdrawn { id: CallId(1) }).is_err());
        assert!(std::fs::metadata(&path).unwrap().len() <= MOST_BYTES);
    }

    #[test]
    fn a_changed_byte_ends_the_ledger() {
        let lines = lines();
        let whole = lines.concat();
        for at in 0..whole.len() {
            let mut bytes = whole.clone().into_bytes();
            bytes[at] ^= 1;
            let (read, _) = decode(&bytes);
            let broken = lines.iter().scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            });
            assert_eq!(read.len(), broken.take_while(|end| *end <= at).count(), "{at}");
        }
    }

    #[test]
    fn what_is_written_after_a_torn_line_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let mut ledger = Ledger::create(&path).unwrap();
        ledger.append(&Line::Withdrawn { id: CallId(1) }).unwrap();
        drop(ledger);
        let torn = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&torn[..], b"12345678 {\"is\":"].concat()).unwrap();
        let (lines, valid, _) = read(&path).unwrap();
        assert_eq!((lines.len(), valid), (1, torn.len() as u64));
        let mut ledger = Ledger::of_earlier(&path, valid);
        ledger.append(&Line::Withdrawn { id: CallId(2) }).unwrap();
        ledger.close();
        ledger.sync().unwrap();
        let (lines, _, is_torn_inside) = read(&path).unwrap();
        assert!(matches!(lines[..], [_, Line::Again, _]) && !is_torn_inside);
        let mut changed = std::fs::read(&path).unwrap();
        changed[12] ^= 1;
        std::fs::write(&path, changed).unwrap();
        assert!(read(&path).unwrap().2, "a changed line before a good one is no torn end");
    }
}
