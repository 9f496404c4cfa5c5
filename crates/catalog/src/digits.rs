//! Numbers as JSON writes them.
//!
//! JSON has integers of any size, and what reads it holds those of more than 64 bits as floating-point
//! numbers, so that an identifier of twenty digits becomes another one. What must not happen to is found
//! in the text.

/// The numbers of a JSON text, as they are written there.
pub fn numbers(json: &str) -> impl Iterator<Item = &str> {
    let bytes = json.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = end_of_text(bytes, at + 1),
                b'-' | b'0'..=b'9' => {
                    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                    let length = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                    let number = &json[at..at + length];
                    at += length;
                    return Some(number);
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Whether a number is written as an integer.
#[must_use]
pub fn is_whole(number: &str) -> bool {
    !number.contains(['.', 'e', 'E'])
}

/// Whether a number is an integer that 64 bits hold neither with a sign nor without one.
#[must_use]
pub fn is_wide(number: &str) -> bool {
    is_whole(number) && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
}

/// Where the text that goes on here is over.
fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_as_they_are_written_and_not_within_text() {
        let json = r#"{"12": ["34 \" 56", -7.50, 1e30, {"a\\": 18446744073709551616}], "b": 0}"#;
        let found: Vec<&str> = numbers(json).collect();
        assert_eq!(found, ["-7.50", "1e30", "18446744073709551616", "0"]);
        assert_eq!(numbers("\"5").count(), 0);
    }

    #[test]
    fn an_integer_is_wide_beyond_64_bits() {
        for wide in ["18446744073709551616", "-9223372036854775809"] {
            assert!(is_wide(wide), "{wide}");
        }
        for narrow in ["18446744073709551615", "-9223372036854775808", "1e30", "0.5", "-0"] {
            assert!(!is_wide(narrow), "{narrow}");
        }
    }
}
