//! What a request to run a program may say.

use std::time::Duration;

use budget::LEAST_TOKENS;
use engine::{Language, is_variable_of, other_name};

use super::execute::Request;
use super::{Refusal, Service};

/// The shortest and the longest time that can be asked for.
const TIMEOUTS: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_secs(24 * 3600);

/// The most tokens of an answer that can be asked for.
const MOST_TOKENS: u64 = 1_000_000_000;

impl Service {
    /// Refuses a request that nobody could carry out as it is.
    pub(super) fn validate(&self, request: &Request, language: Language) -> Result<(), Refusal> {
        let invalid = |field, problem: String| Err(Refusal::Invalid { field, problem });
        if request.code.trim().is_empty() {
            return invalid("code", format!("is empty; it must be a {} program", language.title()));
        }
        let unfit = |field, problem: String| Err(Refusal::Unfit { field, problem });
        let (bytes, most) = (request.code.len(), self.settings.source_bytes);
        if bytes > most {
            return unfit(
                "code",
                format!(
                    "has {bytes} bytes, more than {most} (setting `source-bytes`); pass data as `context`"
                ),
            );
        }
        if let Some(key) = request.context.keys().find(|key| !is_variable_of(language, key)) {
            return unfit(
                "context",
                format!(
                    "has the key {key:?}, which cannot be a variable; {}",
                    other_name(language, key)
                ),
            );
        }
        if let (Some(session), Some(_)) = (&request.session, &request.workspace_of) {
            return unfit(
                "workspace_of",
                format!(
                    "is for a fresh session, and `session` says {session}; leave one of them out"
                ),
            );
        }
        match request.output_tokens {
            Some(most) if most < LEAST_TOKENS as u64 => {
                return invalid(
                    "max_output_tokens",
                    format!(
                        "is {most}; at least {LEAST_TOKENS} are needed to say what was left out"
                    ),
                );
            }
            Some(most) if most > MOST_TOKENS => {
                return invalid("max_output_tokens", format!("is {most}; at most {MOST_TOKENS}"));
            }
            _ => {}
        }
        match request.timeout.filter(|timeout| !TIMEOUTS.contains(timeout)) {
            None => Ok(()),
            Some(_) => invalid("timeout", "must be from 1 second to 24 hours (86400)".to_owned()),
        }
    }
}
