//! What runs programs, one engine for each language, as soon as it is there.
//!
//! The engine of the first language is opened when a gateway starts. Another is begun when a program
//! first asks for it: most never do, and making a runtime takes time and room on the disk.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use engine::{Engine, Language};
use tokio::sync::watch;

/// How long a request waits for an engine that is being opened.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether programs can run yet.
#[derive(Clone)]
pub enum Readiness {
    /// The runtime is being made.
    Installing {
        /// How far it is.
        percent: u8,
        /// What is being done.
        stage: String,
    },
    /// It could not be made.
    Failed(String),
    /// They can.
    Ready(Arc<dyn Engine>),
}

/// Why there is no engine for a program.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum NoEngine {
    /// The operator lets no programs of this language run.
    #[error("programs in {} are not run here (setting `languages`)", .0.title())]
    NotOffered(Language),
    /// The runtime is still being installed.
    #[error(
        "the {} runtime is being installed ({percent}%, {stage}); this happens once, try again in a few seconds",
        language.title()
    )]
    Installing {
        /// Whose.
        language: Language,
        /// How far it is.
        percent: u8,
        /// What is being done.
        stage: String,
    },
    /// The runtime cannot be had.
    #[error("the {} runtime cannot be used: {reason}; `tidegate doctor` says what to do", language.title())]
    Failed {
        /// Whose.
        language: Language,
        /// Why not.
        reason: String,
    },
}

/// Begins to open an engine, and tells how far that is.
type Begin = dyn Fn() -> watch::Receiver<Readiness> + Send + Sync;

/// An engine that is begun when it is first wanted.
pub struct OnDemand {
    begin: Box<Begin>,
    begun: OnceLock<watch::Receiver<Readiness>>,
}

impl OnDemand {
    /// One that `begin` opens.
    #[must_use]
    pub fn new(begin: impl Fn() -> watch::Receiver<Readiness> + Send + Sync + 'static) -> Self {
        Self { begin: Box::new(begin), begun: OnceLock::new() }
    }

    fn wanted(&self) -> &watch::Receiver<Readiness> {
        self.begun.get_or_init(|| (self.begin)())
    }
}

impl From<watch::Receiver<Readiness>> for OnDemand {
    fn from(begun: watch::Receiver<Readiness>) -> Self {
        Self::new(move || begun.clone())
    }
}

impl From<Arc<dyn Engine>> for OnDemand {
    fn from(engine: Arc<dyn Engine>) -> Self {
        Self::from(watch::Sender::new(Readiness::Ready(engine)).subscribe())
    }
}

/// The engines of all languages.
#[derive(Clone, Default)]
pub struct Engines {
    python: Option<Arc<OnDemand>>,
    typescript: Option<Arc<OnDemand>>,
}

impl Engines {
    /// The same, with one more language.
    #[must_use]
    pub fn with(mut self, language: Language, engine: impl Into<OnDemand>) -> Self {
        let engine = Some(Arc::new(engine.into()));
        match language {
            Language::Python => self.python = engine,
            Language::TypeScript => self.typescript = engine,
        }
        self
    }

    /// The same, without the languages that are not `allowed`.
    #[must_use]
    pub fn only(self, allowed: &[Language]) -> Self {
        let Self { python, typescript } = self;
        Self {
            python: python.filter(|_| allowed.contains(&Language::Python)),
            typescript: typescript.filter(|_| allowed.contains(&Language::TypeScript)),
        }
    }

    fn of(&self, language: Language) -> Option<&OnDemand> {
        match language {
            Language::Python => self.python.as_deref(),
            Language::TypeScript => self.typescript.as_deref(),
        }
    }

    /// The languages there are engines for, the usual one first.
    pub fn languages(&self) -> impl Iterator<Item = Language> + '_ {
        Language::ALL.into_iter().filter(|language| self.of(*language).is_some())
    }

    /// The language of programs whose callers do not say it.
    #[must_use]
    pub fn usual(&self) -> Language {
        self.languages().next().unwrap_or_default()
    }

    /// Whether programs of a language can run yet; begins with what that needs.
    #[must_use]
    pub fn readiness(&self, language: Language) -> Readiness {
        match self.of(language) {
            Some(engine) => engine.wanted().borrow().clone(),
            None => Readiness::Failed(NoEngine::NotOffered(language).to_string()),
        }
    }

    /// Engines that are there, without beginning with any.
    pub fn ready(&self) -> impl Iterator<Item = Arc<dyn Engine>> + '_ {
        let begun = Language::ALL.into_iter().filter_map(|one| self.of(one)?.begun.get());
        begun.filter_map(|begun| match &*begun.borrow() {
            Readiness::Ready(engine) => Some(Arc::clone(engine)),
            Readiness::Installing { .. } | Readiness::Failed(_) => None,
        })
    }

    /// What runs programs of a language. Opening it takes a moment, which is waited for; installing it may
    /// take minutes, which the caller is told of.
    pub async fn get(&self, language: Language) -> Result<Arc<dyn Engine>, NoEngine> {
        let engine = self.of(language).ok_or(NoEngine::NotOffered(language))?;
        let settled = Self::settled(engine.wanted().clone());
        let _ = tokio::time::timeout(PATIENCE, settled).await;
        match self.readiness(language) {
            Readiness::Ready(engine) => Ok(engine),
            Readiness::Installing { percent, stage } => {
                Err(NoEngine::Installing { language, percent, stage })
            }
            Readiness::Failed(reason) => Err(NoEngine::Failed { language, reason }),
        }
    }

    /// The same, however long it takes to install.
    pub async fn get_at_last(&self, language: Language) -> Result<Arc<dyn Engine>, NoEngine> {
        let engine = self.of(language).ok_or(NoEngine::NotOffered(language))?;
        Self::settled(engine.wanted().clone()).await;
        self.get(language).await
    }

    async fn settled(mut readiness: watch::Receiver<Readiness>) {
        let _ = readiness.wait_for(|now| !matches!(now, Readiness::Installing { .. })).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn failing(reason: &str) -> watch::Receiver<Readiness> {
        watch::Sender::new(Readiness::Failed(reason.to_owned())).subscribe()
    }

    #[tokio::test]
    async fn a_language_is_begun_once_and_only_when_it_is_wanted() {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&begun);
        let engines = Engines::default().with(Language::Python, failing("no disk")).with(
            Language::TypeScript,
            OnDemand::new(move || {
                count.fetch_add(1, Ordering::AcqRel);
                failing("no network")
            }),
        );
        let error = engines.get(Language::Python).await.err().unwrap().to_string();
        assert!(error.contains("the Python runtime") && error.contains("no disk"), "{error}");
        assert_eq!(engines.ready().count(), 0);
        assert_eq!(begun.load(Ordering::Acquire), 0, "nobody has asked for it");
        for _ in 0..2 {
            let error = engines.get_at_last(Language::TypeScript).await.err().unwrap().to_string();
            assert!(error.contains("the TypeScript runtime") && error.contains("no network"));
        }
        assert_eq!(begun.load(Ordering::Acquire), 1);
    }

    #[tokio::test]
    async fn what_an_operator_does_not_allow_is_refused_by_the_name_of_the_setting() {
        let engines = Engines::default()
            .with(Language::Python, failing("it is never asked"))
            .with(Language::TypeScript, failing("no network"))
            .only(&[Language::TypeScript]);
        assert_eq!(engines.usual(), Language::TypeScript);
        assert_eq!(engines.languages().collect::<Vec<_>>(), [Language::TypeScript]);
        let error = engines.get(Language::Python).await.err().unwrap().to_string();
        assert_eq!(error, "programs in Python are not run here (setting `languages`)");
    }
}
