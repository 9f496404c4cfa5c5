//! Limits that a request asks for. None of them loosens what the session has.

use std::time::Duration;

use engine::Limits;
use http::HeaderMap;
use serde_json::Number;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::given::{Fields, whole};
use super::problem::Problem;

/// The least memory in which a program can do anything at all.
const LEAST_MEMORY: u64 = 1 << 20;
/// The least and the most seconds that can be asked for.
const SECONDS: std::ops::RangeInclusive<f64> = 0.001..=86_400.0;

/// Limits that are tighter than the session's; what would loosen one changes nothing.
#[derive(Debug, Default, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TighterLimits)]
pub(crate) struct LimitsGiven {
    /// Seconds of a run, not counting rest.
    #[schema(minimum = 0.001, maximum = 86400)]
    wall: Option<f64>,
    /// Seconds of CPU time of a run.
    #[schema(minimum = 0.001, maximum = 86400)]
    cpu_time: Option<f64>,
    /// Bytes of memory beyond the base image.
    #[schema(minimum = 1_048_576)]
    memory_bytes: Option<u64>,
    /// Bytes of each output stream.
    #[schema(minimum = 1)]
    output_bytes: Option<u64>,
    /// Bytes of the value a program returns.
    #[schema(minimum = 1)]
    value_bytes: Option<u64>,
    /// Calls of servers in one run.
    #[schema(minimum = 0)]
    calls: Option<u64>,
    /// Tokens of models that the program asks.
    #[schema(minimum = 0)]
    model_tokens: Option<u64>,
    /// Bytes of all files.
    #[schema(minimum = 1)]
    workspace_bytes: Option<u64>,
    /// Bytes of one file.
    #[schema(minimum = 1)]
    file_bytes: Option<u64>,
}

impl LimitsGiven {
    /// Reads them as they stand under `limits`.
    pub(super) fn read(raw: &RawValue) -> Result<Self, Problem> {
        let mut fields = Fields::read(&HeaderMap::new(), raw.get().as_bytes())
            .map_err(|_| Problem::invalid("`limits` must be an object of limits by name"))?;
        let given = Self {
            wall: seconds(&mut fields, "wall")?,
            cpu_time: seconds(&mut fields, "cpu_time")?,
            memory_bytes: number(&mut fields, "memory_bytes", LEAST_MEMORY)?,
            output_bytes: number(&mut fields, "output_bytes", 1)?,
            value_bytes: number(&mut fields, "value_bytes", 1)?,
            calls: number(&mut fields, "calls", 0)?,
            model_tokens: number(&mut fields, "model_tokens", 0)?,
            workspace_bytes: number(&mut fields, "workspace_bytes", 1)?,
            file_bytes: number(&mut fields, "file_bytes", 1)?,
        };
        fields.end()?;
        Ok(given)
    }

    /// As the gateway takes them: whatever is not said is no limit.
    pub(super) fn limits(&self) -> Limits {
        let time = |seconds: Option<f64>| seconds.map_or(Duration::MAX, Duration::from_secs_f64);
        let most = |number: Option<u64>| number.unwrap_or(u64::MAX);
        Limits {
            wall: time(self.wall),
            cpu_time: time(self.cpu_time),
            rest: Duration::MAX,
            cpu_share: f64::INFINITY,
            memory_bytes: most(self.memory_bytes),
            output_bytes: most(self.output_bytes),
            value_bytes: most(self.value_bytes),
            calls: most(self.calls),
            calls_in_flight: u64::MAX,
            call_arguments_bytes: u64::MAX,
            call_result_bytes: u64::MAX,
            workspace_writable: true,
            workspace_bytes: most(self.workspace_bytes),
            file_bytes: most(self.file_bytes),
            files: u64::MAX,
            open_files: u64::MAX,
            model_tokens: most(self.model_tokens),
            recursion: u64::MAX,
            imports: None,
        }
    }
}

fn seconds(fields: &mut Fields, field: &'static str) -> Result<Option<f64>, Problem> {
    let given = fields.take::<f64>(field)?;
    match given.filter(|seconds| !SECONDS.contains(seconds)) {
        None => Ok(given),
        Some(seconds) => {
            let message = format!(
                "`limits`: `{field}` is {seconds}; it must be seconds, from 0.001 to 86400"
            );
            Err(Problem::invalid(message))
        }
    }
}

fn number(fields: &mut Fields, field: &'static str, least: u64) -> Result<Option<u64>, Problem> {
    let Some(given) = fields.take::<Number>(field)? else { return Ok(None) };
    let Some(number) = whole(&given).filter(|number| *number >= least) else {
        let message =
            format!("`limits`: `{field}` is {given}; it must be a whole number from {least} on");
        return Err(Problem::invalid(message));
    };
    Ok(Some(number))
}

#[cfg(test)]
mod tests {
    use engine::Level;

    use super::*;

    fn read(text: &str) -> Result<LimitsGiven, String> {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        LimitsGiven::read(&raw).map_err(|problem| format!("{problem:?}"))
    }

    #[test]
    fn what_is_asked_for_tightens_and_never_loosens() {
        let own = Limits::of(Level::Production);
        let nothing = own.tightened_by(&read("{}").unwrap().limits());
        assert_eq!(nothing, own);
        let less =
            read(r#"{"calls": 0, "wall": 0.5, "memory_bytes": 2097152.0, "file_bytes": null}"#);
        let less = own.tightened_by(&less.unwrap().limits());
        assert_eq!((less.calls, less.memory_bytes), (0, 2 << 20));
        assert_eq!((less.wall, less.file_bytes), (Duration::from_millis(500), own.file_bytes));
        let more = read(r#"{"calls": 1000000, "wall": 86400, "memory_bytes": 1000000000000}"#);
        assert_eq!(own.tightened_by(&more.unwrap().limits()), own);
    }

    #[test]
    fn a_limit_that_cannot_be_is_named() {
        for (given, words) in [
            (r#"{"callz": 5}"#, "there is no field `callz`"),
            (r#"{"calls": -1}"#, "`calls` is -1"),
            (r#"{"calls": 1.5}"#, "`calls` is 1.5"),
            (r#"{"calls": "5"}"#, "`calls`"),
            (r#"{"memory_bytes": 5}"#, "from 1048576 on"),
            (r#"{"wall": 0}"#, "`wall` is 0"),
            ("[1]", "`limits` must be an object"),
        ] {
            let told = read(given).unwrap_err();
            assert!(told.contains(words), "{given}: {told}");
        }
    }
}
