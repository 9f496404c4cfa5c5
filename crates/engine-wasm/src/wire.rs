//! The messages between a guest and its host, as bytes.
//!
//! Everything a guest sends is input from an attacker: sizes are checked before
//! anything is copied or parsed, and what does not parse ends the run. The other
//! side of this protocol is `guest/runtime.py`, or `guest-js/runtime.js`.

use engine::{
    Artifact, CallId, CallResult, Context, Digest, HostCall, LimitKind, Limits, Program,
    ProgramError,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::language::Language;
use crate::script;
use crate::watch::Stop;

/// Room for pictures and the description of an error besides the value itself.
const DONE_EXTRA: u64 = 32 << 20;

/// Room for names and punctuation around one call's arguments.
const CALL_EXTRA: u64 = 4 << 10;

/// Room for the addresses of a few million objects.
const IMMORTAL_BYTES: u64 = 64 << 20;

/// What a guest can say.
#[derive(Debug)]
pub(crate) enum Message {
    /// Asks for a program or results.
    Next,
    /// Makes one call, hoping for an answer at once.
    Call(HostCall),
    /// Has nothing to run.
    Wait(Wait),
    /// The same, but cannot rest here.
    Hold(Wait),
    /// The program ended.
    Done(Box<Done>),
    /// An image build names the objects that are to live forever: the reference count
    /// to give them, and their addresses, four bytes each.
    Immortal { count: u32, addresses: Vec<u8> },
}

/// What a guest waits for.
#[derive(Debug, Deserialize)]
pub(crate) struct Wait {
    /// Calls made since it last said.
    pub(crate) calls: Vec<HostCall>,
    /// Calls it no longer wants answered.
    pub(crate) dropped: Vec<CallId>,
    /// Seconds until a timer is due.
    pub(crate) wake: Option<f64>,
}

/// How a program ended.
#[derive(Debug, Deserialize)]
pub(crate) struct Done {
    pub(crate) value: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) too_large: bool,
    pub(crate) error: Option<ProgramError>,
    #[serde(default)]
    pub(crate) artifacts: Vec<Artifact>,
    #[serde(default)]
    pub(crate) lost_pictures: u64,
    /// Words about a path of the user's own that the program looked for, in ways that raise nothing.
    #[serde(default)]
    pub(crate) unseen: Option<String>,
}

/// The most bytes a message starting with `letter` may have.
pub(crate) fn allowed(letter: u8, limits: &Limits) -> u64 {
    let one_call = limits.call_arguments_bytes.saturating_add(CALL_EXTRA);
    match letter {
        b'c' => one_call.max(limits.value_bytes.saturating_add(CALL_EXTRA)),
        b'w' | b'h' => one_call.saturating_mul(limits.calls_in_flight.saturating_add(1)),
        b'd' => limits.value_bytes.saturating_add(DONE_EXTRA),
        b'i' => IMMORTAL_BYTES,
        _ => 1,
    }
}

/// Reads one message. Its length has been checked against [`allowed`].
pub(crate) fn decode(message: &[u8], limits: &Limits) -> Result<Message, Stop> {
    let (letter, body) = message.split_first().ok_or(Stop::Protocol("an empty message"))?;
    match letter {
        b'n' => Ok(Message::Next),
        b'c' => call(body, limits).map(Message::Call),
        b'w' => wait(body, limits).map(Message::Wait),
        b'h' => wait(body, limits).map(Message::Hold),
        b'd' => done(body).map(|done| Message::Done(Box::new(done))),
        b'i' => match body.split_first_chunk::<4>() {
            Some((count, addresses)) => Ok(Message::Immortal {
                count: u32::from_le_bytes(*count),
                addresses: addresses.to_vec(),
            }),
            None => Err(Stop::Protocol("a malformed list of objects")),
        },
        _ => Err(Stop::Protocol("a message of no known kind")),
    }
}

/// `ID "NAME"\nARGUMENTS`: a call without an envelope, because it is the hot one.
fn call(body: &[u8], limits: &Limits) -> Result<HostCall, Stop> {
    let malformed = Stop::Protocol("a malformed call");
    let text = std::str::from_utf8(body).map_err(|_| malformed.clone())?;
    let (head, arguments) = text.split_once('\n').ok_or(malformed.clone())?;
    let (id, name) = head.split_once(' ').ok_or(malformed.clone())?;
    // A value that is to be summarized may be as long as one that is returned.
    if name != r#""$summarize""# || arguments.len() as u64 > limits.value_bytes + CALL_EXTRA {
        check_arguments(arguments.len(), limits)?;
    }
    Ok(HostCall {
        id: CallId(id.parse().map_err(|_| malformed.clone())?),
        name: serde_json::from_str(name).map_err(|_| malformed.clone())?,
        arguments: serde_json::from_str(arguments).map_err(|_| malformed)?,
    })
}

fn wait(body: &[u8], limits: &Limits) -> Result<Wait, Stop> {
    let wait: Wait =
        serde_json::from_slice(body).map_err(|_| Stop::Protocol("a malformed wait"))?;
    for call in &wait.calls {
        check_arguments(call.arguments.get().len(), limits)?;
    }
    Ok(wait)
}

fn done(body: &[u8]) -> Result<Done, Stop> {
    let mut done: Done =
        serde_json::from_slice(body).map_err(|_| Stop::Protocol("a malformed end"))?;
    if let Some(error) = &mut done.error {
        // Only the host may say that a limit was met.
        error.limit = None;
    }
    Ok(done)
}

fn check_arguments(bytes: usize, limits: &Limits) -> Result<(), Stop> {
    if bytes as u64 > limits.call_arguments_bytes {
        return Err(Stop::limit(
            LimitKind::CallArguments,
            format!("{} bytes", limits.call_arguments_bytes),
        ));
    }
    Ok(())
}

/// The answer to [`Message::Next`] that starts a program; without one it only tells the
/// guest what holds for the next.
pub(crate) fn run(
    language: Language,
    program: Option<&Program>,
    limits: &Limits,
    seed: Option<u64>,
    (servers, skills): (Option<&Digest>, Option<&Digest>),
) -> serde_json::Result<Vec<u8>> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Source<'a> {
        Text(&'a str),
        Prepared(script::Source<'a>),
    }
    #[derive(Serialize)]
    struct Run<'a> {
        source: Option<Source<'a>>,
        context: Option<&'a Context>,
        seed: Option<u64>,
        recursion: u64,
        imports: Option<&'a Vec<String>>,
        value_bytes: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        servers: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        skills: Option<String>,
    }
    #[derive(Serialize)]
    struct Envelope<'a> {
        run: Run<'a>,
    }
    serde_json::to_vec(&Envelope {
        run: Run {
            source: program.map(|program| match language {
                Language::Python => Source::Text(&program.source),
                Language::TypeScript => Source::Prepared(script::prepared(&program.source)),
            }),
            context: program.map(|program| &program.context),
            seed,
            recursion: limits.recursion,
            imports: limits.imports.as_ref(),
            value_bytes: limits.value_bytes,
            servers: servers.map(Digest::to_string),
            skills: skills.map(Digest::to_string),
        },
    })
}

/// The same for a guest that has been told everything but the source.
pub(crate) fn run_again(language: Language, program: &Program) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(program.source.len() + 1);
    bytes.push(b'x');
    match language {
        Language::Python => bytes.extend_from_slice(program.source.as_bytes()),
        Language::TypeScript => {
            serde_json::to_writer(&mut bytes, &script::prepared(&program.source))?;
        }
    }
    Ok(bytes)
}

/// The answer to [`Message::Next`] that continues a program.
pub(crate) fn resume(results: &[CallResult]) -> Vec<u8> {
    let mut bytes = b"{\"results\":".to_vec();
    bytes.extend_from_slice(&answers(results));
    bytes.push(b'}');
    bytes
}

/// The answer to [`Message::Wait`]: `[[id, worked, value], …]`.
pub(crate) fn answers(results: &[CallResult]) -> Vec<u8> {
    let mut bytes = vec![b'['];
    for (index, result) in results.iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(format!("[{},", result.id.0).as_bytes());
        verdict(result, &mut bytes);
        bytes.push(b']');
    }
    bytes.push(b']');
    bytes
}

/// The answer to [`Message::Call`]: `[worked, value]`.
pub(crate) fn answer(result: &CallResult) -> Vec<u8> {
    let mut bytes = vec![b'['];
    verdict(result, &mut bytes);
    bytes.push(b']');
    bytes
}

fn verdict(result: &CallResult, bytes: &mut Vec<u8>) {
    match &result.result {
        Ok(value) => {
            bytes.extend_from_slice(b"1,");
            bytes.extend_from_slice(value.get().as_bytes());
        }
        Err(error) => {
            bytes.extend_from_slice(b"0,");
            // A `CallError` is two strings; writing it to memory cannot fail.
            let _ = serde_json::to_writer(bytes, error);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_over_the_limit_name_it() {
        let limits = Limits { call_arguments_bytes: 4, ..Limits::default() };
        let error = decode(b"c1 \"t\"\n{\"a\":1}", &limits).unwrap_err();
        assert!(matches!(error, Stop::Limit { kind: LimitKind::CallArguments, .. }), "{error}");
    }

    #[test]
    fn a_guest_cannot_claim_that_a_limit_was_met() {
        let message = br#"d{"error":{"type":"X","message":"","limit":"wall"}}"#;
        let Message::Done(done) = decode(message, &Limits::default()).unwrap() else {
            panic!("not an end")
        };
        assert_eq!(done.error.unwrap().limit, None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&bytes, &Limits::default());
        }

        #[test]
        fn no_text_makes_the_decoder_panic(letter in "[ncwhd]", body in "[\\[\\]{}\",:0-9a-z \n]{0,80}") {
            let _ = decode(format!("{letter}{body}").as_bytes(), &Limits::default());
        }
    }
}
