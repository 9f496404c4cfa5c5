//! E-mail addresses, around every `@`.

use crate::scan::is_unspaced;

/// The longest part before the `@`.
const LONGEST_LOCAL: usize = 64;
/// The longest part after it.
const LONGEST_DOMAIN: usize = 253;

/// How many written out points a name may have.
const MOST_DOTS: usize = 4;

/// What ends like a domain and is a file or a unit instead.
const NOT_DOMAINS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "scss", "js", "mjs", "jsx", "tsx",
    "json", "html", "htm", "xml", "yaml", "yml", "toml", "txt", "csv", "pdf", "docx", "xlsx",
    "tar", "gz", "tgz", "jar", "dll", "exe", "service", "socket", "target", "timer", "mount",
    "slice", "scope", "py", "rs", "go", "java", "cpp", "rb", "php", "class", "lock",
];

/// The address around the `@` at `at`: where it starts and ends.
pub(crate) fn around(text: &str, at: usize) -> Option<(usize, usize)> {
    let start =
        local(text, at).or_else(|| quoted_local(text, at)).or_else(|| unspaced_local(text, at))?;
    let end = domain(text, at + 1)?;
    let name = &text[start..at];
    let bytes = text.as_bytes();
    let before = start.checked_sub(1).map(|before| bytes[before]);
    // A handle of two parts, @jane@social.example.
    if before == Some(b'@') || bytes.get(end) == Some(&b'@') {
        return None;
    }
    // https://name:password@host, and git@host:path.
    if matches!(before, Some(b':' | b'/')) && is_log_in(text, start) {
        return None;
    }
    let is_remote =
        bytes.get(end) == Some(&b':') && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic);
    (!(is_remote && matches!(name, "git" | "hg" | "svn"))).then_some((start, end))
}

/// Whether what stands before is the start of an address with a name and a password in it.
fn is_log_in(text: &str, start: usize) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(80));
    let word = text[from..start].rsplit(char::is_whitespace).next().unwrap_or_default();
    word.contains("://")
}

fn local(text: &str, at: usize) -> Option<usize> {
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST_LOCAL));
    let head = &text[from..at];
    let length: usize =
        head.chars().rev().take_while(|one| is_local(*one)).map(char::len_utf8).sum();
    let taken = &head[head.len() - length..];
    let name = taken.trim_start_matches(['.', '\'', '-', '/', '=', '&', '+']);
    let tagged = before_equals(&head[..head.len() - taken.len()]).filter(|_| name == taken);
    let name = tagged.map_or(name, |more| &head[head.len() - taken.len() - more..]);
    let is_name =
        name.chars().any(char::is_alphanumeric) && !name.ends_with('.') && !name.contains("..");
    is_name.then(|| at - name.len())
}

/// Where the name starts when an equals sign stands before it and a plus before that: "user+tag=x", as senders of
/// lists write it. In "a=1+user=jane" nothing of that sort is meant, but that is rarer still.
fn before_equals(head: &str) -> Option<usize> {
    let tagged = head.strip_suffix('=')?;
    let length: usize =
        tagged.chars().rev().take_while(|one| is_local(*one)).map(char::len_utf8).sum();
    let name = &tagged[tagged.len() - length..];
    let plus = name.find('+')?;
    (plus > 0 && name.starts_with(char::is_alphanumeric)).then_some(length + 1)
}

/// `"john doe"` before the `@`.
fn quoted_local(text: &str, at: usize) -> Option<usize> {
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST_LOCAL + 2));
    let inside = text[from..at].strip_suffix('"')?;
    let quote = inside.rfind('"')?;
    let name = &inside[quote + 1..];
    let plain = |one: char| is_local(one) || one == ' ';
    let starts = text[..from + quote].chars().next_back();
    let is_start =
        starts.is_none_or(|one| one.is_whitespace() || matches!(one, '<' | '(' | ':' | ','));
    (is_start && name.chars().any(char::is_alphanumeric) && name.chars().all(plain))
        .then_some(from + quote)
}

/// A name in a script without spaces before the `@`, as far back as its letters go.
fn unspaced_local(text: &str, at: usize) -> Option<usize> {
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST_LOCAL));
    let length: usize = text[from..at]
        .chars()
        .rev()
        .take_while(|one| one.is_alphanumeric() || *one == 'ー')
        .map(char::len_utf8)
        .sum();
    (length > 0).then_some(at - length)
}

/// Whether "(at)" or "[at]" stands here.
pub(crate) fn is_written_out(text: &str, at: usize) -> bool {
    text.as_bytes()
        .get(at + 1..at + 4)
        .is_some_and(|word| word[..2].eq_ignore_ascii_case(b"at") && matches!(word[2], b')' | b']'))
}

/// The address around the "(at)" at `at`: where it starts and ends.
pub(crate) fn written_out(text: &str, at: usize) -> Option<(usize, usize)> {
    let name_end = text[..at].trim_end_matches(' ').len();
    let mut start = local(text, name_end)?;
    if at - name_end > 1 {
        return None;
    }
    // "jane [dot] doe (at) …"; a few times, so that a row of them takes no longer than its length.
    for _ in 0..MOST_DOTS {
        let Some(end) = before_dot(&text[..start]) else { break };
        let Some(before) = local(text, end) else { break };
        start = before;
    }
    let is_label = |one: char| one.is_alphanumeric() || one == '-';
    let mut end = at + 4;
    let mut labels = 0;
    let last = loop {
        let rest = &text[end..];
        let gap = rest.len() - rest.trim_start_matches(' ').len();
        let rest = &rest[gap..];
        let length = rest.find(|one: char| !is_label(one)).unwrap_or(rest.len());
        if gap > 1 || length == 0 {
            return None;
        }
        labels += 1;
        end += gap + length;
        match dot(&text[end..]) {
            Some(length) => end += length,
            None => break &rest[..length],
        }
    };
    let is_top = (2..=24).contains(&last.len()) && last.chars().all(char::is_alphabetic);
    (labels >= 2 && is_top && !is_file(last)).then_some((start, end))
}

/// Where the word ends that stands before a written out point at the end of a text.
fn before_dot(text: &str) -> Option<usize> {
    let head = text.strip_suffix(' ').unwrap_or(text);
    let from = head.len().checked_sub(5)?;
    let word = head.get(from..)?;
    let is_dot = word.eq_ignore_ascii_case("(dot)") || word.eq_ignore_ascii_case("[dot]");
    is_dot.then(|| head[..from].strip_suffix(' ').unwrap_or(&head[..from]).len())
}

/// How long the point is that a text begins with, as "." or "(dot)".
fn dot(text: &str) -> Option<usize> {
    if text.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphanumeric)) {
        return Some(1);
    }
    let spaces = text.len() - text.trim_start_matches(' ').len();
    let word = text[spaces..].get(..5)?;
    let is_dot = word.eq_ignore_ascii_case("(dot)") || word.eq_ignore_ascii_case("[dot]");
    (is_dot && spaces <= 1).then_some(spaces + 5)
}

fn is_local(one: char) -> bool {
    // Addresses may hold / = & and more; outside of textbooks those belong to what stands before.
    one.is_alphanumeric() && !is_unspaced(one) || matches!(one, '.' | '_' | '%' | '+' | '\'' | '-')
}

fn domain(text: &str, start: usize) -> Option<usize> {
    let to = text.floor_char_boundary((start + LONGEST_DOMAIN + 1).min(text.len()));
    let tail = &text[start..to];
    // A domain that begins in a script without spaces goes on in it up to its first point.
    let head = tail.split('.').next().unwrap_or_default();
    let local = if head.starts_with(is_unspaced) && head.chars().all(char::is_alphanumeric) {
        head.len()
    } else {
        0
    };
    let length: usize = local
        + tail[local..]
            .chars()
            .take_while(|one| {
                one.is_alphanumeric() && !is_unspaced(*one) || matches!(one, '.' | '-')
            })
            .map(char::len_utf8)
            .sum::<usize>();
    let domain = tail[..length].trim_end_matches(['.', '-']);
    let mut labels = domain.rsplit('.');
    let top = labels.next()?;
    let is_top =
        top.chars().count() >= 2 && top.chars().all(char::is_alphabetic) || top.starts_with("xn--");
    let second = labels.next()?;
    let named = !second.is_empty() && second.chars().any(char::is_alphabetic)
        || second.len() >= 2 && second.bytes().all(|one| one.is_ascii_digit()) && !is_file(top);
    let whole = !domain.contains("..") && !domain.starts_with(['.', '-']);
    let ends = !text[start + domain.len()..].starts_with('_');
    (is_top && named && whole && ends && !is_file(top)).then_some(start + domain.len())
}

fn is_file(top: &str) -> bool {
    NOT_DOMAINS.iter().any(|ending| top.eq_ignore_ascii_case(ending))
}
