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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

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
