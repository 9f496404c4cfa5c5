//! Whether a call may be made: rules, counts, what a session has read, and people who are asked.
//!
//! ```text
//! call ──► rules and flow ──► counts ──► leaves ──► answer ──► the session's labels grow
//!              │                 │
//!              ├── deny ─────────┴──► refused in words that name the rule
//!              └── ask ──► Clerk: the program rests until somebody has answered
//! ```
//!
//! Every way to a server leads through here: programs by their desk, clients whose requests are passed
//! on, analyses. Nothing of it is for the program to decide.

mod counts;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use async_trait::async_trait;
use catalog::Annotations;
use engine::CallError;
use metrics::counter;
use policy::{ANYWHERE, Decision, Hints, Limit, Policy, PolicySettings, Question, Verdict};
use serde_json::{Map, Value};

use self::counts::Counts;
use crate::behalf::Behalf;

/// What a call fails with that a rule forbids.
pub(crate) const DENIED: &str = "Denied";

/// What a call fails with that somebody was asked about, and did not approve.
pub(crate) const NOT_APPROVED: &str = "NotApproved";

/// The levels that rules can name.
pub const LEVELS: [&str; 3] = ["development", "production", "hardened"];

/// A call that somebody wants to make.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// Who wants to.
    pub behalf: &'a Behalf,
    /// The server, by its configured name.
    pub server: &'a str,
    /// The tool, by the server's own name for it.
    pub tool: &'a str,
    /// What the server says about it.
    pub annotations: &'a Annotations,
    /// Whether that is believed.
    pub is_trusted: bool,
    /// With what: rules look at it, and nothing of it is kept or told.
    pub arguments: &'a Map<String, Value>,
    /// The same as the program has it, with tokens instead of secrets and personal data: what people are
    /// shown and what is kept.
    pub shown: &'a Map<String, Value>,
}

impl Wish<'_> {
    /// As rules and people write it.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.server, self.tool)
    }
}

/// Asks people, and keeps what has to outlive the process.
#[async_trait]
pub trait Clerk: Send + Sync {
    /// Comes back when a call may be made. The words say why not.
    async fn ask(&self, wish: &Wish<'_>, decision: &Decision) -> Result<(), String>;

    /// Tools whose answers a session has read, as far as rules care.
    async fn labels(&self, session: &str) -> Result<BTreeSet<String>, String>;

    /// A session has read from a tool; comes back when that cannot be forgotten.
    async fn label(&self, session: &str, tool: &str) -> Result<(), String>;

    /// Calls of an owner on a day that a rule has counted.
    async fn counted(&self, rule: &str, owner: &str, day: u64) -> Result<u64, String>;

    /// The same now.
    async fn count(&self, rule: &str, owner: &str, day: u64, count: u64) -> Result<(), String>;

    /// A rule decided about a call.
    fn decided(&self, wish: &Wish<'_>, decision: &Decision);

    /// A call reaches what its own name does not say, by way of something else: `http.GET host` by a redirect.
    fn reaches(&self, _behalf: &Behalf, _name: &str, _by_way_of: &str) {}
}

/// Nobody is there to be asked, and nothing outlives the process.
pub struct NoClerk;

#[async_trait]
impl Clerk for NoClerk {
    async fn ask(&self, wish: &Wish<'_>, _: &Decision) -> Result<(), String> {
        let name = wish.name();
        Err(format!(
            "nobody can be asked here. Whoever runs tidegate can say `--approve {name}`, or write a rule: [[policy.rules]] tools = \"{name}\", action = \"allow\""
        ))
    }

    async fn labels(&self, _: &str) -> Result<BTreeSet<String>, String> {
        Ok(BTreeSet::new())
    }

    async fn label(&self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }

    async fn counted(&self, _: &str, _: &str, _: u64) -> Result<u64, String> {
        Ok(0)
    }

    async fn count(&self, _: &str, _: &str, _: u64, _: u64) -> Result<(), String> {
        Ok(())
    }

    fn decided(&self, _: &Wish<'_>, _: &Decision) {}
}

/// Decides about calls.
pub struct Judge {
    policy: RwLock<Arc<Policy>>,
    clerk: RwLock<Arc<dyn Clerk>>,
    counts: Mutex<Counts>,
    /// Labels of sessions, as far as they were asked for.
    labels: Mutex<std::collections::HashMap<String, BTreeSet<String>>>,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            policy: RwLock::new(Arc::new(usual())),
            clerk: RwLock::new(Arc::new(NoClerk)),
            counts: Mutex::default(),
            labels: Mutex::default(),
        }
    }
}

/// What holds where an operator has written no rules.
fn usual() -> Policy {
    Policy::new(PolicySettings::default(), &LEVELS).expect("no rules are rules that can be read")
}

impl Judge {
    /// Decides by these rules from now on.
    pub fn follow(&self, policy: Policy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// Asks this clerk from now on.
    pub fn employ(&self, clerk: Arc<dyn Clerk>) {
        *self.clerk.write().unwrap_or_else(PoisonError::into_inner) = clerk;
    }

    /// The rules.
    #[must_use]
    pub fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn clerk(&self) -> Arc<dyn Clerk> {
        Arc::clone(&self.clerk.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Comes back when a call may be made, and says whether somebody had to be asked first, who may have taken
    /// days; the error says in words why not.
    ///
    /// # Errors
    /// When a rule forbids it, when there were as many as there may be, or when somebody was asked and
    /// did not approve.
    pub async fn permit(&self, wish: &Wish<'_>) -> Result<bool, CallError> {
        let clerk = self.clerk();
        let mut approved: Option<Vec<String>> = None;
        let decision = loop {
            // Again after every answer: rules may have changed while somebody thought about it.
            let decision = self.decision(&self.policy(), wish).await?;
            match decision.verdict {
                Verdict::Allow => break decision,
                Verdict::Deny => {
                    told(wish, "deny");
                    clerk.decided(wish, &decision);
                    return Err(denied(wish, &decision));
                }
                Verdict::Ask if approved.as_ref() == Some(&decision.grounds) => break decision,
                Verdict::Ask => {
                    told(wish, "ask");
                    clerk.decided(wish, &decision);
                    let answered = clerk.ask(wish, &decision).await;
                    answered.map_err(|words| unapproved(wish, &decision, &words))?;
                    approved = Some(decision.grounds);
                }
            }
        };
        self.within_limits(&*clerk, wish, &decision.limits).await?;
        Ok(approved.is_some())
    }

    /// Whether a call may be made without asking anybody; then it is counted. It may not where rules deny it
    /// or want somebody asked.
    ///
    /// # Errors
    /// When there were as many as there may be.
    pub async fn permits_at_once(&self, wish: &Wish<'_>) -> Result<bool, CallError> {
        let decision = self.decision(&self.policy(), wish).await?;
        if decision.verdict != Verdict::Allow {
            return Ok(false);
        }
        self.within_limits(&*self.clerk(), wish, &decision.limits).await?;
        Ok(true)
    }

    /// Counts a call, and refuses it where there were as many as there may be.
    async fn within_limits(
        &self,
        clerk: &dyn Clerk,
        wish: &Wish<'_>,
        limits: &[Limit],
    ) -> Result<(), CallError> {
        match self.counted(clerk, wish, limits).await? {
            None => Ok(()),
            Some(limit) => {
                told(wish, "limit");
                let setting = limit.per.setting();
                let (rule, most) = (&limit.rule, limit.most);
                let reason = format!(
                    "{rule} lets {most} such calls be made `{setting}`, and they have been"
                );
                let verdict = Verdict::Deny;
                let met = Decision {
                    verdict,
                    rule: rule.clone(),
                    reason: reason.clone(),
                    limits: vec![],
                    grounds: vec![],
                };
                clerk.decided(wish, &met);
                Err(denied(wish, &met))
            }
        }
    }

    /// What rules say of a call, the stricter of two where both are about it.
    async fn decision(&self, policy: &Policy, wish: &Wish<'_>) -> Result<Decision, CallError> {
        let decision = explain(policy, wish);
        if policy.flow().is_empty() || decision.verdict == Verdict::Deny {
            return Ok(decision);
        }
        let seen = self.labels_of(&wish.behalf.session).await?;
        let seen = seen.iter().map(String::as_str);
        Ok(match policy.flow().decide(&seen, &wish.name()) {
            Some(flow) => decision.and(flow),
            None => decision,
        })
    }

    /// Remembers that a session has read from a tool, where rules care. Comes back before the answer
    /// may be read.
    ///
    /// # Errors
    /// When it cannot be remembered.
    pub async fn has_read(&self, behalf: &Behalf, tool: &str) -> Result<(), CallError> {
        if !self.policy().flow().labels(tool) {
            return Ok(());
        }
        let session = &behalf.session;
        if self.labels_of(session).await?.contains(tool) {
            return Ok(());
        }
        self.clerk().label(session, tool).await.map_err(unkept)?;
        lock(&self.labels).entry(session.clone()).or_default().insert(tool.to_owned());
        Ok(())
    }

    /// A call reaches what its own name does not say, as it may.
    pub(crate) fn reaches(&self, behalf: &Behalf, name: &str, by_way_of: &str) {
        self.clerk().reaches(behalf, name, by_way_of);
    }

    async fn labels_of(&self, session: &str) -> Result<BTreeSet<String>, CallError> {
        if let Some(known) = lock(&self.labels).get(session) {
            return Ok(known.clone());
        }
        let kept = self.clerk().labels(session).await.map_err(unkept)?;
        let mut all = lock(&self.labels);
        let known = all.entry(session.to_owned()).or_default();
        known.extend(kept);
        Ok(known.clone())
    }

    /// What a session has read that rules keep from some places; nothing where there are no such rules.
    ///
    /// # Errors
    /// When that is not known.
    pub(crate) async fn carried(&self, session: &str) -> Result<BTreeSet<String>, CallError> {
        if self.policy().flow().is_empty() {
            return Ok(BTreeSet::new());
        }
        self.labels_of(session).await
    }

    /// A session has been told something by another that had read these.
    ///
    /// # Errors
    /// When it cannot be remembered.
    pub(crate) async fn takes_on(&self, session: &str, labels: &[String]) -> Result<(), CallError> {
        let known = self.labels_of(session).await?;
        for label in labels.iter().filter(|label| !known.contains(*label)) {
            self.clerk().label(session, label).await.map_err(unkept)?;
            lock(&self.labels).entry(session.to_owned()).or_default().insert(label.clone());
        }
        Ok(())
    }

    /// What one session has read, another has: it was made from it.
    ///
    /// # Errors
    /// When it cannot be remembered.
    pub async fn inherits(&self, from: &str, to: &str) -> Result<(), String> {
        let labels = self.labels_of(from).await.map_err(|error| error.message)?;
        self.labels_of(to).await.map_err(|error| error.message)?;
        let clerk = self.clerk();
        for label in &labels {
            clerk.label(to, label).await?;
        }
        lock(&self.labels).entry(to.to_owned()).or_default().extend(labels);
        Ok(())
    }

    /// A session was brought from elsewhere, and may have read everything.
    ///
    /// # Errors
    /// When it cannot be remembered.
    pub async fn comes_from_anywhere(&self, session: &str) -> Result<(), String> {
        self.labels_of(session).await.map_err(|error| error.message)?;
        self.clerk().label(session, ANYWHERE).await?;
        lock(&self.labels).entry(session.to_owned()).or_default().insert(ANYWHERE.to_owned());
        Ok(())
    }

    /// A session is no more.
    pub fn forget_session(&self, session: &str) {
        lock(&self.labels).remove(session);
    }

    /// A run is over: its calls are counted no longer.
    pub fn forget_run(&self, run: &str) {
        lock(&self.counts).forget(run);
    }

    /// A call that a run made before this process went on with it.
    pub fn made_before(&self, wish: &Wish<'_>) {
        let limits = explain(&self.policy(), wish).limits;
        lock(&self.counts).add(&limits, wish.behalf);
    }

    /// Counts a call, or says which limit it would break.
    async fn counted(
        &self,
        clerk: &dyn Clerk,
        wish: &Wish<'_>,
        limits: &[Limit],
    ) -> Result<Option<Limit>, CallError> {
        if limits.is_empty() {
            return Ok(None);
        }
        let behalf = wish.behalf;
        let unknown = lock(&self.counts).unknown(limits, &behalf.owner);
        for (rule, day) in unknown {
            let before = clerk.counted(&rule, &behalf.owner, day).await.map_err(unkept)?;
            lock(&self.counts).was(&rule, &behalf.owner, day, before);
        }
        let counted = lock(&self.counts).take(limits, behalf);
        let kept = match counted {
            Err(limit) => return Ok(Some(limit)),
            Ok(kept) => kept,
        };
        for (rule, day, count) in kept {
            clerk.count(&rule, &behalf.owner, day, count).await.map_err(unkept)?;
        }
        Ok(None)
    }
}

fn question<'a>(wish: &Wish<'a>, agent: &'a str) -> Question<'a> {
    let said = wish.annotations;
    Question {
        server: wish.server,
        tool: wish.tool,
        hints: Hints {
            read_only: said.read_only_hint,
            destructive: said.destructive_hint,
            idempotent: said.idempotent_hint,
            open_world: said.open_world_hint,
        },
        is_trusted: wish.is_trusted,
        owner: &wish.behalf.owner,
        agent,
        level: wish.behalf.level.name(),
        arguments: wish.arguments,
    }
}

/// What rules say of a call. Of one by an agent that another started, the stricter of what they say of each: who
/// is called otherwise may do no more.
#[must_use]
pub fn explain(policy: &Policy, wish: &Wish<'_>) -> Decision {
    let own = policy.decide(&question(wish, &wish.behalf.agent));
    wish.behalf
        .started_by
        .iter()
        .fold(own, |own, agent| own.and(policy.decide(&question(wish, agent))))
}

fn unapproved(wish: &Wish<'_>, decision: &Decision, words: &str) -> CallError {
    let (reason, rule) = (&decision.reason, &decision.rule);
    CallError {
        kind: NOT_APPROVED.to_owned(),
        message: format!(
            "{} was not called: {reason} ({rule}), and it was not approved: {words}",
            wish.name()
        ),
    }
}

fn denied(wish: &Wish<'_>, decision: &Decision) -> CallError {
    CallError {
        kind: DENIED.to_owned(),
        message: format!(
            "{} was not called: {} ({}). A program cannot change that; leave the call out, or tell the user which rule is in the way",
            wish.name(),
            decision.reason,
            decision.rule
        ),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an error is mapped where it ends")]
fn unkept(problem: String) -> CallError {
    CallError {
        kind: crate::hearing::UNSENT.to_owned(),
        message: format!(
            "the call was not made, because what rules need to know of it could not be kept: {problem}"
        ),
    }
}

fn told(wish: &Wish<'_>, verdict: &'static str) {
    counter!("tidegate_policy_decisions_total", "server" => wish.server.to_owned(), "verdict" => verdict)
        .increment(1);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use engine::Level;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn at_hardened_what_nobody_speaks_for_is_asked_about() {
        let judge = Judge::default();
        let arguments = Map::new();
        let permitted = async |level, is_trusted, annotations: Annotations| {
            let behalf = Behalf::local(level);
            let wish = Wish {
                behalf: &behalf,
                server: "desk",
                tool: "book",
                annotations: &annotations,
                is_trusted,
                arguments: &arguments,
                shown: &arguments,
            };
            judge.permit(&wish).await.map_err(|error| error.kind)
        };
        let reads = Annotations { read_only_hint: Some(true), ..Annotations::default() };
        let asked = Err(NOT_APPROVED.to_owned());
        assert_eq!(permitted(Level::Production, false, Annotations::default()).await, Ok(false));
        assert_eq!(permitted(Level::Hardened, false, Annotations::default()).await, asked);
        // What a stranger says of itself changes nothing.
        assert_eq!(permitted(Level::Hardened, false, reads.clone()).await, asked);
        assert_eq!(permitted(Level::Hardened, true, reads).await, Ok(false));
    }

    /// The only rule there is.
    fn rule(tools: &str, action: &str, reason: &str) -> Policy {
        let rule = json!({ "tools": tools, "action": action, "reason": reason });
        let settings = serde_json::from_value(json!({ "rules": [rule] })).unwrap();
        Policy::new(settings, &LEVELS).unwrap()
    }

    /// Approves everything, and what holds afterwards is something else.
    struct Slow {
        judge: Arc<Judge>,
        afterwards: Mutex<Vec<Policy>>,
        asked: Mutex<Vec<String>>,
    }

    #[async_trait]
    impl Clerk for Slow {
        async fn ask(&self, _: &Wish<'_>, decision: &Decision) -> Result<(), String> {
            lock(&self.asked).push(decision.reason.clone());
            if let Some(policy) = lock(&self.afterwards).pop() {
                self.judge.follow(policy);
            }
            Ok(())
        }

        async fn labels(&self, _: &str) -> Result<BTreeSet<String>, String> {
            Ok(BTreeSet::new())
        }

        async fn label(&self, _: &str, _: &str) -> Result<(), String> {
            Ok(())
        }

        async fn counted(&self, _: &str, _: &str, _: u64) -> Result<u64, String> {
            Ok(0)
        }

        async fn count(&self, _: &str, _: &str, _: u64, _: u64) -> Result<(), String> {
            Ok(())
        }

        fn decided(&self, _: &Wish<'_>, _: &Decision) {}
    }

    /// What comes of a call that is asked about while rules change, and what was asked.
    async fn meanwhile(afterwards: Vec<Policy>) -> (Result<bool, String>, Vec<String>) {
        let judge = Arc::new(Judge::default());
        judge.follow(rule("bank.pay", "ask", "first"));
        let afterwards = Mutex::new(afterwards);
        let clerk = Slow { judge: Arc::clone(&judge), afterwards, asked: Mutex::default() };
        let clerk = Arc::new(clerk);
        judge.employ(Arc::clone(&clerk) as Arc<dyn Clerk>);
        let (behalf, arguments) = (Behalf::local(Level::Production), Map::new());
        let wish = Wish {
            behalf: &behalf,
            server: "bank",
            tool: "pay",
            annotations: &Annotations::default(),
            is_trusted: true,
            arguments: &arguments,
            shown: &arguments,
        };
        let permitted = judge.permit(&wish).await.map_err(|error| error.kind);
        let asked = lock(&clerk.asked).clone();
        (permitted, asked)
    }

    #[tokio::test]
    async fn what_nobody_is_asked_about_is_counted_as_well() {
        let judge = Judge::default();
        let limits = json!({ "rules": [
            { "tools": "hr.$resource", "per-run": 2 },
            { "tools": "fin.*", "action": "ask" },
        ] });
        let policy = Policy::new(serde_json::from_value(limits).unwrap(), &LEVELS).unwrap();
        judge.follow(policy);
        let (behalf, arguments) = (Behalf::local(Level::Production), Map::new());
        let reads = Annotations { read_only_hint: Some(true), ..Annotations::default() };
        let at_once = async |server| {
            let wish = Wish {
                behalf: &behalf,
                server,
                tool: "$resource",
                annotations: &reads,
                is_trusted: true,
                arguments: &arguments,
                shown: &arguments,
            };
            judge.permits_at_once(&wish).await.map_err(|error| error.kind)
        };
        assert_eq!(at_once("fin").await, Ok(false));
        for _ in 0..2 {
            assert_eq!(at_once("hr").await, Ok(true));
        }
        assert_eq!(at_once("hr").await, Err(DENIED.to_owned()));
    }

    #[tokio::test]
    async fn what_holds_when_a_call_was_approved_counts_and_not_what_held_before() {
        let first = "first".to_owned();
        assert_eq!(meanwhile(vec![]).await, (Ok(true), vec![first.clone()]));
        let denies = vec![rule("bank.pay", "deny", "no more")];
        assert_eq!(meanwhile(denies).await, (Err(DENIED.to_owned()), vec![first.clone()]));
        // Another rule that asks is another question.
        let asks = vec![rule("bank.*", "ask", "second")];
        assert_eq!(meanwhile(asks).await, (Ok(true), vec![first, "second".to_owned()]));
    }
}
