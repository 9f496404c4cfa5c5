//! Questions that are being answered: begun, followed, cancelled.
//!
//! A question is a task of the [`Agent`]'s own. Whoever follows it may go away and come back; what happened
//! meanwhile is still there until it is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::Language;
use gateway::service::conversations::Conversation;
use gateway::service::ids::ConversationId;
use gateway::service::{Caller, Service};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ask::{Ask, AskError};
use crate::event::Event;
use crate::figures;
use crate::model::{Model, ModelError};
use crate::rollout::Arm;
use crate::settings::{Mode, Settings};
use crate::work::Work;

/// How long a question that is over can still be followed.
const LINGER: Duration = Duration::from_secs(60);

/// Answers questions, of many callers at once.
pub struct Agent {
    pub(crate) service: Arc<Service>,
    pub(crate) settings: Settings,
    pub(crate) model: Model,
    questions: Questions,
}

/// The questions that are being answered, also when others answer the next.
#[derive(Clone, Default)]
pub(crate) struct Questions {
    live: Arc<Mutex<HashMap<ConversationId, Arc<Live>>>>,
    tasks: TaskTracker,
    ending: CancellationToken,
}

impl Questions {
    /// Ends every one.
    pub(crate) async fn close(&self) {
        self.ending.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// A question that is being answered, or just was.
pub struct Live {
    owner: String,
    conversation: ConversationId,
    state: Mutex<State>,
    changed: Notify,
    cancel: CancellationToken,
}

#[derive(Default)]
struct State {
    events: Vec<Event>,
    is_over: bool,
}

/// A question that is cancelled when nobody waits for it any longer.
pub struct Watched(pub Arc<Live>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Live {
    /// The conversation that it belongs to.
    #[must_use]
    pub fn conversation(&self) -> &ConversationId {
        &self.conversation
    }

    /// Ends it, if it is not over.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// What happened after the first `seen` events; nothing when it is over and all are seen.
    pub async fn events_after(&self, seen: usize) -> Vec<Event> {
        loop {
            // Registered before looking, so that a change between the two is not missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let state = self.lock();
                if state.is_over || state.events.len() > seen {
                    return state.events.get(seen..).unwrap_or_default().to_vec();
                }
            }
            changed.await;
        }
    }

    /// How it ended, when it has: [`Event::Answer`] or [`Event::Error`].
    pub async fn ended(&self) -> Option<Event> {
        let mut seen = 0;
        loop {
            let mut events = self.events_after(seen).await;
            seen += events.len();
            match events.pop() {
                Some(last) if last.is_last() => return Some(last),
                Some(_) => {}
                None => return None,
            }
        }
    }

    pub(crate) fn tell(&self, event: Event) {
        self.lock().events.push(event);
        self.changed.notify_waiters();
    }

    fn end(&self, event: Event) {
        let mut state = self.lock();
        state.events.push(event);
        state.is_over = true;
        drop(state);
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent {
    /// One who answers with the programs of this service.
    pub fn new(service: Arc<Service>, settings: Settings) -> Result<Arc<Self>, ModelError> {
        Self::among(service, settings, Questions::default())
    }

    /// The same, for questions that others answer, too.
    pub(crate) fn among(
        service: Arc<Service>,
        settings: Settings,
        questions: Questions,
    ) -> Result<Arc<Self>, ModelError> {
        let model = Model::new(settings.model.clone())?;
        Ok(Arc::new(Self { service, settings, model, questions }))
    }

    /// Begins to answer a question: refuses at once what cannot be asked.
    pub async fn begin(self: &Arc<Self>, caller: &Caller, ask: Ask) -> Result<Arc<Live>, AskError> {
        self.check(&ask)?;
        let conversation = match &ask.conversation {
            None => Conversation::new(&caller.owner),
            Some(id) => self
                .service
                .conversation(caller, id)
                .await?
                .ok_or_else(|| AskError::NoConversation(id.clone()))?,
        };
        let arm = Arm::of(&caller.owner, ask.user.as_deref(), self.settings.rollout);
        let mode = if arm == Arm::Direct { Mode::Direct } else { self.settings.mode };
        let live = self.place(caller, &conversation.id)?;
        live.tell(Event::Started {
            conversation: conversation.id.to_string(),
            mode: mode.name(),
            arm: arm.name(),
        });
        let (agent, own, caller) = (Arc::clone(self), Arc::clone(&live), caller.clone());
        self.questions.tasks.spawn(async move {
            let mut work = Work::new(&agent, &own, &caller, ask, conversation, (mode, arm));
            let begun = Instant::now();
            let answered = tokio::select! {
                answered = work.answer() => answered,
                () = own.cancel.cancelled() => Err(AskError::Cancelled),
                () = agent.questions.ending.cancelled() => Err(AskError::Cancelled),
            };
            if answered.is_err() {
                work.keep_spent().await;
            }
            figures::ended(arm, answered.as_ref().err(), work.spent(), begun.elapsed());
            drop(work);
            own.end(match answered {
                Ok(answer) => Event::Answer(Box::new(answer)),
                Err(error) => Event::Error { code: error.code(), message: error.to_string() },
            });
            tokio::select! {
                () = tokio::time::sleep(LINGER) => {}
                () = agent.questions.ending.cancelled() => {}
            }
            agent.forget(&own);
        });
        Ok(live)
    }

    /// What programs for a question are written in.
    pub(crate) fn language_of(&self, asked: Option<Language>) -> Language {
        asked.unwrap_or(self.settings.language)
    }

    /// The question of a conversation that is being answered, or just was.
    #[must_use]
    pub fn live(&self, caller: &Caller, id: &ConversationId) -> Option<Arc<Live>> {
        self.lock().get(id).filter(|live| live.owner == caller.owner).cloned()
    }

    /// A conversation of this caller.
    pub async fn conversation(
        &self,
        caller: &Caller,
        id: &ConversationId,
    ) -> Result<Conversation, AskError> {
        let found = self.service.conversation(caller, id).await?;
        found.ok_or_else(|| AskError::NoConversation(id.clone()))
    }

    /// Ends every question.
    pub async fn close(&self) {
        self.questions.close().await;
    }

    fn check(&self, ask: &Ask) -> Result<(), AskError> {
        let invalid = |field, problem: String| Err(AskError::Invalid { field, problem });
        let language = self.language_of(ask.language);
        if !self.service.languages().contains(&language) {
            return invalid(
                "language",
                format!(
                    "is \"{language}\", and no programs in {} are run here (setting `languages`)",
                    language.title()
                ),
            );
        }
        let (letters, most) = (ask.question.chars().count(), self.settings.question_letters);
        if ask.question.trim().is_empty() {
            return invalid("question", "is empty; say what is to be found out or done".to_owned());
        }
        if letters > most {
            return invalid(
                "question",
                format!("has {letters} letters, more than {most}; pass data as `context`"),
            );
        }
        if ask.context.contains_key(crate::work::USER) {
            return invalid(
                "context",
                "has the key \"user\", which says who asks; name the user as `user`".to_owned(),
            );
        }
        if let Some(key) = ask.context.keys().find(|key| !engine::is_variable_of(language, key)) {
            return invalid(
                "context",
                format!(
                    "has the key {key:?}, which cannot be a variable; {}",
                    engine::other_name(language, key)
                ),
            );
        }
        match &ask.model {
            Some(model)
                if *model != self.settings.model.model && !self.settings.models.contains(model) =>
            {
                invalid("model", format!("is {model:?}, which `[ask] models` does not list"))
            }
            _ => Ok(()),
        }
    }

    /// A place among the questions that are being answered.
    fn place(&self, caller: &Caller, id: &ConversationId) -> Result<Arc<Live>, AskError> {
        let mut live = self.lock();
        let open = || live.values().filter(|one| !one.is_over());
        if live.get(id).is_some_and(|one| !one.is_over()) {
            return Err(AskError::Busy);
        }
        let (all, own) = self.settings.at_once;
        if open().count() >= all {
            return Err(AskError::Full(all));
        }
        if open().filter(|one| one.owner == caller.owner).count() >= own {
            return Err(AskError::Full(own));
        }
        let one = Arc::new(Live {
            owner: caller.owner.clone(),
            conversation: id.clone(),
            state: Mutex::default(),
            changed: Notify::new(),
            cancel: CancellationToken::new(),
        });
        live.insert(id.clone(), Arc::clone(&one));
        Ok(one)
    }

    fn forget(&self, over: &Arc<Live>) {
        let mut live = self.lock();
        if live.get(&over.conversation).is_some_and(|one| Arc::ptr_eq(one, over)) {
            live.remove(&over.conversation);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, Arc<Live>>> {
        self.questions.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
