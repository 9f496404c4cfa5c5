//! Prepared analyses: a request in, the program that carries it out in the sandbox.

use engine::Context;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The kinds there are.
pub const KINDS: [&str; 9] = [
    "filter",
    "aggregate",
    "transform",
    "validate",
    "timeseries",
    "correlate",
    "describe",
    "test",
    "predict",
];

/// What somebody wants to know of rows, wherever they are.
#[derive(Debug, Clone, Serialize)]
pub struct Analysis {
    /// One of [`KINDS`].
    pub analysis_type: String,
    /// The rows, or where they are: a file, an earlier result, a tool.
    pub data: Box<RawValue>,
    /// What is wanted.
    pub parameters: Box<RawValue>,
}

/// The variable that the request is in.
pub(super) const REQUEST: &str = "request";

/// What every program of ours ends with.
const CALL: &str = "from tidegate import analyze\nreturn await analyze(request)";

/// Whether a program is one of ours.
pub(super) fn is_one(program: &str) -> bool {
    program.ends_with(CALL)
}

/// A request as it was sent: parameters that nobody gave are not there.
pub(super) fn as_sent(request: &RawValue) -> String {
    let text = request.get();
    text.strip_suffix(",\"parameters\":{}}")
        .map_or_else(|| text.to_owned(), |rest| format!("{rest}}}"))
}

impl Analysis {
    /// The program, and the variables it starts with.
    #[must_use]
    pub fn program(&self) -> (String, Context) {
        // The import chooses the image in which these libraries are there already.
        let import = match self.analysis_type.as_str() {
            "test" => "import scipy\n",
            "predict" => "import sklearn\n",
            _ => "",
        };
        let source = format!("{import}{CALL}");
        // Three pieces of JSON make JSON.
        let request = to_raw_value(self).unwrap_or_else(|_| RawValue::NULL.to_owned());
        (source, Context::from([(REQUEST.to_owned(), request)]))
    }
}
