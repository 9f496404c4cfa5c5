//! Who answers questions now: settings that change count for the next question.
//!
//! A question that is being answered goes on with the settings it began with. It is followed, counted and
//! cancelled like every other: all that answer, one after the other, have the same questions.

use std::sync::{Arc, PoisonError, RwLock};

use gateway::service::Service;

use crate::live::{Agent, Questions};
use crate::model::ModelError;
use crate::settings::Settings;

/// Whoever answers, where that may change.
#[derive(Clone)]
pub struct Answering(Arc<Inner>);

struct Inner {
    service: Arc<Service>,
    questions: Questions,
    now: RwLock<Option<Arc<Agent>>>,
}

impl Answering {
    /// Answers with the programs of this service; nobody does where there are no settings.
    pub fn new(service: Arc<Service>, settings: Option<Settings>) -> Result<Self, ModelError> {
        let questions = Questions::default();
        let answering = Self(Arc::new(Inner { service, questions, now: RwLock::default() }));
        answering.follow(settings)?;
        Ok(answering)
    }

    /// Who answers the next question.
    #[must_use]
    pub fn now(&self) -> Option<Arc<Agent>> {
        self.0.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers the next question by these settings, or not at all.
    ///
    /// # Errors
    /// When the model cannot be asked so; then nothing changes.
    pub fn follow(&self, settings: Option<Settings>) -> Result<(), ModelError> {
        let Inner { service, questions, now } = &*self.0;
        let next = settings
            .map(|settings| Agent::among(Arc::clone(service), settings, questions.clone()))
            .transpose()?;
        *now.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    /// Ends every question, whoever answers it.
    pub async fn close(&self) {
        self.0.questions.close().await;
    }
}
