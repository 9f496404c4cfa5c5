//! A session in use: in memory only, or kept on disk after every run.

use std::sync::Arc;

use anyhow::Context as _;
use engine::{Engine, Image, NoCalls, Outcome, Program, Session, SessionError, Start, StartError};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::store::{Details, Held, SessionName, Store};
use crate::{interrupt, out, units};

/// How a run ended, as far as its caller is concerned.
#[derive(Debug)]
pub(crate) enum Ran {
    /// By itself, or stopped by the sandbox.
    Ended(Box<Outcome>),
    /// By Ctrl-C; the session is as it was before.
    Cancelled,
}

/// A session in use.
pub(crate) struct Opened {
    session: Session,
    kept: Option<Kept>,
}

/// What a session on disk needs besides its guest.
struct Kept {
    config: Config,
    held: Held,
    details: Option<Details>,
    level: &'static str,
}

/// Which session to open, and how.
pub(crate) struct Choice<'a> {
    /// The session on disk; `None` for one that ends with the command.
    pub(crate) name: Option<&'a SessionName>,
    /// How its guests start.
    pub(crate) start: Start,
    /// The level behind the limits, to be remembered.
    pub(crate) level: &'static str,
}

impl Opened {
    /// Opens a session; one on disk is taken for as long as this lives.
    pub(crate) fn new(
        config: &Config,
        engine: Arc<dyn Engine>,
        choice: Choice<'_>,
    ) -> anyhow::Result<Self> {
        let Choice { name, start, level } = choice;
        let Some(name) = name else {
            return Ok(Self { session: Session::new(engine, start), kept: None });
        };
        let store = config.store()?;
        let held = store.hold(name, || {
            out::tell(format_args!("the session `{name}` is in use; waiting for its turn"));
        })?;
        let (session, details) = match store.image(name)? {
            None => (Session::new(engine, start), None),
            Some(image) => {
                let details = details_of(&store, name, &image)?;
                refuse_another_image(name, &details, start.image.as_deref())?;
                (Session::from_image(engine, start, image), Some(details))
            }
        };
        let kept = Kept { config: config.clone(), held, details, level };
        Ok(Self { session, kept: Some(kept) })
    }

    /// Runs one program, and keeps what it left unless it was stopped.
    pub(crate) async fn run(&mut self, program: Program) -> anyhow::Result<Ran> {
        let run = self.session.run(program, Arc::new(NoCalls));
        let Some(ended) = interrupt::unless_interrupted(run).await? else {
            return Ok(Ran::Cancelled);
        };
        let outcome = ended.map_err(|error| self.explained(error))?;
        if !Ending::of(&outcome).is_stopped() {
            self.keep().await?;
        }
        Ok(Ran::Ended(Box::new(outcome)))
    }

    async fn keep(&mut self) -> anyhow::Result<()> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        let frozen = self.session.freeze().await;
        match frozen.context("the session could not be frozen; it is as it was before this run")? {
            Some(image) => kept.save(&image),
            None => Ok(()),
        }
    }

    fn explained(&self, error: SessionError) -> anyhow::Error {
        let broken = matches!(error, SessionError::Start(StartError::Image(_)));
        let unknown = matches!(error, SessionError::Start(StartError::UnknownImage { .. }));
        let error = anyhow::Error::new(error);
        match &self.kept {
            _ if unknown => Misuse::error(error.to_string()),
            Some(Kept { held, .. }) if broken => error.context(held.store().damaged(held.name())),
            Some(Kept { held, .. }) => {
                error.context(format!("could not run in the session `{}`", held.name()))
            }
            None => error.context("could not run the program; `tidegate doctor` looks for the cause"),
        }
    }
}

impl Kept {
    fn save(&mut self, image: &Image) -> anyhow::Result<()> {
        let now = units::now();
        let details = match self.details.take() {
            Some(before) => Details {
                last_run: now,
                runs: before.runs + 1,
                level: self.level.to_owned(),
                ..before
            },
            None => Details {
                created: now,
                last_run: now,
                runs: 1,
                image: image_name(&self.config, image)?,
                base: image.header().base,
                level: self.level.to_owned(),
            },
        };
        self.held.save(image, &details)?;
        self.details = Some(details);
        Ok(())
    }
}

/// What is known of a session; little, if its description was lost.
fn details_of(store: &Store, name: &SessionName, image: &Image) -> anyhow::Result<Details> {
    let known = store.existing(name)?.details.filter(|known| known.base == image.header().base);
    Ok(known.unwrap_or_else(|| Details {
        created: 0,
        last_run: 0,
        runs: 0,
        image: "unknown".to_owned(),
        base: image.header().base,
        level: "unknown".to_owned(),
    }))
}

fn refuse_another_image(
    name: &SessionName,
    details: &Details,
    wanted: Option<&str>,
) -> anyhow::Result<()> {
    match wanted {
        Some(wanted) if wanted != details.image => Err(Misuse::error(format!(
            "the session `{name}` builds on the image `{}` and cannot change to `{wanted}`; leave \
             --image out, or choose another --session",
            details.image
        ))),
        _ => Ok(()),
    }
}

/// What the base of a frozen guest is called here.
fn image_name(config: &Config, image: &Image) -> anyhow::Result<String> {
    let base = image.header().base;
    let images = config.cache()?.images()?;
    let named = images.iter().find(|record| record.digest == base);
    Ok(named.map_or_else(|| base.to_string(), |record| record.name.to_string()))
}
