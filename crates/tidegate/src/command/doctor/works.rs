//! The runtime: whether it is complete, and whether programs run in it as fast as they should.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use engine::{Engine, Language, NoCalls, Program, Session, Start};
use engine_wasm::install::{self, Installed};
use gateway::{CompilerError, CompilerKind};

use super::Finding;
use crate::config::Config;
use crate::{runtime, units};

const INSTALL: &str = "tidegate runtime install";
const INSTALL_SCRIPT: &str = "tidegate runtime install typescript";
const REPAIR: &str = "tidegate runtime verify, then tidegate runtime install";

/// A fresh interpreter that takes longer is worth a look; usual is a millisecond or two.
const SLOW: Duration = Duration::from_millis(50);
/// Loading code and image that takes longer is worth a look.
const SLOW_OPEN: Duration = Duration::from_millis(100);

/// Looks at the runtime and runs a program in it. Installs nothing.
pub(super) async fn runtime(config: &Config) -> Vec<Finding> {
    let installed = match find(config) {
        Ok(Some(installed)) => installed,
        Ok(None) => {
            return vec![Finding::bad("runtime", "not installed, or of another version", INSTALL)];
        }
        Err(error) => return vec![Finding::bad("runtime", format!("{error:#}"), REPAIR)],
    };
    let images = installed.cache().images().map_or(0, |images| images.len());
    let detail = format!("complete, {images} images");
    let mut findings = vec![Finding::good("runtime", detail)];
    for image in installed.cache().images().unwrap_or_default() {
        // Opened as a run would open it.
        if let Err(error) = installed.cache().image(&image.name) {
            let fix = format!("tidegate image build {} --warm FILE.py", image.name);
            findings.push(Finding::warning("image", error.to_string(), fix));
        }
    }
    match try_out(installed).await {
        Ok(times) => findings.extend(times.judged()),
        Err(error) => findings.push(Finding::bad("run a program", format!("{error:#}"), REPAIR)),
    }
    findings
}

/// Looks at the runtime of TypeScript, which most never need, and runs a program in it where it is there.
pub(super) async fn typescript(config: &Config) -> Finding {
    let installed = match find_in(config, Language::TypeScript) {
        Ok(Some(installed)) => installed,
        Ok(None) => {
            return Finding::good("typescript", "not installed; the first program in it does that");
        }
        Err(error) => return Finding::warning("typescript", format!("{error:#}"), INSTALL_SCRIPT),
    };
    match try_script(installed).await {
        Ok(took) => {
            let detail = format!("fresh interpreter and result in {:.2} ms", units::millis(took));
            judged("typescript", took, SLOW, detail)
        }
        Err(error) => Finding::warning("typescript", format!("{error:#}"), INSTALL_SCRIPT),
    }
}

/// Looks for the user's own TypeScript compiler: the one that a setting names has to be there, any other may be.
pub(super) async fn compiler(config: &Config) -> Finding {
    const NAME: &str = "ts compiler";
    let checker = match config.general() {
        Ok(general) => general.checker,
        Err(error) => return Finding::bad(NAME, format!("{error:#}"), "mend the configuration"),
    };
    let kinds = checker.map_or(CompilerKind::ALL.to_vec(), |kind| vec![kind]);
    let found = kinds.into_iter().find_map(|kind| Some((kind, Config::compiler_of(kind).ok()?)));
    match (found, checker) {
        (Some((kind, compiler)), _) => match compiler.version().await {
            Ok(version) => {
                let path = compiler.path().display();
                let used = if checker.is_some() {
                    "checks programs in TypeScript".to_owned()
                } else {
                    format!(
                        "not used; `checker = \"{kind}\"` checks programs in TypeScript with it"
                    )
                };
                Finding::good(NAME, format!("{path}, version {version}, {used}"))
            }
            Err(error) if checker.is_some() => {
                Finding::bad(NAME, error.to_string(), kind.install())
            }
            Err(error) => Finding::warning(NAME, error.to_string(), kind.install()),
        },
        (None, Some(kind)) => {
            let error = CompilerError::Missing { kind };
            Finding::bad(NAME, error.to_string(), kind.install())
        }
        (None, None) => {
            let how = CompilerKind::Tsc.install();
            Finding::good(
                NAME,
                format!("none in PATH, and none needed; `{how}` brings one for `checker`"),
            )
        }
    }
}

async fn try_script(installed: Installed) -> anyhow::Result<Duration> {
    let engine: Arc<dyn Engine> = Arc::new(runtime::open(installed)?);
    let source = "const x: number = [...Array(100).keys()].reduce((a, b) => a + b);\nx";
    let mut took = Duration::ZERO;
    // As with Python, the first of a process is not typical.
    for _ in 0..2 {
        let mut session = Session::new(Arc::clone(&engine), Start::default());
        took = expect(&mut session, source, "4950").await?;
    }
    Ok(took)
}

fn find(config: &Config) -> anyhow::Result<Option<Installed>> {
    find_in(config, Language::Python)
}

fn find_in(config: &Config, language: Language) -> anyhow::Result<Option<Installed>> {
    Ok(install::find(&config.cache()?, &runtime::plan_of(language)?)?)
}

/// What trying out took.
struct Times {
    open: Duration,
    fresh: Duration,
    next: Duration,
    freeze: Duration,
    thaw: Duration,
    frozen_bytes: usize,
}

async fn try_out(installed: Installed) -> anyhow::Result<Times> {
    let begun = Instant::now();
    let engine: Arc<dyn Engine> = Arc::new(runtime::open(installed)?);
    let open = begun.elapsed();

    // The first of a process also pays for pages of the code; the second is typical.
    let mut fresh = Duration::ZERO;
    let mut session = Session::new(Arc::clone(&engine), Start::default());
    for _ in 0..2 {
        session = Session::new(Arc::clone(&engine), Start::default());
        fresh = expect(&mut session, "x = sum(range(100))\nx", "4950").await?;
    }
    let begun = Instant::now();
    let image = session.freeze().await?.context("nothing was frozen though a program ran")?;
    let freeze = begun.elapsed();
    let next = expect(&mut session, "x + 1", "4951").await?;

    let frozen_bytes = image.as_bytes().len();
    let mut thawed = Session::from_image(engine, Start::default(), image);
    let thaw = expect(&mut thawed, "x + 2", "4952").await?;
    Ok(Times { open, fresh, next, freeze, thaw, frozen_bytes })
}

/// Runs a program and insists on its value.
async fn expect(session: &mut Session, source: &str, value: &str) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let program = Program::new(source).in_language(session.engine().language());
    let outcome = session.run(program, Arc::new(NoCalls)).await?;
    let took = begun.elapsed();
    if let Some(error) = outcome.error {
        anyhow::bail!("{source:?} failed with {}: {}", error.kind, error.message);
    }
    let found = outcome.return_value.get();
    ensure!(found == value, "{source:?} gave {found} instead of {value}");
    Ok(took)
}

impl Times {
    fn judged(&self) -> Vec<Finding> {
        let Self { open, fresh, next, freeze, thaw, frozen_bytes } = self;
        let millis = |time: &Duration| format!("{:.2} ms", units::millis(*time));
        let sessions = format!(
            "next program {}, freeze {} ({}), thaw and run {}",
            millis(next),
            millis(freeze),
            units::size(*frozen_bytes as u64),
            millis(thaw)
        );
        vec![
            judged("load runtime", *open, SLOW_OPEN, millis(open)),
            judged(
                "run a program",
                *fresh,
                SLOW,
                format!("fresh interpreter and result in {}", millis(fresh)),
            ),
            Finding::good("sessions", sessions),
        ]
    }
}

fn judged(name: &'static str, took: Duration, slow: Duration, detail: String) -> Finding {
    if took <= slow {
        return Finding::good(name, detail);
    }
    let fix = format!(
        "run `tidegate doctor` again on an idle machine; usual is under {}",
        units::duration(slow)
    );
    Finding::warning(name, detail, fix)
}
