//! Server-sent events, read as a client would.

use serde_json::Value;

pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Event {
    /// Its number within the run.
    pub(crate) fn number(&self) -> usize {
        self.id.split('.').next().unwrap().parse().unwrap()
    }
}

pub(crate) fn events(stream: &str) -> Vec<Event> {
    let blocks = stream.split("\n\n").filter(|block| block.contains("data: "));
    let event = |block: &str| {
        let field = |name: &str| {
            let mut lines = block.lines();
            lines.find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned()
        };
        Event {
            name: field("event: "),
            id: field("id: "),
            data: serde_json::from_str(&field("data: ")).unwrap(),
        }
    };
    blocks.map(event).collect()
}
