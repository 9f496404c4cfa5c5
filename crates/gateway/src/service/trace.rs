//! A run as a trace: one span for it, and one for each of its calls.

use upstream::TraceParent;
use uuid::Uuid;

use super::record::Record;

/// Takes the spans of runs, for whoever collects them. Called when a run is over.
pub trait Spans: Send + Sync {
    /// A run is over.
    fn ended(&self, record: &Record, trace: &Trace);
}

/// Where a run belongs.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The run's own span.
    pub run: TraceParent,
    /// The span of whoever asked for the run.
    pub caller: Option<TraceParent>,
}

impl Trace {
    /// A span for a run that `caller` asked for, or one that begins a trace.
    pub(super) fn new(caller: Option<TraceParent>) -> Self {
        let known = caller.as_ref();
        let trace = known.map_or_else(|| Uuid::new_v4().as_u128(), |caller| caller.trace);
        // The lower half of such a number is chance but for two bits, which are never both zero.
        let span = Uuid::new_v4().as_u64_pair().1;
        let is_sampled = known.is_none_or(|caller| caller.is_sampled);
        let state = known.and_then(|caller| caller.state.clone());
        Self { run: TraceParent { trace, span, is_sampled, state }, caller }
    }

    /// The span of one call, by its number. It is known before the call ends, because the server
    /// is told.
    #[must_use]
    pub fn call(&self, number: u64) -> TraceParent {
        // Steps of an odd number come round only after all others were there.
        let step = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number.wrapping_add(1));
        let span = self.run.span.wrapping_add(step);
        let span = if span == 0 { self.run.span ^ 1 } else { span };
        TraceParent { span, ..self.run.clone() }
    }
}

/// How the trace of a run is written down with it. One whose words make no sense is none.
pub(super) mod kept {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use upstream::TraceParent;

    use super::Trace;

    /// In the words of its headers.
    #[derive(Serialize, Deserialize)]
    struct Kept {
        run: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<String>,
        /// The same for both.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<String>,
    }

    #[expect(clippy::ref_option, reason = "serde gives it so")]
    pub(crate) fn serialize<S: Serializer>(
        trace: &Option<Trace>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let kept = trace.as_ref().map(|trace| Kept {
            run: trace.run.to_string(),
            caller: trace.caller.as_ref().map(TraceParent::to_string),
            state: trace.run.state.as_ref().map(|state| state.as_str().to_owned()),
        });
        kept.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Trace>, D::Error> {
        let kept = Option::<Kept>::deserialize(deserializer)?;
        Ok(kept.and_then(|kept| {
            let read = |text: &str| {
                TraceParent::parse(text).map(|parent| parent.with_state(kept.state.as_deref()))
            };
            Some(Trace { run: read(&kept.run)?, caller: kept.caller.as_deref().and_then(read) })
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Line {
        #[serde(default, skip_serializing_if = "Option::is_none", with = "kept")]
        trace: Option<Trace>,
    }

    #[test]
    fn a_trace_is_read_as_it_was_written_and_one_that_makes_no_sense_is_none() {
        let caller = TraceParent { trace: 7, span: 8, is_sampled: true, state: None };
        for caller in [None, Some(caller.clone()), Some(caller.with_state(Some("vendor=1")))] {
            let trace = Trace::new(caller);
            let text = serde_json::to_string(&Line { trace: Some(trace.clone()) }).unwrap();
            let read: Line = serde_json::from_str(&text).unwrap();
            let read = read.trace.unwrap();
            assert_eq!((read.run, read.caller), (trace.run, trace.caller), "{text}");
        }
        // Of a time before it was written, and of nobody.
        for other in [json!({}), json!({ "trace": null }), json!({ "trace": { "run": "00-1-2" } })]
        {
            assert!(serde_json::from_value::<Line>(other).unwrap().trace.is_none());
        }
        assert_eq!(serde_json::to_string(&Line { trace: None }).unwrap(), "{}");
    }

    #[test]
    fn calls_are_spans_of_their_own_in_the_callers_trace() {
        let caller = TraceParent { trace: 7, span: 8, is_sampled: false, state: None };
        let caller = caller.with_state(Some("vendor=1"));
        let trace = Trace::new(Some(caller));
        let spans: HashSet<u64> = (0..1_000).map(|call| trace.call(call).span).collect();
        assert_eq!(spans.len(), 1_000);
        assert!(!spans.contains(&trace.run.span));
        assert!(!trace.call(3).is_sampled);
        assert_eq!(trace.call(3).trace, 7);
        assert_eq!(trace.call(3).state.unwrap().as_str(), "vendor=1");
        assert_ne!(Trace::new(None).run.trace, Trace::new(None).run.trace);
    }
}
