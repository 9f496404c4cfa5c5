//! E-mail addresses, around every `@`.

use crate::scan::is_unspaced;

/// The longest part before the `@`.
const LONGEST_LOCAL: usize = 64;
/// The longest part after it.
const LONGEST_DOMAIN: usize = 253;

/// What ends like a domain and is a file or a unit instead.
const NOT_DOMAINS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "scss", "js", "mjs", "jsx", "tsx",
    "json", "html", "htm", "xml", "yaml", "yml", "toml", "txt", "csv", "pdf", "docx", "xlsx",
    "tar", "gz", "tgz", "jar", "dll", "exe", "service", "socket", "target", "timer", "mount",
    "slice", "scope", "py", "rs", "go", "java", "cpp", "rb", "php", "class", "lock",
];

/// The address around the `@` at `at`: where it starts and ends.
pub(crate) fn around(text: &str, at: usize) -> Option<(usize, usize)> {
    let start = local(text, at)?;
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
    let is_name =
        name.chars().any(char::is_alphanumeric) && !name.ends_with('.') && !name.contains("..");
    is_name.then(|| at - name.len())
}

fn is_local(one: char) -> bool {
    // Addresses may hold / = & and more; outside of textbooks those belong to what stands before.
    one.is_alphanumeric() && !is_unspaced(one) || matches!(one, '.' | '_' | '%' | '+' | '\'' | '-')
}

fn domain(text: &str, start: usize) -> Option<usize> {
    let to = text.floor_char_boundary((start + LONGEST_DOMAIN + 1).min(text.len()));
    let tail = &text[start..to];
    let length: usize = tail
        .chars()
        .take_while(|one| one.is_alphanumeric() && !is_unspaced(*one) || matches!(one, '.' | '-'))
        .map(char::len_utf8)
        .sum();
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
