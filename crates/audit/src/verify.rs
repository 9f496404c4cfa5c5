//! Examining a log from its first line to its last.
//!
//! A log is examined as it lies, while others write to it. If something seems wrong, it is examined
//! again with the lock held, so that a redaction or removal under way is not taken for tampering.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder::{Folder, Lines, Next};
use crate::hash::Hash;
use crate::line::{Body, Line, decode_line};
use crate::redact::{Range, claim_in};
use crate::seal::{Anchor, Checkpoint, Found, Head, Key, read_head};
use crate::verdict::{Problem, Verdict};

/// How a log is examined.
#[derive(Debug, Clone, Default)]
pub struct Examination {
    /// Where the key is, if not in the log's folder.
    pub key_file: Option<PathBuf>,
    /// Lines that somebody remembers and the log must have.
    pub anchors: Vec<Anchor>,
}

/// Examines a log whose key lies in its folder.
///
/// What this proves: every line is the one that was written, in its place, and none is missing up
/// to the head's line, if nobody who wrote to the folder had the key. What it does not prove:
///
/// * Whoever has the key and can write to the folder can write the whole log anew.
/// * Whoever can write to the folder can put back an older copy of all of it, head included, or
///   remove all of it. Only an [`Anchor`] that was kept elsewhere shows that.
/// * Lines after the head's, of the last second, were perhaps written by somebody else.
/// * That what was written is true, and that everything was written, is up to who writes.
pub fn verify(folder: &Path) -> io::Result<Verdict> {
    verify_with(folder, &Examination::default())
}

/// Examines a log.
pub fn verify_with(folder: &Path, how: &Examination) -> io::Result<Verdict> {
    let folder = Folder::new(folder, how.key_file.as_deref());
    let verdict = examine(&folder, &how.anchors);
    if verdict.as_ref().is_ok_and(Verdict::is_ok) {
        return verdict;
    }
    // A copy on a medium that cannot be written to has nobody who writes to it.
    let Ok(lock) = File::open(folder.lock()) else { return verdict };
    lock.lock_shared()?;
    let verdict = examine(&folder, &how.anchors);
    lock.unlock()?;
    verdict
}

fn examine(folder: &Folder, anchors: &[Anchor]) -> io::Result<Verdict> {
    let mut verdict = Verdict::default();
    // The head before the lines: what is written meanwhile comes after it.
    let (head, checkpoint) = seals(folder, &mut verdict)?;
    verdict.head = head.map(|head| Anchor { seq: head.seq, hash: head.hash });
    verdict.removed_through = checkpoint.map(|checkpoint| checkpoint.seq);
    let (seq, hash) = checkpoint.map_or((0, Hash::ZERO), |begin| (begin.seq, begin.hash));
    let mut pass = Pass {
        verdict,
        seq,
        hash,
        head,
        anchors,
        claims: Vec::new(),
        redacted: Vec::new(),
        whole: Vec::new(),
    };
    pass.check_place();
    pass.segments(folder, checkpoint.map_or(1, |checkpoint| checkpoint.segment))?;
    Ok(pass.finish(seq))
}

/// What head and checkpoint say, if they are authentic.
fn seals(folder: &Folder, verdict: &mut Verdict) -> io::Result<(Option<Head>, Option<Checkpoint>)> {
    let key = match Key::read(folder.key()) {
        Ok(key) => key,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
        Err(error) => return Err(error),
    };
    let Some(key) = key else {
        verdict.problem(Problem::KeyMissing);
        return Ok((None, Checkpoint::peek(folder)?));
    };
    let head = match read_head(folder, &key)? {
        Found::Missing => Err(Problem::HeadMissing),
        Found::Forged => Err(Problem::HeadForged),
        Found::Head { head, is_damaged } => {
            if is_damaged {
                verdict.problem(Problem::HeadCopyDamaged);
            }
            Ok(head)
        }
    };
    let head = head.map_err(|problem| verdict.problem(problem)).ok();
    let checkpoint = match Checkpoint::read(folder, &key) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            verdict.problem(Problem::CheckpointForged);
            // What it says spares a false report for every segment that was removed.
            Checkpoint::peek(folder)?
        }
        checkpoint => checkpoint?,
    };
    Ok((head, checkpoint))
}

/// One reading of the log.
struct Pass<'a> {
    verdict: Verdict,
    /// The last line that was read, and its hash.
    seq: u64,
    hash: Hash,
    head: Option<Head>,
    anchors: &'a [Anchor],
    /// Lines that entries say were redacted, with the hash of what stands there.
    claims: Vec<(Hash, Range)>,
    /// Lines that were redacted, in the same way.
    redacted: Vec<(Hash, Range)>,
    /// Lines that were not.
    whole: Vec<Range>,
}

impl Pass<'_> {
    fn segments(&mut self, folder: &Folder, first: u64) -> io::Result<()> {
        let mut segments = folder.segments()?;
        segments.retain(|segment| *segment >= first);
        let mut next = first;
        for (at, segment) in segments.iter().enumerate() {
            if *segment != next {
                self.verdict.problem(Problem::MissingSegments { from: next, to: *segment - 1 });
            }
            // A segment is begun only when the one before is safe, so a crash tears the last one.
            let is_last = at + 1 == segments.len();
            let is_after_gap = *segment != next;
            self.segment(folder, *segment, is_last, is_after_gap)?;
            next = *segment + 1;
        }
        self.verdict.segments = segments.len() as u64;
        Ok(())
    }

    fn segment(
        &mut self,
        folder: &Folder,
        segment: u64,
        is_last: bool,
        mut is_after_gap: bool,
    ) -> io::Result<()> {
        let mut lines = Lines::open(&folder.segment(segment), 0)?;
        loop {
            let bytes = match lines.next()? {
                Next::End => return Ok(()),
                Next::Torn => None,
                Next::Line(bytes) => Some(bytes),
            };
            let line = bytes.and_then(decode_line);
            let is_unsealed = self.head.is_some_and(|head| self.seq >= head.seq);
            if is_unsealed && is_last && !line.is_some_and(|line| self.follows(&line)) {
                self.verdict.is_torn = true;
                return Ok(());
            }
            let Some(line) = line else {
                self.verdict.problem(Problem::NoLine { segment, expected: self.seq + 1 });
                self.seq += 1;
                is_after_gap = true;
                continue;
            };
            self.line(&line, is_after_gap);
            is_after_gap = false;
            if let Some(claim) = bytes.and_then(claim_in) {
                let mark = Hash::of(&claim.mark);
                self.claims.extend(claim.ranges.into_iter().map(|range| (mark, range)));
            }
        }
    }

    fn follows(&self, line: &Line<'_>) -> bool {
        line.seq == self.seq + 1 && line.prev == self.hash && line.is_whole()
    }

    /// Looks at one line. After a gap it is taken at its word where it stands, because the gap was
    /// reported already.
    fn line(&mut self, line: &Line<'_>, is_after_gap: bool) {
        if line.seq != self.seq + 1 {
            if !is_after_gap {
                let (expected, found) = (self.seq + 1, line.seq);
                self.verdict.problem(Problem::WrongNumber { expected, found });
            }
        } else if line.prev != self.hash && !is_after_gap {
            self.verdict.problem(Problem::BrokenLink { seq: line.seq });
        }
        match line.body {
            Body::Redacted(mark) => {
                self.verdict.redacted += 1;
                let mark = Hash::of(mark);
                match self.redacted.last_mut() {
                    Some((same, (_, to))) if *same == mark && *to + 1 == line.seq => *to = line.seq,
                    _ => self.redacted.push((mark, (line.seq, line.seq))),
                }
            }
            Body::Entry(_) => {
                self.verdict.entries += 1;
                if !line.is_whole() {
                    self.verdict.problem(Problem::ChangedEntry { seq: line.seq });
                }
                match self.whole.last_mut() {
                    Some((_, to)) if *to + 1 == line.seq => *to = line.seq,
                    _ => self.whole.push((line.seq, line.seq)),
                }
            }
        }
        if self.head.is_some_and(|head| line.seq > head.seq) {
            self.verdict.unsealed += 1;
        }
        (self.seq, self.hash) = (line.seq, line.hash());
        self.check_place();
    }

    /// Compares the line that was read last with what the head and others remember of it.
    fn check_place(&mut self) {
        if let Some(head) = self.head
            && head.seq == self.seq
            && head.hash != self.hash
        {
            self.verdict.problem(Problem::Replaced { seq: self.seq });
        }
        for anchor in self.anchors.iter().filter(|anchor| anchor.seq == self.seq) {
            if anchor.hash != self.hash {
                self.verdict.problem(Problem::AnchorLost { seq: self.seq });
            }
        }
    }

    /// What can be said only at the end; `begin` is the last line that retention removed.
    fn finish(mut self, begin: u64) -> Verdict {
        let last = self.seq;
        self.verdict.last = last;
        if let Some(head) = self.head
            && last < head.seq
        {
            self.verdict.problem(Problem::Truncated { found: last, sealed: head.seq });
        }
        for anchor in self.anchors.iter().filter(|anchor| anchor.seq > last) {
            self.verdict.problem(Problem::AnchorLost { seq: anchor.seq });
        }
        self.claims.sort_unstable_by_key(|(mark, (from, _))| (*mark, *from));
        for (mark, range) in &self.redacted {
            if !covers(&self.claims, *mark, *range) {
                let (from, to) = *range;
                self.verdict.problem(Problem::RedactedByNobody { from, to });
            }
        }
        self.whole.sort_unstable();
        for (_, (from, to)) in &self.claims {
            let from = (*from).max(begin + 1);
            if let Some((from, to)) = overlap(&self.whole, (from, *to)) {
                self.verdict.problem(Problem::NotRedacted { from, to });
            }
        }
        self.verdict
    }
}

/// Whether claims with this mark cover a range; they are sorted by mark and beginning, and one
/// redaction's may stand in several entries.
fn covers(claims: &[(Hash, Range)], mark: Hash, (from, to): Range) -> bool {
    let begin = claims.partition_point(|(other, _)| *other < mark);
    let mut next = from;
    for (_, (first, last)) in claims[begin..].iter().take_while(|(other, _)| *other == mark) {
        if *first > next {
            break;
        }
        if *last >= next {
            next = last.saturating_add(1);
        }
        if next > to {
            return true;
        }
    }
    false
}

/// What the first of some sorted ranges has in common with a range.
fn overlap(ranges: &[Range], (from, to): Range) -> Option<Range> {
    let at = ranges.partition_point(|(_, last)| *last < from);
    let (first, last) = ranges.get(at)?;
    (*first <= to && from <= to).then(|| ((*first).max(from), (*last).min(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_of_one_redaction_are_taken_together() {
        let (one, other) = (Hash::of(b"1"), Hash::of(b"2"));
        let mut claims = vec![(one, (1, 4)), (one, (5, 9)), (other, (1, 100))];
        claims.sort_unstable_by_key(|(mark, (from, _))| (*mark, *from));
        assert!(covers(&claims, one, (2, 8)));
        assert!(!covers(&claims, one, (2, 10)));
        assert!(covers(&claims, other, (50, 60)));
        assert!(!covers(&claims, Hash::ZERO, (1, 1)));
    }

    #[test]
    fn what_overlaps_is_found_among_many_ranges() {
        let ranges = [(1, 3), (7, 9)];
        assert_eq!(overlap(&ranges, (4, 6)), None);
        assert_eq!(overlap(&ranges, (3, 6)), Some((3, 3)));
        assert_eq!(overlap(&ranges, (5, 20)), Some((7, 9)));
        assert_eq!(overlap(&ranges, (10, 20)), None);
    }
}
