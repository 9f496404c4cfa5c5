//! Which tools a run waited for when its time was over: whose fault it was, as far as that is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use engine::{LimitKind, Outcome};

use crate::hearing::CallNote;

/// Tools that are named.
const MOST: usize = 3;

/// Says of a run whose time was over which tools had not answered by then.
pub(super) fn name(outcome: &mut Outcome, calls: &[CallNote]) {
    let is_late = |limit| matches!(limit, Some(LimitKind::Wall | LimitKind::Rest));
    let Some(error) = outcome.error.as_mut().filter(|error| is_late(error.limit)) else { return };
    let mut waits: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.ok.is_none() && !call.unmade) {
        let since = call.started_at.elapsed().unwrap_or_default().as_secs_f64();
        let (count, longest) = waits.entry(call.name()).or_default();
        *count += 1;
        *longest = longest.max(since);
    }
    if waits.is_empty() {
        return;
    }
    let told: Vec<String> = waits
        .iter()
        .take(MOST)
        .map(|(tool, (count, longest))| match count {
            1 => format!("{tool} had not answered after {longest:.1} s"),
            _ => format!("{count} calls of {tool} had not answered after {longest:.1} s"),
        })
        .collect();
    let more = match waits.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    // Writing to a string does not fail.
    let _ = write!(error.message, "; {}{more}", told.join(", "));
}

#[cfg(test)]
mod tests {
    use engine::{CallId, HostCall, ProgramError};
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    fn call(tool: &str, ok: Option<bool>) -> CallNote {
        let arguments = to_raw_value(&json!({ "server": "data", "tool": tool, "arguments": {} }));
        let arguments = arguments.unwrap();
        let call = HostCall { id: CallId(1), name: "$call".to_owned(), arguments };
        CallNote { ok, ..CallNote::leaving(&call) }
    }

    #[test]
    fn a_run_whose_time_was_over_names_the_tools_that_did_not_answer() {
        let calls = [call("slow", None), call("slow", None), call("quick", Some(true))];
        let stopped = |limit| {
            let message = "its time was over".to_owned();
            let mut outcome =
                Outcome::failed(ProgramError { message, limit, ..ProgramError::default() });
            name(&mut outcome, &calls);
            outcome.error.unwrap().message
        };
        let told = stopped(Some(LimitKind::Wall));
        assert!(told.starts_with("its time was over; 2 calls of data.slow had not"), "{told}");
        assert!(!told.contains("quick"), "{told}");
        assert_eq!(stopped(Some(LimitKind::Memory)), "its time was over");
        assert_eq!(stopped(None), "its time was over");
    }
}
