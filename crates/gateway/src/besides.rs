//! What is said of calls that are no tool's: nobody else says anything of them, and it is believed.

use catalog::Annotations;

use crate::{Effect, mailboxes, minds, web};

/// What somebody who wants to read what a server has besides tools does: `server.$resource`.
pub(crate) static READS: Annotations = Annotations {
    title: None,
    read_only_hint: Some(true),
    destructive_hint: None,
    idempotent_hint: None,
    open_world_hint: None,
};

/// A request with a method that may change something.
static WRITES: Annotations = Annotations {
    title: None,
    read_only_hint: Some(false),
    destructive_hint: None,
    idempotent_hint: None,
    open_world_hint: None,
};

/// A message, sent or taken.
pub(crate) static POSTS: Annotations = Annotations {
    title: None,
    read_only_hint: Some(false),
    destructive_hint: Some(false),
    idempotent_hint: Some(false),
    open_world_hint: Some(false),
};

/// A question to a model.
pub(crate) static LEAVES: Annotations = Annotations {
    title: None,
    read_only_hint: Some(false),
    destructive_hint: Some(false),
    idempotent_hint: Some(true),
    open_world_hint: Some(true),
};

/// What servers have besides tools, as rules call it.
const BESIDES: [&str; 5] = ["$resource", "$resources", "$prompt", "$prompts", "$completion"];

/// What a request does: `GET host`.
pub(crate) fn of_request(tool: &str) -> &'static Annotations {
    if web::effect_of(tool) == Effect::Read { &READS } else { &WRITES }
}

/// What rules are told of a call that is no tool's; nothing, where it is one.
#[must_use]
pub fn said_of(server: &str, tool: &str) -> Option<&'static Annotations> {
    match (server, tool) {
        (_, what) if BESIDES.contains(&what) => Some(&READS),
        (web::SERVER, request) if request.contains(' ') => Some(of_request(request)),
        (minds::SERVER, minds::TOOL) => Some(&LEAVES),
        (mailboxes::SERVER, mailboxes::SENDS | mailboxes::TAKES) => Some(&POSTS),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::Behalf;
    use crate::tools::reading;

    #[test]
    fn what_is_said_beforehand_is_what_the_call_is_judged_by() {
        let (none, behalf) = (Map::new(), Behalf::default());
        let hr = catalog::ServerName("hr".to_owned());
        for what in BESIDES {
            let wish = reading(&hr, what, &none, &behalf);
            assert_eq!(said_of(wish.server, wish.tool), Some(wish.annotations), "{what}");
        }
        let model = minds::wish(&none, &behalf);
        assert_eq!(said_of(model.server, model.tool), Some(model.annotations));
        assert_eq!(said_of("http", "GET h").unwrap().read_only_hint, Some(true));
        assert_eq!(said_of("http", "POST h").unwrap().read_only_hint, Some(false));
        for tool in ["post", "receive"] {
            assert_eq!(said_of("tidegate", tool), Some(&POSTS));
        }
        assert_eq!(said_of("hr", "salaries"), None);
        assert_eq!(said_of("http", "get"), None);
    }
}
