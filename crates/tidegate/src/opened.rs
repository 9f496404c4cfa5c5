//! A session in use: in memory only, or kept on disk after every run.

use std::sync::Arc;

use anyhow::Context as _;
use engine::{
    Engine, Image, ImageError, Level, NoCalls, Outcome, Program, Session, SessionError, Start,
    StartError, Usage,
};
use gateway::{
    Behalf, Checks, Earlier, Engines, Hearing, Nursery, Reviewing, Tools, Veil, VeilError, Written,
};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::store::{Details, Held, SessionName, Store};
use crate::{interrupt, out, units};

/// How a run ended, as far as its caller is concerned.
#[derive(Debug)]
pub(crate) enum Ran {
    /// By itself, or stopped by the sandbox; and why the session could not be kept, if so.
    Ended(Box<Outcome>, Option<anyhow::Error>),
    /// By Ctrl-C, having used this much; the session is as it was before.
    Cancelled(Usage),
}

/// A session in use.
pub(crate) struct Opened {
    session: Session,
    hearing: Arc<dyn Hearing>,
    tools: Option<Arc<Tools>>,
    checks: Option<Arc<Checks>>,
    /// Who reviews programs that nobody checks.
    reviews: Arc<Checks>,
    reviewing: Reviewing,
    earlier: Earlier,
    behalf: Behalf,
    /// What runs children in other languages.
    others: Engines,
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
    pub(crate) level: Level,
    /// What its programs may call.
    pub(crate) tools: Option<Arc<Tools>>,
    /// Who looks for mistakes in programs before they run, if anybody does.
    pub(crate) checks: Option<Arc<Checks>>,
}

impl Opened {
    /// Opens a session; one on disk is taken for as long as this lives.
    pub(crate) async fn new(
        config: &Config,
        engine: Arc<dyn Engine>,
        choice: Choice<'_>,
    ) -> anyhow::Result<Self> {
        let Choice { name, start, level, tools, checks } = choice;
        let hearing = Arc::new(Written(Arc::clone(&start.host)));
        let reviews = checks.clone().unwrap_or_else(Checks::new);
        let reviewing = config.reviewing()?;
        // An image of one's own brings the variables of its warm-up program.
        let earlier = if start.image.is_some() { Earlier::Something } else { Earlier::Nothing };
        let (behalf, others) = (Behalf::local(level), crate::runtime::engines(config));
        let Some(name) = name else {
            let session = Session::new(engine, start);
            return Ok(Self {
                session,
                hearing,
                tools,
                checks,
                reviews,
                reviewing,
                earlier,
                behalf,
                others,
                kept: None,
            });
        };
        let store = config.store()?;
        let held = take_turn(&store, name).await?;
        let (session, details) = match store.image(name)? {
            None => (Session::new(engine, start), None),
            Some(image) => {
                let details = details_of(config, &store, name, &image)?;
                refuse_another_image(name, &details, start.image.as_deref())?;
                refuse_another_seed(name, start.seed)?;
                (Session::from_image(engine, start, image), Some(details))
            }
        };
        let earlier = if details.is_some() { Earlier::Something } else { earlier };
        let kept = Kept { config: config.clone(), held, details, level: level.name() };
        let behalf = Behalf { session: name.to_string(), ..behalf };
        Ok(Self {
            session,
            hearing,
            tools,
            checks,
            reviews,
            reviewing,
            earlier,
            behalf,
            others,
            kept: Some(kept),
        })
    }

    /// Runs one program, and keeps what it left unless it was stopped.
    pub(crate) async fn run(&mut self, mut program: Program) -> anyhow::Result<Ran> {
        let veil = self.tools.as_ref().map_or_else(Veil::in_memory, |it| Arc::clone(it.veil()));
        let taken = veil.take_secrets(&self.behalf.owner, &mut program.context).await;
        let held = taken.map_err(|error| match error {
            VeilError::Secret(problem) => Misuse::error(format!("the program's context {problem}")),
            other => anyhow::Error::new(other),
        })?;
        veil.hold(&self.behalf.run, held);
        let ran = self.run_with_secrets(program).await;
        veil.drop_secrets(&self.behalf.run);
        ran
    }

    async fn run_with_secrets(&mut self, program: Program) -> anyhow::Result<Ran> {
        let (session, hearing) = (&mut self.session, Arc::clone(&self.hearing));
        let (tools, checks, earlier) =
            (self.tools.as_ref(), self.checks.as_ref(), self.earlier.clone());
        let (reviews, reviewing) = (&self.reviews, &self.reviewing);
        let behalf = self.behalf.clone();
        let nursery = Nursery {
            engine: Arc::clone(session.engine()),
            others: self.others.clone(),
            checks: self.checks.clone(),
            reviews: Arc::clone(&self.reviews),
            reviewing: self.reviewing.clone(),
            rests: None,
        };
        let run = async move {
            let mut offer = None;
            let mut checked = None;
            let limits = session.start().limits.clone();
            if let Some(checks) = checks {
                let (report, offered) = checks.examine(tools, &program, earlier, &limits).await;
                let verdict = reviewing.verdict(&report.review, behalf.level);
                let refused = gateway::refusal(&report);
                if let Some(refused) = refused.or_else(|| gateway::review_refusal(&verdict, None)) {
                    return Ok(Err(refused));
                }
                offer = offered;
                checked = Some(report);
            } else if !reviewing.at(behalf.level).allow_all() {
                let (review, _) = reviews.review(tools, &program, &limits).await;
                let verdict = reviewing.verdict(&review, behalf.level);
                if let Some(refused) = gateway::review_refusal(&verdict, None) {
                    return Ok(Err(refused));
                }
            }
            if let Some(tools) = tools {
                let source = &program.source;
                let refused = nursery.refused_skill(tools, source, &limits, &behalf).await;
                if let Some(error) = refused {
                    return Ok(Err(Outcome::failed(*error)));
                }
            }
            let offer = match (tools, offer) {
                (_, Some(offer)) => Some(offer),
                (Some(tools), None) => Some(tools.offer(&program.source).await),
                (None, None) => None,
            };
            let ran = match offer {
                Some(offer) => {
                    let nursery = Some(nursery);
                    gateway::run_with(session, program, offer, behalf, hearing, nursery).await
                }
                None => session.run(program, Arc::new(NoCalls)).await,
            };
            let mut outcome = ran?;
            if let Some(report) = &checked {
                gateway::advise(&mut outcome, report);
            }
            let left = checked.as_ref().map_or(Earlier::Something, Earlier::after);
            Ok(Ok((outcome, left)))
        };
        let Some(ended) = interrupt::unless_interrupted(run).await? else {
            return Ok(Ran::Cancelled(self.session.used()));
        };
        let (outcome, left) = match ended.map_err(|error| self.explained(error))? {
            Ok(ended) => ended,
            // Nothing ran, so there is nothing new to keep.
            Err(refused) => return Ok(Ran::Ended(Box::new(refused), None)),
        };
        self.earlier = left;
        let kept = if Ending::of(&outcome).is_stopped() { Ok(()) } else { self.keep().await };
        Ok(Ran::Ended(Box::new(outcome), kept.err()))
    }

    /// Ends the connections to servers in an orderly way, and keeps what was learned from them.
    pub(crate) async fn close(self) {
        if let Some(tools) = self.tools {
            tools.close().await;
        }
    }

    async fn keep(&mut self) -> anyhow::Result<()> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        let frozen = self.session.freeze().await;
        match frozen.context("the session could not be frozen; it is as it was before this run")? {
            Some(image) => kept.save(&image),
            None => Ok(()),
        }
    }

    /// Says whose fault it was that a run could not even begin.
    fn explained(&self, error: SessionError) -> anyhow::Error {
        let held = self.kept.as_ref().map(|kept| &kept.held);
        match (&error, held) {
            (SessionError::Start(StartError::UnknownImage { .. }), _) => {
                Misuse::error(error.to_string())
            }
            (SessionError::Start(StartError::Image(ImageError::TooLarge { .. })), Some(held)) => {
                Misuse::error(format!(
                    "the session `{}` holds more than these limits allow ({error}); give more \
                     --memory, or --level development",
                    held.name()
                ))
            }
            (SessionError::Start(StartError::Image(_)), Some(held)) => {
                anyhow::Error::new(error).context(held.store().damaged(held.name()))
            }
            (_, Some(held)) => anyhow::Error::new(error)
                .context(format!("could not run in the session `{}`", held.name())),
            (_, None) => anyhow::Error::new(error)
                .context("could not run the program; `tidegate doctor` looks for the cause"),
        }
    }
}

impl Kept {
    fn save(&mut self, image: &Image) -> anyhow::Result<()> {
        let before = match self.details.take() {
            Some(before) => before,
            None => Details::new(image_name(&self.config, image)?, image.header().base),
        };
        let details = Details {
            last_run: units::now(),
            runs: before.runs + 1,
            level: self.level.to_owned(),
            ..before
        };
        self.held.save(image, &details)?;
        self.details = Some(details);
        Ok(())
    }
}

/// Takes a session once nobody else uses it.
async fn take_turn(store: &Store, name: &SessionName) -> anyhow::Result<Held> {
    let (store, name) = (store.clone(), name.clone());
    let wait = move || {
        store.hold(&name, || {
            out::tell(format_args!("the session `{name}` is in use; waiting for its turn"));
        })
    };
    interrupt::or_exit("cancelled; nothing was run", wait).await?
}

/// What is known of a session; if its description was lost, what can be found out again.
fn details_of(
    config: &Config,
    store: &Store,
    name: &SessionName,
    image: &Image,
) -> anyhow::Result<Details> {
    let base = image.header().base;
    match store.existing(name)?.details.filter(|known| known.base == base) {
        Some(details) => Ok(details),
        None => Ok(Details::new(image_name(config, image)?, base)),
    }
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

fn refuse_another_seed(name: &SessionName, seed: Option<u64>) -> anyhow::Result<()> {
    if seed.is_none() {
        return Ok(());
    }
    Err(Misuse::error(format!(
        "the session `{name}` exists already and goes on with its own chance; leave --seed out, or \
         choose another --session"
    )))
}

/// What the base of a frozen guest is called here. Versions that share a cache call their own `base` so,
/// whichever the name stands for in there.
fn image_name(config: &Config, image: &Image) -> anyhow::Result<String> {
    let base = image.header().base;
    let cache = config.cache()?;
    if let Some(named) = cache.images()?.iter().find(|record| record.digest == base) {
        return Ok(named.name.to_string());
    }
    let before = cache.find_record_by_digest(&base)?.filter(|record| record.name.is_built_in());
    Ok(before.map_or_else(|| base.to_string(), |record| record.name.to_string()))
}
