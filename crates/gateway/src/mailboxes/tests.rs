//! Messages between programs of one owner.

use std::collections::BTreeMap;

use engine::CallId;
use policy::Policy;
use serde_json::json;
use serde_json::value::to_raw_value;
use upstream::{Options, Upstreams};

use super::*;
use crate::judge::LEVELS;
use crate::{Memory, Offer, Tools};

fn tools() -> Arc<Tools> {
    Tools::new(Upstreams::new(Vec::new(), Options::default()), BTreeMap::new(), Memory::none())
}

fn of(owner: &str, session: &str) -> Behalf {
    Behalf { owner: owner.into(), session: session.into(), ..Behalf::default() }
}

async fn carry(
    offer: &Offer,
    behalf: &Behalf,
    name: &str,
    arguments: Value,
) -> Result<Value, CallError> {
    let arguments = to_raw_value(&arguments).unwrap();
    let call = HostCall { id: CallId(1), name: name.to_owned(), arguments };
    let answer = offer.carry_out(&call, behalf).await.result?;
    Ok(serde_json::from_str(answer.get()).unwrap())
}

async fn post(offer: &Offer, behalf: &Behalf, message: Value) -> Result<Value, CallError> {
    carry(offer, behalf, POST, json!({ "box": "work", "message": message })).await
}

async fn receive(offer: &Offer, behalf: &Behalf, timeout: f64) -> Result<Value, CallError> {
    let received =
        carry(offer, behalf, RECEIVE, json!({ "box": "work", "timeout": timeout })).await;
    received.map(|mut value| value["v"].take())
}

#[tokio::test]
async fn whoever_waits_gets_a_message_when_it_comes_and_nobody_elses() {
    let tools = tools();
    let offer = tools.offer("").await;
    let (ann, other, bob) = (of("ann", "s_1"), of("ann", "s_2"), of("bob", "s_3"));
    let waits = receive(&offer, &ann, 60.0);
    let posts = async {
        post(&offer, &bob, json!("bob's")).await.unwrap();
        post(&offer, &other, json!({ "n": [1, null] })).await.unwrap();
    };
    let (received, ()) = tokio::join!(waits, posts);
    assert_eq!(received.unwrap(), json!({ "n": [1, null] }));
    let late = receive(&offer, &ann, 0.0).await.unwrap_err();
    assert_eq!(late.kind, LATE);
    assert_eq!(receive(&offer, &bob, 0.0).await.unwrap(), "bob's");
    assert!(tools.mailboxes().waiting().is_empty(), "nobody waits any more");
}

#[tokio::test]
async fn several_who_wait_get_one_each() {
    let tools = tools();
    let offer = tools.offer("").await;
    let ann = of("ann", "s_1");
    let (first, second, third) =
        (receive(&offer, &ann, 60.0), receive(&offer, &ann, 60.0), receive(&offer, &ann, 60.0));
    let posts = async {
        for number in 1..=3 {
            post(&offer, &ann, json!(number)).await.unwrap();
        }
    };
    let (first, second, third, ()) = tokio::join!(first, second, third, posts);
    let mut all = [first, second, third].map(|one| one.unwrap().as_u64().unwrap());
    all.sort_unstable();
    assert_eq!(all, [1, 2, 3]);
}

#[tokio::test]
async fn what_a_sender_has_read_goes_with_the_message() {
    let tools = tools();
    let settings = json!({ "flow": [{ "from": "hr.*", "to": "slack.*", "action": "deny" }] });
    let settings = serde_json::from_value(settings).unwrap();
    tools.judge().follow(Policy::new(settings, &LEVELS).unwrap());
    let offer = tools.offer("").await;
    let (reads, sends) = (of("ann", "s_1"), of("ann", "s_2"));
    post(&offer, &sends, json!("clean")).await.unwrap();
    tools.judge().has_read(&reads, "hr.salaries").await.unwrap();
    post(&offer, &reads, json!("from hr")).await.unwrap();
    let carried = async || tools.judge().carried("s_2").await.unwrap();
    assert_eq!(receive(&offer, &sends, 0.0).await.unwrap(), "clean");
    assert!(carried().await.is_empty());
    assert_eq!(receive(&offer, &sends, 0.0).await.unwrap(), "from hr");
    assert!(carried().await.contains("hr.salaries"));
}

#[tokio::test]
async fn there_is_only_so_much_room_and_the_error_names_the_setting() {
    let tools = tools();
    let bounds = MailboxBounds { boxes: 1, messages: 1, bytes: 100 };
    tools.mailboxes().are_kept_in(Arc::new(InMemory::default()), bounds);
    let offer = tools.offer("").await;
    let ann = of("ann", "s_1");
    post(&offer, &ann, json!(1)).await.unwrap();
    let full = post(&offer, &ann, json!(2)).await.unwrap_err();
    assert_eq!(full.kind, FULL);
    assert!(full.message.contains("`max-messages`"), "{full:?}");
    let other = carry(&offer, &ann, POST, json!({ "box": "other", "message": 1 })).await;
    assert!(other.unwrap_err().message.contains("`max-mailboxes`"));
    let wide = MailboxBounds { boxes: 9, messages: 9, bytes: 10 };
    tools.mailboxes().are_kept_in(Arc::new(InMemory::default()), wide);
    let large = post(&offer, &ann, json!("0123456789")).await.unwrap_err();
    assert!(large.message.contains("`max-message-bytes`"), "{large:?}");
}

#[tokio::test]
async fn what_is_no_box_or_time_is_refused_and_rules_hold() {
    let tools = tools();
    let offer = tools.offer("").await;
    let ann = Behalf { agent: "worker".into(), ..of("ann", "s_1") };
    for (name, arguments) in [
        (POST, json!({ "box": "", "message": 1 })),
        (POST, json!({ "box": "a b", "message": 1 })),
        (POST, json!({ "box": "a" })),
        (RECEIVE, json!({ "box": "x".repeat(65) })),
        (RECEIVE, json!({ "box": "a", "timeout": -1 })),
    ] {
        let refused = carry(&offer, &ann, name, arguments.clone()).await.unwrap_err();
        assert_eq!(refused.kind, "ArgumentError", "{arguments}");
    }
    let rules =
        json!({ "rules": [{ "agents": "worker", "tools": "tidegate.post", "action": "deny" }] });
    let settings = serde_json::from_value(rules).unwrap();
    tools.judge().follow(Policy::new(settings, &LEVELS).unwrap());
    assert_eq!(post(&offer, &ann, json!(1)).await.unwrap_err().kind, "Denied");
    let other = Behalf { agent: "planner".into(), ..ann.clone() };
    post(&offer, &other, json!(1)).await.unwrap();
    assert_eq!(receive(&offer, &ann, 0.0).await.unwrap(), 1);
}

/// Boxes that are slow to say what they have given.
struct Slow(InMemory, tokio::sync::Semaphore);

#[async_trait]
impl Boxes for Slow {
    async fn put(
        &self,
        to: &Address,
        message: &Message,
        bounds: &MailboxBounds,
        deed: Option<&Deed>,
    ) -> Result<(), PutError> {
        self.0.put(to, message, bounds, deed).await
    }

    async fn take(&self, from: &Address, deed: Option<&Deed>) -> Result<Option<Letter>, String> {
        let letter = self.0.take(from, deed).await;
        let _ = self.1.acquire().await;
        letter
    }

    async fn put_back(
        &self,
        to: &Address,
        letter: &Letter,
        deed: Option<&Deed>,
    ) -> Result<(), String> {
        self.0.put_back(to, letter, deed).await
    }

    async fn has(&self, address: &Address) -> Result<bool, String> {
        self.0.has(address).await
    }
}

#[tokio::test]
async fn a_message_that_was_being_taken_for_somebody_who_is_gone_is_there_for_the_next() {
    let tools = tools();
    let slow = Arc::new(Slow(InMemory::default(), tokio::sync::Semaphore::new(0)));
    tools.mailboxes().are_kept_in(Arc::clone(&slow) as _, MailboxBounds::default());
    let offer = tools.offer("").await;
    let ann = of("ann", "s_1");
    post(&offer, &ann, json!(1)).await.unwrap();
    let gone = {
        let (offer, ann) = (Arc::clone(&offer), ann.clone());
        tokio::spawn(async move { receive(&offer, &ann, 60.0).await })
    };
    let address = Address { owner: "ann".to_owned(), name: "work".to_owned() };
    while slow.has(&address).await.unwrap() {
        tokio::task::yield_now().await;
    }
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    // Somebody else waits when it comes back.
    let waits = receive(&offer, &ann, 60.0);
    let comes = async { slow.1.add_permits(9) };
    let (received, ()) = tokio::join!(waits, comes);
    assert_eq!(received.unwrap(), 1);
}
