//! Lists of tools with schemas that are nested deeper than anybody reads.

use crate::letters::whole_letters;

/// Levels that are read of a message; the reader gives up at 128.
const DEEPEST: usize = 100;
/// Levels that are read at most while looking for a schema to cut.
const VERY_DEEPEST: usize = 110;

/// What every list of tools has.
const MARK: &[u8] = b"\"inputSchema\"";
/// Keys of objects whose members are schemas, and which are none themselves.
const BY_NAME: [&[u8]; 5] =
    [b"properties", b"patternProperties", b"$defs", b"definitions", b"dependentSchemas"];
/// Stands in a schema that was cut: whoever reads it takes it for anything, and says so.
const CUT: &[u8] = b"\"$ref\":\"#nested-deeper-than-is-read\"";

/// JSON that cannot be read as it is, mended: half letters, and lists of tools that are nested too
/// deep. Nothing if there is nothing of both.
#[must_use]
pub fn mended(json: &[u8]) -> Option<Vec<u8>> {
    let whole = whole_letters(json);
    shallow(whole.as_deref().unwrap_or(json)).or(whole)
}

/// A list of tools in which schemas that are nested deeper than is read are cut, so that one odd
/// schema does not cost all tools; nothing if the message is no such list, or has nothing that deep.
/// What a tool answers is never cut.
fn shallow(json: &[u8]) -> Option<Vec<u8>> {
    let is_list = json.windows(MARK.len()).any(|part| part == MARK);
    if !is_list {
        return None;
    }
    let mut out = Vec::with_capacity(json.len());
    let mut depth = 0_usize;
    // The level whose inside is left out, and whether any was.
    let (mut cut, mut is_cut): (Option<usize>, bool) = (None, false);
    let mut text = Text::default();
    for (at, &byte) in json.iter().enumerate() {
        if text.takes(at, byte) || !b"{}[]".contains(&byte) {
            if cut.is_none() {
                out.push(byte);
            }
            continue;
        }
        let opens = byte == b'{' || byte == b'[';
        depth = if opens { depth + 1 } else { depth };
        if cut.is_none() || cut == Some(depth) && !opens {
            out.push(byte);
        }
        let is_schema = byte == b'{' && !BY_NAME.contains(&&json[text.last.clone()]);
        if opens && cut.is_none() && depth > if is_schema { DEEPEST } else { VERY_DEEPEST } {
            out.extend_from_slice(if is_schema { CUT } else { b"" });
            (cut, is_cut) = (Some(depth), true);
        }
        if !opens {
            cut = cut.filter(|level| *level != depth);
            depth = depth.saturating_sub(1);
        }
    }
    is_cut.then_some(out)
}

/// Follows the texts of a document.
#[derive(Default)]
struct Text {
    is_inside: bool,
    is_escaped: bool,
    begun: usize,
    /// The last one, without its quotes.
    last: std::ops::Range<usize>,
}

impl Text {
    /// Whether a byte is part of a text.
    fn takes(&mut self, at: usize, byte: u8) -> bool {
        if !self.is_inside {
            (self.is_inside, self.begun) = (byte == b'"', at + 1);
            return self.is_inside;
        }
        if !self.is_escaped && byte == b'"' {
            self.is_inside = false;
            self.last = self.begun..at;
        }
        self.is_escaped = !self.is_escaped && byte == b'\\';
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn nested(levels: usize, inside: &str) -> String {
        let open = r#"{"inputSchema":"#.repeat(levels);
        format!("{open}{inside}{}", "}".repeat(levels))
    }

    #[test]
    fn what_is_too_deep_is_empty_and_the_rest_stays() {
        let deep =
            format!(r#"{{"tools":[{},{{"name":"b\"}}{{"}}]}}"#, nested(300, r#"{"a":"}{\""}"#));
        assert!(serde_json::from_str::<Value>(&deep).is_err());
        let read: Value = serde_json::from_slice(&mended(deep.as_bytes()).unwrap()).unwrap();
        assert_eq!(read["tools"][1]["name"], "b\"}{");
    }

    #[test]
    fn a_schema_is_cut_where_a_reader_can_say_so() {
        for (open, close, is_schema) in [
            (r#"{"properties":{"a":"#, "}}", true),
            (r#"{"items":"#, "}", true),
            (r#"{"anyOf":[{},"#, "]}", true),
            (r#"{"properties":"#, "}", false),
            ("[", "]", false),
        ] {
            let schema =
                format!("{}{{\"type\":\"string\"}}{}", open.repeat(300), close.repeat(300));
            let deep = format!(r#"{{"tools":[{{"name":"\ud83d","inputSchema":{schema}}}]}}"#);
            let text = String::from_utf8(mended(deep.as_bytes()).unwrap()).unwrap();
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read["tools"][0]["name"], "\u{fffd}");
            assert_eq!(text.contains("#nested-deeper"), is_schema, "{open}");
        }
    }

    #[test]
    fn what_is_not_deep_or_no_list_stays_as_it_is() {
        assert_eq!(mended(nested(50, "1").as_bytes()), None);
        let answer = nested(300, "1").replace("inputSchema", "other");
        assert_eq!(mended(answer.as_bytes()), None);
    }
}
