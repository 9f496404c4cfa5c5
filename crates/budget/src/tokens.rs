//! Counting tokens as the o200k vocabulary has them.

/// How many tokens a text is.
#[must_use]
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// Whether a text is at most so many tokens. Texts that are far too long are not counted.
pub(crate) fn fits(text: &str, most: usize) -> bool {
    // No token of ordinary text is longer than this on average.
    text.len() <= most || text.len() / 12 <= most && count(text) <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_the_vocabulary_does() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count(r#"{"id":1,"name":"a"}"#), 9);
    }

    #[test]
    fn a_text_of_few_bytes_fits() {
        assert!(fits("abc", 3));
        assert!(!fits(&"word ".repeat(100), 50));
        assert!(fits(&"word ".repeat(100), 102));
    }
}
