//! Prepared analyses: a request in, the program that carries it out in the sandbox.

use engine::{Context, Level, Outcome, ProgramError};
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

// The import chooses the image in which these libraries are there already.
const FOR_TESTS: &str = "import scipy\n";
const FOR_PREDICTIONS: &str = "import sklearn\n";

/// Whether a program is one of ours.
pub(super) fn is_one(program: &str) -> bool {
    program.ends_with(CALL)
}

/// How an analysis ends whose level does not let in the library that it needs. Nobody wrote the program
/// that imports it, so nobody could make anything of what a review says about it.
pub(super) fn denied(program: &str, level: Level) -> Option<Outcome> {
    let (kind, library) = match program.strip_suffix(CALL)? {
        FOR_TESTS => ("test", "scipy"),
        FOR_PREDICTIONS => ("predict", "scikit-learn"),
        _ => return None,
    };
    let message = format!(
        "the analysis {kind:?} needs {library}, which the level `{level}` does not let in; ask for it at another \
         level (`production` or `development`), which the operator may have to allow",
        level = level.name()
    );
    let kind = "AnalysisError".to_owned();
    Some(Outcome::failed(ProgramError { kind, message, ..ProgramError::default() }))
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
        let import = match self.analysis_type.as_str() {
            "test" => FOR_TESTS,
            "predict" => FOR_PREDICTIONS,
            _ => "",
        };
        let source = format!("{import}{CALL}");
        // Three pieces of JSON make JSON.
        let request = to_raw_value(self).unwrap_or_else(|_| RawValue::NULL.to_owned());
        (source, Context::from([(REQUEST.to_owned(), request)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_analysis_that_its_level_has_no_library_for_says_so_in_its_own_words() {
        let denied_of = |analysis_type: &str| {
            let analysis_type = analysis_type.to_owned();
            let (data, parameters) = (RawValue::NULL.to_owned(), RawValue::NULL.to_owned());
            let (program, _) = Analysis { analysis_type, data, parameters }.program();
            denied(&program, Level::Hardened).and_then(|outcome| outcome.error)
        };
        let error = denied_of("test").unwrap();
        assert_eq!(error.kind, "AnalysisError");
        assert!(error.message.contains("\"test\" needs scipy"), "{}", error.message);
        assert!(error.message.contains("another level"), "{}", error.message);
        assert_eq!((error.line, error.source_line), (None, None));
        assert!(denied_of("predict").unwrap().message.contains("scikit-learn"));
        assert_eq!(denied_of("filter"), None);
        assert!(denied("import scipy\nreturn 1", Level::Hardened).is_none());
    }
}
