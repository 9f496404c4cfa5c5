//! Taking entries away without breaking the chain.
//!
//! A redacted line keeps its number, the hash of the line before and the hash of what it said; in
//! place of the entry it says when it was taken away, by whom and why. That could be written by
//! anybody, so a redaction is also an entry, later in the chain, that lists the lines and says the
//! same. [`verify`](fn@crate::verify) wants both.
//!
//! The order is: a note that a redaction is under way, the entry, the segments without what is
//! taken away, the note removed. The entry opens a new segment, so that no segment is replaced that
//! anybody still writes to. A crash in between is made good by whoever opens the log next.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use serde_json::json;

use crate::disk::Disk;
use crate::entry::{Entry, now};
use crate::error::{Damage, LogError};
use crate::folder::{self, Lines, Next, private, unfinished};
use crate::line::{Body, Mark, decode_line, encode_redacted};
use crate::walk::start_of;
use crate::word::{Kind, Outcome};

/// Ranges of lines that one entry lists; more would not fit into its details.
const MOST_RANGES: usize = 400;
/// Letters of a name or a reason.
const MOST_LETTERS: usize = 500;

/// What came of a redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redaction {
    /// Entries that were taken away.
    pub redacted: u64,
    /// Lines that were asked for and are not there, were redacted before, or are the log's own
    /// records of redactions, removals and repairs.
    pub passed_over: u64,
}

/// Lines from one to another, both counted.
pub(crate) type Range = (u64, u64);

/// What an entry about a redaction says: which lines, and what stands in them.
pub(crate) struct Claim {
    pub(crate) ranges: Vec<Range>,
    /// The JSON of a [`Mark`].
    pub(crate) mark: Vec<u8>,
}

impl Claim {
    /// Reads an entry of [`Kind::Redacted`].
    pub(crate) fn of(entry: &Entry) -> Option<Self> {
        let mark: Mark = serde_json::from_value(entry.details.get("mark")?.clone()).ok()?;
        let ranges = entry.details.get("lines")?.as_str()?.split(',').map(range);
        let ranges = ranges.collect::<Option<Vec<Range>>>()?;
        Some(Self { ranges, mark: serde_json::to_vec(&mark).ok()? })
    }

    fn entry(ranges: &[Range], mark: &Mark) -> Entry {
        let lines: Vec<String> = ranges.iter().map(|(from, to)| format!("{from}-{to}")).collect();
        let count: u64 = ranges.iter().map(|(from, to)| to - from + 1).sum();
        Entry {
            time: mark.at,
            owner: mark.by.clone(),
            outcome: Some(Outcome::Ok),
            details: json!({ "mark": mark, "lines": lines.join(","), "count": count }),
            ..Entry::new(Kind::Redacted)
        }
    }

    fn covers(&self, seq: u64) -> bool {
        let after = self.ranges.partition_point(|(from, _)| *from <= seq);
        after > 0 && self.ranges[after - 1].1 >= seq
    }
}

fn range(text: &str) -> Option<Range> {
    let (from, to) = text.split_once('-')?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some((from, to))
}

fn ranges_of(lines: &BTreeSet<u64>) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for seq in lines {
        match ranges.last_mut() {
            Some((_, to)) if *to + 1 == *seq => *to = *seq,
            _ => ranges.push((*seq, *seq)),
        }
    }
    ranges
}

impl Disk {
    /// Takes the entries of some lines away.
    pub(crate) fn redact(
        &mut self,
        wanted: &BTreeSet<u64>,
        by: &str,
        why: &str,
    ) -> Result<Redaction, LogError> {
        let _held = self.hold()?;
        self.finish_redaction()?;
        let found = self.redactable(wanted).map_err(LogError::disk("read"))?;
        let redacted = found.len() as u64;
        let passed_over = wanted.len() as u64 - redacted;
        if found.is_empty() {
            return Ok(Redaction { redacted, passed_over });
        }
        let bounded = |text: &str| text.chars().take(MOST_LETTERS).collect::<String>();
        let mark = Mark { at: now(), by: bounded(by), why: bounded(why) };
        self.roll()?;
        let note = format!("{}\n", self.end.segment);
        folder::replace(&self.folder.redacting(), note.as_bytes())
            .map_err(LogError::disk("redact"))?;
        let mut entries = Vec::new();
        for ranges in ranges_of(&found).chunks(MOST_RANGES) {
            let entry = Claim::entry(ranges, &mark).prepare();
            entries.push(Arc::new(entry.map_err(LogError::disk("redact"))?));
        }
        self.put(&entries, true).map_err(|failed| failed.error)?;
        self.finish_redaction()?;
        Ok(Redaction { redacted, passed_over })
    }

    /// Those of the wanted lines that hold an entry that may go.
    fn redactable(&self, wanted: &BTreeSet<u64>) -> io::Result<BTreeSet<u64>> {
        let mut found = BTreeSet::new();
        let has_any = |from, end| wanted.range(from..end).next().is_some();
        for segment in self.segments_with(has_any)? {
            let mut lines = Lines::open(&self.folder.segment(segment), 0)?;
            loop {
                let line = match lines.next()? {
                    Next::Line(bytes) => decode_line(bytes),
                    Next::Torn => None,
                    Next::End => break,
                };
                let Some(line) = line.filter(|line| wanted.contains(&line.seq)) else { continue };
                let may_go = |entry: Entry| !entry.kind.is_bookkeeping();
                if matches!(line.body, Body::Entry(_)) && line.entry().is_none_or(may_go) {
                    found.insert(line.seq);
                }
            }
        }
        Ok(found)
    }

    /// The segments whose lines, from the first to before the last, are wanted.
    fn segments_with(&self, wants: impl Fn(u64, u64) -> bool) -> io::Result<Vec<u64>> {
        let mut starts = Vec::new();
        for segment in self.folder.segments()? {
            if let Some(start) = start_of(&self.folder, segment)? {
                starts.push((segment, start.seq + 1));
            }
        }
        let ends = starts.iter().skip(1).map(|(_, first)| *first).chain([u64::MAX]);
        let with = starts.iter().zip(ends);
        let with = with.filter(|((_, first), end)| *first < *end && wants(*first, *end));
        Ok(with.map(|((segment, _), _)| *segment).collect())
    }

    /// Rewrites the segments of a redaction that was written down, if one is under way.
    pub(crate) fn finish_redaction(&mut self) -> Result<(), LogError> {
        let redacts = LogError::disk("redact");
        let path = self.folder.redacting();
        let note = match fs::read_to_string(&path) {
            Ok(note) => note,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(redacts(error)),
        };
        if let Ok(segment) = note.trim().parse() {
            let claims = self.claims_since(segment).map_err(&redacts)?;
            let ranges = || claims.iter().flat_map(|claim| &claim.ranges);
            let has_any = |begin, end| ranges().any(|(from, to)| *from < end && *to >= begin);
            for segment in self.segments_with(has_any).map_err(&redacts)? {
                // The one that is written to begins with the claims, so it holds none of the lines.
                if segment < self.end.segment {
                    self.rewrite(segment, &claims)?;
                }
            }
        }
        fs::remove_file(&path).map_err(&redacts)
    }

    fn claims_since(&self, segment: u64) -> io::Result<Vec<Claim>> {
        let mut claims = Vec::new();
        for segment in self.folder.segments()?.into_iter().filter(|one| *one >= segment) {
            let mut lines = Lines::open(&self.folder.segment(segment), 0)?;
            loop {
                let claim = match lines.next()? {
                    Next::Line(bytes) => claim_in(bytes),
                    Next::Torn => None,
                    Next::End => break,
                };
                claims.extend(claim);
            }
        }
        Ok(claims)
    }

    fn rewrite(&self, segment: u64, claims: &[Claim]) -> Result<(), LogError> {
        let redacts = LogError::disk("redact");
        let path = self.folder.segment(segment);
        let new = unfinished(&path);
        let mut lines = Lines::open(&path, 0).map_err(&redacts)?;
        let mut out = BufWriter::new(private(&new).map_err(&redacts)?);
        let mut changed = false;
        let mut redacted = Vec::new();
        let mut last = 0;
        let copied = loop {
            let bytes = match lines.next().map_err(&redacts)? {
                Next::Line(bytes) => bytes,
                Next::Torn => break Err(LogError::Damaged(Damage::Changed { seq: last + 1 })),
                Next::End => break Ok(()),
            };
            let line = decode_line(bytes);
            last = line.map_or(last + 1, |line| line.seq);
            let claim = claims.iter().find(|claim| claim.covers(last));
            let written = match (line, claim) {
                (Some(line), Some(claim)) if matches!(line.body, Body::Entry(_)) => {
                    changed = true;
                    redacted.clear();
                    encode_redacted(&line, &claim.mark, &mut redacted);
                    out.write_all(&redacted)
                }
                _ => out.write_all(bytes).and_then(|()| out.write_all(b"\n")),
            };
            if let Err(error) = written {
                break Err(redacts(error));
            }
        };
        let done = copied.and_then(|()| self.replace(segment, out, changed).map_err(&redacts));
        if done.is_err() || !changed {
            let _ = fs::remove_file(&new);
        }
        done
    }

    fn replace(&self, segment: u64, out: BufWriter<File>, changed: bool) -> io::Result<()> {
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if !changed {
            return Ok(());
        }
        file.sync_all()?;
        let path = self.folder.segment(segment);
        fs::rename(unfinished(&path), path)?;
        self.folder.sync()
    }
}

/// What a line claims to have redacted.
pub(crate) fn claim_in(bytes: &[u8]) -> Option<Claim> {
    let line = decode_line(bytes)?;
    let Body::Entry(entry) = line.body else { return None };
    // The kind is the second field; reading every entry as JSON would take ten times as long.
    let beginning = &entry[..entry.len().min(80)];
    let kind = b"\"kind\":\"redacted\"";
    beginning.windows(kind.len()).any(|part| part == kind).then_some(())?;
    let entry = line.entry().filter(|entry| entry.kind == Kind::Redacted)?;
    Claim::of(&entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_a_row_are_one_range() {
        let lines = BTreeSet::from([1, 2, 3, 7, 9, 10]);
        assert_eq!(ranges_of(&lines), [(1, 3), (7, 7), (9, 10)]);
    }

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let mark = Mark { at: 5, by: "ann".into(), why: "a name".into() };
        let claim = Claim::of(&Claim::entry(&[(1, 3), (7, 7)], &mark)).unwrap();
        assert_eq!(claim.ranges, [(1, 3), (7, 7)]);
        assert_eq!(claim.mark, serde_json::to_vec(&mark).unwrap());
        let covered: Vec<u64> = (0..10).filter(|seq| claim.covers(*seq)).collect();
        assert_eq!(covered, [1, 2, 3, 7]);
    }
}
