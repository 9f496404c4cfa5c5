//! Which trace a call belongs to, in the words of W3C Trace Context.
//!
//! Whoever makes a call says so around it, [`TraceParent::around`]; whoever sends it asks
//! [`current`]. Nothing is sent where nobody said anything.

use std::fmt;

tokio::task_local! {
    static CURRENT: TraceParent;
}

/// The name of the header, and of the key in an MCP request's `_meta`.
pub(crate) const TRACEPARENT: &str = "traceparent";

/// A trace, and the span in it that what follows belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: u128,
    /// The span.
    pub span: u64,
    /// Whether whoever began the trace keeps it.
    pub is_sampled: bool,
}

impl TraceParent {
    /// Reads `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // Later versions may have more behind; the first has exactly this.
        let text = text.get(..55).filter(|_| text.len() == 55 || text.as_bytes()[55] == b'-')?;
        let is_hex =
            |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let mut parts = text.split('-').filter(|part| is_hex(part));
        let (version, trace, span, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if [version.len(), trace.len(), span.len(), flags.len()] != [2, 32, 16, 2]
            || version == "ff"
        {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|trace| *trace != 0)?;
        let span = u64::from_str_radix(span, 16).ok().filter(|span| *span != 0)?;
        let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
        Some(Self { trace, span, is_sampled })
    }

    /// Does `work`, whose calls carry this on.
    pub async fn around<W: Future>(self, work: W) -> W::Output {
        CURRENT.scope(self, work).await
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.is_sampled);
        write!(formatter, "00-{:032x}-{:016x}-{flags:02x}", self.trace, self.span)
    }
}

/// What the call that is being made belongs to.
pub(crate) fn current() -> Option<TraceParent> {
    CURRENT.try_with(|parent| *parent).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_trace_is_none() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert!(TraceParent::parse(good).is_some_and(|parent| parent.is_sampled));
        assert!(TraceParent::parse(&format!("{good}-more")).is_some());
        for bad in [
            "",
            "00",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x",
            "00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319ü-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceParent::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(trace in 1u128.., span in 1u64.., is_sampled: bool) {
            let parent = TraceParent { trace, span, is_sampled };
            prop_assert_eq!(TraceParent::parse(&parent.to_string()), Some(parent));
        }

        #[test]
        fn anything_can_be_given(text in ".{0,80}") {
            let _ = TraceParent::parse(&text);
        }
    }
}
