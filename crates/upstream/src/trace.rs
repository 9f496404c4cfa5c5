//! Which trace a call belongs to, in the words of W3C Trace Context.
//!
//! Whoever makes a call says so around it, [`TraceParent::around`]; whoever sends it asks
//! [`current`]. Nothing is sent where nobody said anything.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

tokio::task_local! {
    static CURRENT: TraceParent;
}

/// The name of the header, and of the key in an MCP request's `_meta`.
pub(crate) const TRACEPARENT: &str = "traceparent";
/// The same for what goes along with it.
pub(crate) const TRACESTATE: &str = "tracestate";

/// The most bytes of what goes along,
const STATE_BYTES: usize = 512;
/// the most members of it,
const MEMBERS: usize = 32;
/// the most letters of a key or a value,
const LETTERS: usize = 256;
/// and how long a member is that goes first where there is too much.
const LONG: usize = 128;

/// A trace, and the span in it that what follows belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: u128,
    /// The span.
    pub span: u64,
    /// Whether whoever began the trace keeps it.
    pub is_sampled: bool,
    /// What those who trace keep of it, and everybody carries along.
    pub state: Option<TraceState>,
}

/// What goes along with a trace: a list of `key=value`, each of another tracing system. To us it is text
/// that came from outside, so none exists that is not as the standard has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceState(Arc<str>);

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
        Some(Self { trace, span, is_sampled, state: None })
    }

    /// The same trace with what goes along with it; one that makes no sense does not.
    #[must_use]
    pub fn with_state(self, text: Option<&str>) -> Self {
        Self { state: text.and_then(TraceState::parse), ..self }
    }

    /// A request that says so in its headers.
    pub(crate) fn on(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let request = request.header(TRACEPARENT, self.to_string());
        match &self.state {
            Some(state) => request.header(TRACESTATE, state.as_str()),
            None => request,
        }
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

impl TraceState {
    /// Reads `vendor=value,other@system=value`. Of what is too long, long members go first, then the last.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let members = text.split(',').map(|member| member.trim_matches([' ', '\t']));
        let mut members: Vec<&str> = members.filter(|member| !member.is_empty()).collect();
        let mut keys = BTreeSet::new();
        for member in &members {
            let (key, value) = member.split_once('=')?;
            if !is_key(key) || !is_value(value) || !keys.insert(key) {
                return None;
            }
        }
        if members.is_empty() || members.len() > MEMBERS {
            return None;
        }
        while length(&members) > STATE_BYTES {
            let long = members.iter().rposition(|member| member.len() > LONG);
            members.remove(long.unwrap_or(members.len() - 1));
        }
        (!members.is_empty()).then(|| Self(members.join(",").into()))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How long members are with commas between them.
fn length(members: &[&str]) -> usize {
    members.iter().map(|member| member.len() + 1).sum::<usize>().saturating_sub(1)
}

fn is_key(key: &str) -> bool {
    let begins = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    key.len() <= LETTERS
        && key.starts_with(begins)
        && key.chars().all(|c| begins(c) || "_-*/@".contains(c))
}

fn is_value(value: &str) -> bool {
    // Blanks around members are gone, and a comma would have ended it.
    !value.is_empty()
        && value.len() <= LETTERS
        && value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'=')
}

/// What the call that is being made belongs to.
pub(crate) fn current() -> Option<TraceParent> {
    CURRENT.try_with(Clone::clone).ok()
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

    fn state(text: &str) -> Option<String> {
        TraceState::parse(text).map(|state| state.as_str().to_owned())
    }

    #[test]
    fn what_goes_along_is_as_the_standard_has_it_or_does_not() {
        let good = "congo=t61rcWkgMzE,rojo@v-1=00f0 67";
        assert_eq!(state(good).as_deref(), Some(good));
        assert_eq!(state(" a=1 ,, b=2\t").as_deref(), Some("a=1,b=2"));
        let many = |count: usize| (0..count).map(|at| format!("k{at}=v")).collect::<Vec<_>>();
        assert_eq!(state(&many(32).join(",")), Some(many(32).join(",")));
        let (long, line) = ("x".repeat(257), "a=b\r\nx: y");
        for bad in [
            "",
            ",",
            "a",
            "a=",
            "=1",
            "A=1",
            "_a=1",
            "a=1,a=2",
            "a=b=c",
            "a=é",
            line,
            &format!("a={long}"),
            &format!("{long}=1"),
            &many(33).join(","),
        ] {
            assert_eq!(state(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn of_too_much_long_members_go_first_and_then_the_last() {
        let member = |key: &str, letters: usize| format!("{key}={}", "v".repeat(letters));
        let all = [member("a", 100), member("b", 200), member("c", 100), member("d", 120)];
        let kept = [&all[0], &all[2], &all[3]].map(String::as_str).join(",");
        assert_eq!(state(&all.join(",")), Some(kept));
        let short: Vec<String> = (0..8).map(|at| member(&format!("k{at}"), 97)).collect();
        assert_eq!(state(&short.join(",")), Some(short[..5].join(",")));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(trace in 1u128.., span in 1u64.., is_sampled: bool) {
            let parent = TraceParent { trace, span, is_sampled, state: None };
            prop_assert_eq!(TraceParent::parse(&parent.to_string()), Some(parent));
        }

        #[test]
        fn anything_can_be_given(text in ".{0,80}") {
            let _ = TraceParent::parse(&text);
            if let Some(state) = TraceState::parse(&text) {
                prop_assert_eq!(TraceState::parse(state.as_str()), Some(state));
            }
        }
    }
}
