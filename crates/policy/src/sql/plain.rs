//! Whether every database reads the same words in a text.
//!
//! They differ in what ends a text or a comment, in which signs quote a name, and in whether a statement
//! needs a semicolon before the next one. A text in which that matters is for nobody to judge.

/// Words with which something begins that changes something, also where a reader that knows no better
/// takes them for the name of a column: `SELECT 1 DELETE FROM t` is two statements to SQL Server.
const WORDS: [&str; 41] = [
    "alter",
    "backup",
    "bulk",
    "checkpoint",
    "commit",
    "create",
    "dbcc",
    "deallocate",
    "declare",
    "delete",
    "deny",
    "disable",
    "drop",
    "dump",
    "dumpfile",
    "enable",
    "exec",
    "execute",
    "goto",
    "grant",
    "insert",
    "into",
    "kill",
    "lock",
    "merge",
    "outfile",
    "raiserror",
    "receive",
    "reconfigure",
    "restore",
    "revert",
    "revoke",
    "rollback",
    "setuser",
    "shutdown",
    "throw",
    "truncate",
    "update",
    "updatetext",
    "waitfor",
    "writetext",
];

/// Whether there is one way to read a text, and no word in it that changes something.
pub(super) fn is_plain(text: &str) -> bool {
    // A backslash escapes in one database and not in the next.
    let odd = |letter: char| {
        letter == '\\' || letter == '#' || letter.is_control() && !matches!(letter, '\t' | '\n')
    };
    if text.replace("\r\n", "\n").contains(odd) {
        return false;
    }
    let mut rest = text;
    let mut last = "";
    while let Some(first) = rest.chars().next() {
        let Some(length) = taken(rest, first) else { return false };
        let (token, after) = rest.split_at(length);
        rest = after;
        if !(first.is_alphanumeric() || first == '_' || first == '@') {
            continue;
        }
        let word = token.to_lowercase();
        // A prefix says how the quotes that follow are to be read.
        let is_unicode = word == "u" && (rest.starts_with("&'") || rest.starts_with("&\""));
        let is_prefix = is_unicode || rest.starts_with(['\'', '"', '`']);
        if is_prefix || WORDS.contains(&word.as_str()) || (last == "next" && word == "value") {
            return false;
        }
        last = if word == "next" { "next" } else { "" };
    }
    true
}

/// How many bytes belong together at the beginning; `None` if that depends on who reads.
fn taken(rest: &str, first: char) -> Option<usize> {
    match first {
        '\'' | '"' => quoted(rest, first),
        '`' => named(rest, '`'),
        '[' => named(rest, ']'),
        '-' if rest.starts_with("--") => {
            // For some it is no comment without a space.
            let is_comment = rest[2..].starts_with([' ', '\t', '\n']) || rest.len() == 2;
            is_comment.then(|| rest.find('\n').unwrap_or(rest.len()))
        }
        '/' if rest.starts_with("/*") => comment(rest),
        // Numbers of parameters, and no quotes.
        '$' => {
            let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
            let after = rest[1 + digits..].chars().next();
            let is_over = after.is_none_or(|letter| !(is_inside(letter) || letter == '$'));
            (digits > 0 && is_over).then_some(1 + digits)
        }
        // An assignment.
        ':' if rest.starts_with(":=") => None,
        _ if first.is_ascii_digit() => number(rest),
        _ if is_inside(first) || first == '@' => {
            let end = rest.find(|letter| !(is_inside(letter) || letter == '@'));
            Some(end.unwrap_or(rest.len()))
        }
        _ if first.is_ascii() => Some(1),
        _ => None,
    }
}

fn is_inside(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A text in quotes, in which those that are doubled stand for themselves.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        at += rest[at..].find(quote)? + 1;
        if !rest[at..].starts_with(quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// A name between signs that not every database knows: nothing may be in it that another would read.
fn named(rest: &str, end: char) -> Option<usize> {
    let length = rest[1..].find(end)?;
    let is_quiet = |letter: char| is_inside(letter) || " ,.:".contains(letter);
    rest[1..=length].chars().all(is_quiet).then_some(length + 2)
}

/// A comment that nobody executes, and in which none begins.
fn comment(rest: &str) -> Option<usize> {
    let length = rest[2..].find("*/")?;
    let inside = &rest[2..2 + length];
    let is_executed = inside.starts_with(['!', '+']) || inside.starts_with("M!");
    (!is_executed && !inside.contains("/*") && !inside.ends_with('/')).then_some(length + 4)
}

/// A number; letters that follow at once are a word of their own for some.
fn number(rest: &str) -> Option<usize> {
    let is_in = |letter: char| is_inside(letter) || letter == '.';
    let end = rest.find(|letter| !is_in(letter)).unwrap_or(rest.len());
    let token = &rest[..end];
    let hex = token.strip_prefix("0x").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    let is_plain = |digit: u8| digit.is_ascii_digit() || digit == b'.';
    let mantissa = token.strip_suffix(['e', 'E']);
    let exponent = token.split_once(['e', 'E']);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|one| one.is_ascii_digit());
    let is_number = token.bytes().all(is_plain)
        || exponent.is_some_and(|(before, after)| before.bytes().all(is_plain) && digits(after))
        || mantissa.is_some_and(|before| {
            let sign = rest[end..].strip_prefix(['+', '-']);
            let follows = |after: &str| after.starts_with(|one: char| one.is_ascii_digit());
            before.bytes().all(is_plain) && sign.is_some_and(follows)
        });
    (hex || is_number).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_in_one_way_is_plain() {
        for text in [
            "SELECT 'it''s; -- fine /* too */', \"a\"\"b\" FROM t",
            "SELECT a -- why\nFROM t /* and what */ WHERE b = $1 AND c = :c AND d = ?",
            "SELECT [a b], `c` FROM t WHERE x[1] = 1.5e-3 OR y = 0xff OR z = 1e5",
            "SELECT données FROM t\r\nWHERE a = @a",
            "",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }

    #[test]
    fn what_databases_read_in_different_ways_is_not() {
        for text in [
            r"SELECT 'a\' OR 1=1 -- ' FROM t",
            r"SELECT 'a\\'",
            "SELECT 1--1",
            "SELECT 1 # 2",
            "SELECT $$ ' $$, 1",
            "SELECT $x$ ' $x$",
            "SELECT 1 /*!50000 ; x */",
            "SELECT 1 /*M! ; x */",
            "SELECT /* /* */ 1 /* */ */",
            "SELECT `'`, 1 -- '",
            "SELECT ['], 1 -- ']",
            "SELECT q'[ ' ]'",
            "SELECT E'a'",
            "SELECT 'never ends",
            "SELECT 1 -- a\rDELETE FROM t",
            "SELECT 1\0",
            "SELECT @a := 1",
            "SELECT 1DELETE FROM t",
            "SELECT 1.DELETE FROM t",
            "SELECT 1eDELETE FROM t",
            "SELECT 1 DELETE FROM t",
            "SELECT 1 FROM t SHUTDOWN",
            "SELECT NEXT VALUE FOR s",
            "SELECT a INTO OUTFILE 'x' FROM t",
            "SELECT\u{a0}1",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }
}
