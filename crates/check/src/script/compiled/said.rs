//! What a compiler says, as far as it can be read.
//!
//! ```text
//! program.ts(9,43): error TS2322: Type 'string' is not assignable to type 'number'.
//!   and lines that say more, further in
//! ```

use super::PROGRAM;

/// The most complaints that are read,
const MOST: usize = 200;
/// the most lines that say more of one,
const MOST_MORE: usize = 20;
/// and the longest that is repeated, in letters.
const LONGEST: usize = 400;

/// One complaint about the program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Line and column in UTF-16, both from 1.
    pub(super) line: u32,
    pub(super) column: u32,
    /// 2322
    pub(super) code: u32,
    pub(super) message: String,
    /// What else it says, without indentation.
    pub(super) more: Vec<String>,
}

/// The complaints about the program; `None` if the compiler could not do its work. What it says of other
/// files, and what is none of its lines, is left out.
pub(super) fn read(output: &str) -> Option<Vec<Said>> {
    let mut found: Vec<Said> = Vec::new();
    let mut is_ours = false;
    for line in output.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some(last) = found.last_mut().filter(|one| is_ours && one.more.len() < MOST_MORE)
            {
                last.more.push(plain(line));
            }
            continue;
        }
        // About its settings, which an older one may not know.
        if line.starts_with("error TS") {
            return None;
        }
        let complaint = complaint(line);
        is_ours = complaint.is_some() && found.len() < MOST;
        found.extend(complaint.filter(|_| is_ours));
    }
    Some(found)
}

fn complaint(line: &str) -> Option<Said> {
    let rest = line.strip_prefix(PROGRAM)?.strip_prefix('(')?;
    let (place, rest) = rest.split_once("): error TS")?;
    let (line, column) = place.split_once(',')?;
    let (code, message) = rest.split_once(": ")?;
    let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
    Some(Said {
        line: number(line)?,
        column: number(column)?,
        code: number(code)?,
        message: plain(message),
        more: Vec::new(),
    })
}

/// A text without what is not seen, and no longer than it may be.
fn plain(text: &str) -> String {
    let seen = text.trim().chars().filter(|letter| !letter.is_control());
    let mut out: String = seen.take(LONGEST + 1).collect();
    if let Some((at, _)) = out.char_indices().nth(LONGEST) {
        out.truncate(at);
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_about_the_program_are_read() {
        let output = "program.ts(9,43): error TS2322: Type 'string' is not assignable.\n  and more\n    and\u{1b}[31m more\n\
            servers/x.ts(1,1): error TS2322: elsewhere\n  of elsewhere\n\
            ../program.ts(1,1): error TS1: no\nprogram.ts(0,1): error TS2322: no\nprogram.ts(1,x): error TS2: no\n\
            program.ts(4294967296,1): error TS2322: no\nprogram.ts(3,1): warning TS2322: no\nFound 2 errors.\n\
            program.ts(10,1): error TS2304: Cannot find name 'y'.";
        let found = read(output).unwrap();
        let told: Vec<_> = found.iter().map(|one| (one.line, one.column, one.code)).collect();
        assert_eq!(told, [(9, 43, 2322), (10, 1, 2304)]);
        assert_eq!(found[0].more, ["and more", "and[31m more"]);
        assert!(found[1].more.is_empty());
    }

    #[test]
    fn nothing_is_longer_than_it_may_be() {
        let many =
            format!("program.ts(1,1): error TS2322: {}\n", "ä".repeat(100_000)).repeat(1_000);
        let found = read(&many).unwrap();
        assert_eq!(found.len(), MOST);
        assert_eq!(found[0].message.chars().count(), LONGEST + 1);
    }

    #[test]
    fn a_compiler_that_does_not_know_its_settings_has_checked_nothing() {
        assert_eq!(read("error TS5023: Unknown compiler option 'moduleDetection'.\n"), None);
        assert_eq!(read(""), Some(Vec::new()));
    }
}
