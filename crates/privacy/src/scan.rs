//! One pass over a text for everything that has an `@`, digits or colons in it.

use crate::run::{Group, Run};
use crate::words::{Cue, cue_before};
use crate::{Found, Kind, card, codes, email, ip, national, phone};

/// Looks through `text`, which stands in a field that says `field`, and reports what is found.
/// What is reported may overlap.
pub(crate) fn scan(text: &str, field: Cue, into: &mut Vec<Found>) {
    let mut scan = Scan { text, bytes: text.as_bytes(), field, run: Run::default(), into };
    let mut at = 0;
    while let Some(one) = scan.bytes.get(at) {
        at = match one {
            b'a'..=b'z' | b'A'..=b'Z' => scan.word(at),
            b'@' => scan.mail(at),
            b'(' | b'[' if email::is_written_out(scan.text, at) => scan.written_out(at),
            b'0'..=b'9' | b'+' | b'(' => scan.number(at),
            b':' => scan.mapped(at),
            _ => at + 1,
        };
    }
}

struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    field: Cue,
    run: Run,
    into: &'t mut Vec<Found>,
}

impl Scan<'_> {
    fn add(&mut self, start: usize, end: usize, kind: Kind) {
        self.into.push(Found { start, end, kind });
    }

    fn cue(&self, start: usize) -> Cue {
        cue_before(self.text, start, self.field)
    }

    fn mail(&mut self, at: usize) -> usize {
        match email::around(self.text, at) {
            Some((start, end)) => {
                self.add(start, end, Kind::Email);
                end
            }
            None => at + 1,
        }
    }

    /// `jane (at) example (dot) org`.
    fn written_out(&mut self, at: usize) -> usize {
        match email::written_out(self.text, at) {
            Some((start, end)) => {
                self.add(start, end, Kind::Email);
                end
            }
            None => at + 1,
        }
    }

    /// `::ffff:192.0.2.1`, the one address of version 6 that begins with a colon.
    fn mapped(&mut self, at: usize) -> usize {
        if self.bytes.get(at + 1) == Some(&b':')
            && !is_word_before(self.text, at)
            && let Some(end) = ip::v6(self.bytes, at)
        {
            self.add(at, end, Kind::Ip);
            return end;
        }
        at + 1
    }

    fn word(&mut self, at: usize) -> usize {
        let length = self.bytes[at..].iter().take_while(|one| one.is_ascii_alphanumeric()).count();
        let end = at + length;
        let hex = length == 4 && self.bytes.get(end) == Some(&b':');
        let digits = length == 2 || self.bytes[at..end].iter().any(u8::is_ascii_digit);
        if !(hex || digits) || is_word_before(self.text, at) || !self.may_start(at) {
            return end;
        }
        if hex && let Some(end) = ip::v6(self.bytes, at) {
            self.add(at, end, Kind::Ip);
            return end;
        }
        let next = self.bytes.get(end);
        let glued = next == Some(&b'_') || next == Some(&b'-') && length != 8;
        let cue = || cue_before(self.text, at, self.field);
        match codes::at(self.bytes, at, end, cue) {
            Some((end, kind)) if !glued || kind == Kind::Iban => {
                self.add(at, end, kind);
                end
            }
            _ => end,
        }
    }

    fn number(&mut self, at: usize) -> usize {
        let free = !is_word_before(self.text, at);
        if free && let Some(end) = self.address(at) {
            self.add(at, end, Kind::Ip);
            return end;
        }
        if !free {
            // The end of a word; what follows behind a dash is looked at for itself.
            return at
                + self.bytes[at..].iter().take_while(|one| one.is_ascii_digit()).count().max(1);
        }
        let mut run = std::mem::take(&mut self.run);
        let next = if run.read(self.bytes, at) {
            // "(401-22-7788)": the bracket is not the number's, unless it closes behind the area, as in "(0 40)".
            let area = 1 + usize::from(run.groups[0].len() == 1);
            let closes = run.groups.iter().skip(1).take(area).any(|group| group.before == b')');
            if self.bytes[at] == b'(' && !closes {
                self.run = run;
                return at + 1;
            }
            self.groups(&run, self.may_start(at));
            run.end()
        } else {
            at + 1
        };
        self.run = run;
        next
    }

    fn address(&self, at: usize) -> Option<usize> {
        if !self.bytes[at].is_ascii_digit() {
            return None;
        }
        let before = at.checked_sub(1).map(|before| self.bytes[before]);
        let further = at.checked_sub(2).map(|before| self.bytes[before]);
        let letter = further.is_some_and(|one| one.is_ascii_alphabetic());
        // Chrome/120.0.0.0 is a version, //192.0.2.1 an address; so are -1.2.3.4 and .1.2.3.4 none.
        // "IP-192.0.2.44" is one, too.
        let named = before == Some(b'-') && self.cue(at).has(Cue::IP);
        if before == Some(b'.')
            || matches!(before, Some(b'/' | b'-')) && letter && !named
            || matches!(before, Some(b'~' | b'^'))
        {
            return None;
        }
        ip::v6(self.bytes, at).or_else(|| ip::v4(self.bytes, at, || self.cue(at)))
    }

    /// Whether a number or code may start behind what stands before it.
    fn may_start(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| self.bytes[before]) else {
            return true;
        };
        let further = at.checked_sub(2).map(|before| self.bytes[before]);
        match before {
            b'-' | b'/' | b'#' | b'$' | b'\\' | b'*' | b'~' | b'^' | b'%' | b'&' | b'@' | b'+' => {
                false
            }
            b'.' => further.is_some_and(|one| one.is_ascii_alphabetic()),
            b':' => !further.is_some_and(|one| one.is_ascii_digit()),
            // € £ ¥ ₹ and more end in these two bytes or begin with them.
            0x80.. => {
                !matches!(self.text[..at].chars().next_back(), Some('€' | '£' | '¥' | '₹' | '№'))
            }
            _ => true,
        }
    }

    /// Tries every group that something can start at.
    fn groups(&mut self, run: &Run, first_is_free: bool) {
        let mut from = 0;
        while from < run.groups.len() {
            let groups = &run.groups[from..];
            let free =
                if from == 0 { first_is_free } else { matches!(groups[0].before, b' ' | b'(') };
            match free.then(|| self.try_groups(run, from)).flatten() {
                Some((count, end, kind)) => {
                    let start = if from == 0 { run.start } else { start_of(groups[0]) };
                    self.add(start, end, kind);
                    from += count;
                }
                None => from += 1,
            }
        }
    }

    fn try_groups(&self, run: &Run, from: usize) -> Option<(usize, usize, Kind)> {
        let groups = &run.groups[from..];
        // In the middle of a long row of fours nothing starts.
        let inside = from > 0 && run.groups[from - 1].len() == 4 && groups[0].len() == 4;
        let plain = !(run.plus && from == 0) && groups[0].before != b'(' && !inside;
        let start = if from == 0 { run.start } else { start_of(groups[0]) };
        let total: usize = groups.iter().map(|group| group.len()).sum();
        if total < 7 || phone::is_date(self.bytes, groups) {
            return None;
        }
        let cue = self.cue(start);
        if plain {
            if let Some(count) = card::at(self.bytes, groups, cue)
                && self.may_end(groups, count, 0)
            {
                return Some((count, groups[count - 1].end, Kind::Card));
            }
            if let Some((count, letters)) = national::at(self.bytes, groups, cue)
                && self.may_end(groups, count, letters)
            {
                return Some((count, groups[count - 1].end + letters, Kind::NationalNumber));
            }
        }
        let count = self
            .international(run, from, cue)
            .filter(|count| self.may_end(groups, *count, 0))
            .or_else(|| self.domestic(run, from, start, cue))
            .filter(|count| self.may_end(groups, *count, 0))?;
        Some((count, self.with_extension(groups[count - 1].end), Kind::Phone))
    }

    /// `+` is enough; `00` may also be the beginning of any number that is filled up with zeros.
    fn international(&self, run: &Run, from: usize, cue: Cue) -> Option<usize> {
        let plus = run.plus && from == 0;
        let count = phone::international(self.bytes, run, from)?;
        let asked = cue.has(Cue::PHONE);
        (plus || asked || count > 1 && from == 0 && !cue.has(Cue::ID)).then_some(count)
    }

    fn domestic(&self, run: &Run, from: usize, start: usize, cue: Cue) -> Option<usize> {
        let groups = &run.groups[from..];
        let asked = cue.has(Cue::PHONE);
        if run.plus && from == 0 || !asked && self.is_behind_code(start) {
            return None;
        }
        let count = phone::national(self.bytes, groups, cue)?;
        // In a row of numbers with spaces between them none is a telephone's.
        let spaced = groups[1..count].iter().any(|group| group.before == b' ') || count == 1;
        let in_a_row = from > 0 || groups.get(count).is_some_and(|next| next.before == b' ');
        (asked || !(spaced && in_a_row)).then_some(count)
    }

    /// Whether a word of letters and digits stands before: "AA1 01 2345 6784" is one long code.
    fn is_behind_code(&self, start: usize) -> bool {
        let before = &self.bytes[start.saturating_sub(12)..start];
        let Some(before) = before.strip_suffix(b" ") else {
            return false;
        };
        let word = before.rsplit(|one| !one.is_ascii_alphanumeric()).next().unwrap_or_default();
        word.iter().any(u8::is_ascii_uppercase) && word.iter().any(u8::is_ascii_digit)
    }

    /// Whether a number may end behind its last group, `letters` bytes further on.
    fn may_end(&self, groups: &[Group], count: usize, letters: usize) -> bool {
        if letters == 0 && groups.get(count).is_some_and(|next| !matches!(next.before, b' ' | b'('))
        {
            return false;
        }
        let end = groups[count - 1].end + letters;
        let further = self.bytes.get(end + 1);
        match self.bytes.get(end) {
            Some(b'_' | b'%' | b'@') => false,
            Some(one) if one.is_ascii_alphanumeric() => one.eq_ignore_ascii_case(&b'x'),
            Some(b'-' | b'/' | b'.' | b'=') => !further.is_some_and(u8::is_ascii_alphanumeric),
            Some(b':') => !further.is_some_and(u8::is_ascii_digit),
            Some(0x80..) => {
                let next = self.text[end..].chars().next();
                next.is_none_or(|next| !next.is_alphanumeric() || is_unspaced(next))
                    && next != Some('°')
            }
            Some(b' ') => !is_measured(&self.text[end + 1..]),
            Some(_) | None => true,
        }
    }

    /// The end with the extension that may follow a telephone number: " ext. 12", "x12".
    fn with_extension(&self, end: usize) -> usize {
        let rest = &self.text[end..];
        let bare = rest.trim_start_matches([' ', ',']);
        let lower =
            |word: &str| bare.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        let Some(word) = ["extension", "ext.", "ext", "x"].into_iter().find(|word| lower(word))
        else {
            return end;
        };
        let number = bare[word.len()..].trim_start_matches([' ', ':']);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let ends = !number[digits..].starts_with(|next: char| next.is_alphanumeric());
        if (1..=6).contains(&digits) && ends && rest.len() - number.len() < 16 {
            self.text.len() - number.len() + digits
        } else {
            end
        }
    }
}

/// Whether a unit follows: what it measures is nobody's number.
fn is_measured(text: &str) -> bool {
    let end = text.find(|one: char| !one.is_alphanumeric()).unwrap_or(text.len());
    matches!(
        &text[..end],
        "ns" | "us"
            | "ms"
            | "bytes"
            | "byte"
            | "KB"
            | "MB"
            | "GB"
            | "Hz"
            | "rows"
            | "items"
            | "tokens"
            | "km"
            | "kg"
    )
}

/// Where a group starts, with its bracket.
fn start_of(group: Group) -> usize {
    group.start - usize::from(group.before == b'(')
}

/// Whether a letter, digit or underscore stands directly before `at`.
fn is_word_before(text: &str, at: usize) -> bool {
    match at.checked_sub(1).map(|before| text.as_bytes()[before]) {
        None => false,
        Some(one) if one.is_ascii() => one.is_ascii_alphanumeric() || one == b'_',
        Some(_) => text[..at]
            .chars()
            .next_back()
            .is_some_and(|one| one.is_alphanumeric() && !is_unspaced(one)),
    }
}

/// Scripts without spaces: a number may start right behind their letters.
pub(crate) fn is_unspaced(one: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&one)
        || ('\u{ac00}'..='\u{d7af}').contains(&one)
        || one >= '\u{f900}'
}
