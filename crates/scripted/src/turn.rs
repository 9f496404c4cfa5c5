//! What a scripted model can say, well or badly.

use serde_json::Value;

/// One reply.
#[derive(Debug, Clone)]
pub enum Turn {
    /// Words, in several pieces.
    Say(String),
    /// Words, and calls of tools with their arguments.
    Call(String, Vec<(String, Value)>),
    /// A call whose arguments are no JSON.
    Garble(String),
    /// Words that end because there were too many.
    Length(String),
    /// It will not.
    Refuse(String),
    /// A status, perhaps with seconds to wait, and words.
    Status(u16, Option<u64>, String),
    /// Words, and then the connection breaks.
    Cut(String),
    /// Words, and then the reply ends as if that were all.
    Stop(String),
    /// Something that is no JSON.
    Nonsense,
    /// An error in the middle of the reply.
    Fail(String),
    /// A line without an end.
    Flood,
    /// Words, and then nothing until whoever reads goes away.
    Hold(String),
}

impl Turn {
    /// Words with a program in them.
    #[must_use]
    pub fn program(code: &str) -> Self {
        Self::Say(format!("Here is the program.\n\n```python\n{code}\n```\n"))
    }

    /// Words.
    #[must_use]
    pub fn say(words: &str) -> Self {
        Self::Say(words.to_owned())
    }

    /// One call.
    #[must_use]
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::Call(String::new(), vec![(name.to_owned(), arguments)])
    }

    /// Its words.
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::Say(words)
            | Self::Call(words, _)
            | Self::Length(words)
            | Self::Refuse(words)
            | Self::Cut(words)
            | Self::Stop(words)
            | Self::Fail(words)
            | Self::Hold(words) => words,
            Self::Garble(_) | Self::Status(..) | Self::Nonsense | Self::Flood => "",
        }
    }

    /// What it calls, with the arguments as text.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        match self {
            Self::Call(_, calls) => {
                calls.iter().map(|(name, given)| (name.clone(), given.to_string())).collect()
            }
            Self::Garble(name) => vec![(name.clone(), "{\"code\": \"retur".to_owned())],
            _ => Vec::new(),
        }
    }

    /// How it goes on after its words, if not to its own end.
    pub(crate) fn breaks(&self) -> Option<Vec<Piece>> {
        match self {
            Self::Cut(_) => Some(vec![Piece::Break]),
            Self::Stop(_) => Some(Vec::new()),
            Self::Hold(_) => Some(vec![Piece::Hold]),
            _ => None,
        }
    }
}

/// A piece of a reply, as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Bytes.
    Text(String),
    /// The connection breaks.
    Break,
    /// Nothing more comes.
    Hold,
    /// A line without an end.
    Flood,
}

/// Words in pieces that are no words: models cut anywhere.
pub(crate) fn torn(words: &str) -> Vec<String> {
    let letters: Vec<char> = words.chars().collect();
    letters.chunks(7).map(|some| some.iter().collect()).collect()
}

/// A server-sent event.
pub(crate) fn event(data: &Value) -> Piece {
    Piece::Text(format!("data: {data}\n\n"))
}
