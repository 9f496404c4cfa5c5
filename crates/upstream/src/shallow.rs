//! Lists of tools with schemas that are nested deeper than anybody reads.

/// Levels that are read of a message; the reader gives up at 128.
const DEEPEST: usize = 100;

/// A list of tools in which whatever is nested deeper than that is empty, so that one odd schema does
/// not cost all tools; nothing if the message is no such list, or has nothing that deep. What a tool
/// answers is never cut.
pub(crate) fn shallow(json: &[u8]) -> Option<Vec<u8>> {
    let is_list = json.windows(MARK.len()).any(|part| part == MARK);
    if !is_list {
        return None;
    }
    let mut out = Vec::with_capacity(json.len());
    let (mut depth, mut in_text, mut escaped, mut cut) = (0_usize, false, false, false);
    for byte in json {
        let was_deep = depth > DEEPEST;
        if in_text {
            in_text = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
        } else {
            match byte {
                b'"' => in_text = true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        // The braces around what is left out stay.
        let is_deep = was_deep && depth > DEEPEST;
        cut |= is_deep;
        if !is_deep {
            out.push(*byte);
        }
    }
    cut.then_some(out)
}

/// What every list of tools has.
const MARK: &[u8] = b"\"inputSchema\"";

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
        let read: Value = serde_json::from_slice(&shallow(deep.as_bytes()).unwrap()).unwrap();
        assert_eq!(read["tools"][1]["name"], "b\"}{");
    }

    #[test]
    fn what_is_not_deep_or_no_list_stays_as_it_is() {
        assert_eq!(shallow(nested(50, "1").as_bytes()), None);
        let answer = nested(300, "1").replace("inputSchema", "other");
        assert_eq!(shallow(answer.as_bytes()), None);
    }
}
