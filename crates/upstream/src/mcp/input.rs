//! Answers to servers of the newest revision that answer with a question.
//!
//! Earlier revisions ask while a request is under way, and [`Handler`](super::handler) answers.
//! This one ends the request with the question, and the client repeats it with the answers and
//! with what the server wants to be reminded of. Policy is the same for both: all questions get
//! an answer, or the request has failed.

use rmcp::model::{ClientRequest, InputResponses};
use serde_json::{Value, json};

use crate::options::{Elicitation, Options, Roots};

/// How often one request is repeated for a server that has further questions.
pub(super) const ROUNDS: usize = 8;

/// Whether there is any question that gets an answer.
pub(super) fn may_answer(options: &Options) -> bool {
    options.elicitation == Elicitation::Decline || options.roots != Roots::Refuse
}

/// The request to send next: the one that got `question`, with answers to all of it. None if
/// policy leaves anything unanswered.
pub(super) fn repeated(
    request: ClientRequest,
    question: &Value,
    options: &Options,
) -> Option<ClientRequest> {
    let asked = question.get("inputRequests")?.as_object().filter(|asked| !asked.is_empty())?;
    let answers = asked
        .iter()
        .map(|(key, request)| Some((key.clone(), answer(request, options)?)))
        .collect::<Option<InputResponses>>()?;
    // Given back as it came; not given if it did not come.
    let state = question.get("requestState").and_then(Value::as_str).map(str::to_owned);
    let mut request = request;
    let (responses, reminder) = match &mut request {
        ClientRequest::CallToolRequest(request) => {
            (&mut request.params.input_responses, &mut request.params.request_state)
        }
        ClientRequest::GetPromptRequest(request) => {
            (&mut request.params.input_responses, &mut request.params.request_state)
        }
        ClientRequest::ReadResourceRequest(request) => {
            (&mut request.params.input_responses, &mut request.params.request_state)
        }
        _ => return None,
    };
    *responses = Some(answers);
    *reminder = state;
    Some(request)
}

fn answer(request: &Value, options: &Options) -> Option<Value> {
    match (request.get("method")?.as_str()?, &options.roots) {
        ("elicitation/create", _) if options.elicitation == Elicitation::Decline => {
            Some(json!({"action": "decline"}))
        }
        ("roots/list", Roots::Listed(uris)) => {
            let roots = uris.iter().map(|uri| json!({"uri": uri})).collect::<Vec<_>>();
            Some(json!({"roots": roots}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use rmcp::model::{CallToolRequestParams, Request};

    use super::*;

    #[test]
    fn all_questions_are_answered_and_the_reminder_is_given_back() {
        let question = json!({"requestState": "{\"n\": 1}", "inputRequests": {
            "a": {"method": "elicitation/create"}, "b": {"method": "roots/list"},
        }});
        assert_snapshot!(
            repeated_as(&question, &generous()),
            @r#"{"name":"t","inputResponses":{"a":{"action":"decline"},"b":{"roots":[{"uri":"file:///w"}]}},"requestState":"{\"n\": 1}"}"#
        );
    }

    #[test]
    fn no_reminder_is_made_up() {
        let question = json!({"inputRequests": {"a": {"method": "elicitation/create"}}});
        assert_snapshot!(
            repeated_as(&question, &generous()),
            @r#"{"name":"t","inputResponses":{"a":{"action":"decline"}}}"#
        );
    }

    #[test]
    fn one_question_without_an_answer_fails_the_request() {
        for asked in [
            json!({"a": {"method": "elicitation/create"}, "b": {"method": "sampling/createMessage"}}),
            json!({"a": {}}),
            json!({}),
            json!(null),
        ] {
            let question = json!({"requestState": "s", "inputRequests": asked});
            assert_eq!(repeated_as(&question, &generous()), "none", "{question}");
        }
    }

    #[test]
    fn nothing_is_answered_unless_an_operator_says_so() {
        let question = json!({"inputRequests": {"a": {"method": "elicitation/create"}}});
        assert!(!may_answer(&Options::default()));
        assert_snapshot!(repeated_as(&question, &Options::default()), @"none");
    }

    fn generous() -> Options {
        let roots = Roots::Listed(vec!["file:///w".to_owned()]);
        Options { roots, elicitation: Elicitation::Decline, ..Options::default() }
    }

    /// The parameters of the repeated call of a tool `t`.
    fn repeated_as(question: &Value, options: &Options) -> String {
        let call = ClientRequest::CallToolRequest(Request::new(CallToolRequestParams::new("t")));
        match repeated(call, question, options) {
            Some(ClientRequest::CallToolRequest(request)) => {
                serde_json::to_string(&request.params).unwrap()
            }
            _ => "none".to_owned(),
        }
    }
}
