//! JSON with half letters: what `JSON.stringify` makes of a text that was cut within an emoji.

/// `\\ud83d` without its other half, which no text of ours can hold, becomes the sign for a broken
/// letter; nothing if there is no such half.
#[must_use]
pub fn whole_letters(json: &[u8]) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    let mut copied = 0;
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = unit(json, at) else {
            // Another escape: a backslash and one more.
            at += 2;
            continue;
        };
        let pairs = (0xD800..0xDC00).contains(&unit)
            && self::unit(json, at + 6).is_some_and(|low| (0xDC00..0xE000).contains(&low));
        if pairs {
            at += 12;
        } else if (0xD800..0xE000).contains(&unit) {
            let out = out.get_or_insert_with(|| Vec::with_capacity(json.len()));
            out.extend_from_slice(&json[copied..at]);
            out.extend_from_slice(b"\\ufffd");
            at += 6;
            copied = at;
        } else {
            at += 6;
        }
    }
    let mut out = out?;
    out.extend_from_slice(&json[copied..]);
    Some(out)
}

/// The number of the escape `\\uXXXX` at a place.
fn unit(json: &[u8], at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::whole_letters;

    #[test]
    fn only_half_letters_are_replaced() {
        let mended = |text: &str| {
            whole_letters(text.as_bytes()).map(|text| String::from_utf8(text).unwrap())
        };
        assert_eq!(mended(r#"{"a":"x\ud83dy"}"#).unwrap(), r#"{"a":"x\ufffdy"}"#);
        assert_eq!(mended(r#""\udc00\ud800""#).unwrap(), r#""\ufffd\ufffd""#);
        assert_eq!(mended(r#""\ud83d\ude00 \\ud83d \u00e9""#), None);
    }
}
