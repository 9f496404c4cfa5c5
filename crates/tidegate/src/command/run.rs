//! `tidegate run`: one program, and what came of it.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use engine::{
    Context, Host, Language, Outcome, Program, ProgramError, Start, Stream, Usage, is_variable,
    is_variable_of, other_name,
};

use super::explain;
use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::gatekeeper::{self, ApproveOptions};
use crate::limits::{LimitOptions, Resolved};
use crate::opened::{Choice, Opened, Ran};
use crate::out::{self, HINT, Live};
use crate::show::{self, Texts};
use crate::store::SessionName;
use crate::written::LanguageOption;

/// What is said after Ctrl-C.
pub(super) const CANCELLED: &str = "cancelled; the session is as it was before this run";

/// The largest source and context read. More is a mistake, such as a device file.
const MOST_INPUT: u64 = 256 << 20;

/// Options of `tidegate run`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(crate) struct Arguments {
    /// The program: a file, or `-` for standard input.
    #[arg(conflicts_with = "code", required_unless_present_any = ["code", "explain"])]
    file: Option<PathBuf>,
    /// The program itself.
    #[arg(short, long, allow_hyphen_values = true)]
    code: Option<String>,
    #[command(flatten)]
    written: LanguageOption,
    /// Variables for the program: a JSON object, or `@file` with one.
    #[arg(long, value_name = "JSON|@FILE", allow_hyphen_values = true)]
    context: Option<String>,
    /// A secret, which the program has as a handle only: NAME='${env:VARIABLE}'.
    #[arg(long, value_name = "NAME=REFERENCE")]
    secret: Vec<String>,
    /// Continue this session and keep it on disk.
    #[arg(long, value_name = "NAME")]
    session: Option<SessionName>,
    /// Start from this image instead of one chosen by what the program imports.
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// Use the servers of this `mcpServers` file too, without importing them.
    #[arg(long, value_name = "FILE")]
    mcp_config: Vec<PathBuf>,
    /// Make chance repeat: the same seed gives the same `random`.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Print one JSON object instead of text for people.
    #[arg(long)]
    json: bool,
    /// Write pictures the program leaves open into this folder.
    #[arg(long, value_name = "FOLDER")]
    artifacts: Option<PathBuf>,
    /// Run without checking the program first.
    #[arg(long)]
    no_check: bool,
    /// Show the traceback of an exception too.
    #[arg(short = 'v', long)]
    traceback: bool,
    /// Print what the program would be allowed, and run nothing.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    approve: ApproveOptions,
    #[command(flatten)]
    limits: LimitOptions,
}

/// Runs `tidegate run`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let resolved = arguments.limits.resolve(|level| config.limits_of(level))?;
    resolved.warn();
    if arguments.explain {
        let print = if arguments.json { explain::print_json } else { explain::print };
        return print(&resolved).map(|()| Ending::Success).context(show::LOST);
    }
    let program = || {
        let file = arguments.file.as_deref();
        let language = arguments.written.of(config, file, arguments.session.as_ref())?;
        let context = read_context(arguments.context.as_deref(), language)?;
        let context = with_secrets(config, &arguments, context)?;
        Ok(Program { source: source(&arguments)?, language, context })
    };
    if !arguments.json {
        return run_for_people(config, &arguments, resolved, program()?).await;
    }
    let ran = match program() {
        Ok(program) => run_for_programs(config, &arguments, resolved, program).await,
        Err(error) => Err(error),
    };
    ran.or_else(|error| {
        show::failure_json(&error)?;
        Ok(Ending::of_error(&error))
    })
}

async fn run_for_people(
    config: &Config,
    arguments: &Arguments,
    resolved: Resolved,
    program: Program,
) -> anyhow::Result<Ending> {
    let live = Arc::new(Live::default());
    let ran = open_and_run(config, arguments, resolved, Arc::clone(&live) as _, program).await;
    live.finish().context(show::LOST)?;
    let Ran::Ended(outcome, unkept) = ran? else {
        out::tell(CANCELLED);
        return Ok(Ending::Interrupted);
    };
    show::value(&outcome, Texts::Plain).context(show::LOST)?;
    if let Some(error) = &outcome.error {
        show::error(error, arguments.traceback);
    }
    if let Some(note) = &outcome.note {
        out::tell(format_args!("{HINT}note:{HINT:#} {}", out::clean(note)));
    }
    keep_artifacts(&outcome, arguments)?;
    unkept.map_or(Ok(Ending::of(&outcome)), Err)
}

async fn run_for_programs(
    config: &Config,
    arguments: &Arguments,
    resolved: Resolved,
    program: Program,
) -> anyhow::Result<Ending> {
    let started = Instant::now();
    let heard = Arc::new(Heard::default());
    let ran = open_and_run(config, arguments, resolved, Arc::clone(&heard) as _, program).await?;
    let (mut outcome, unkept) = match ran {
        Ran::Ended(outcome, unkept) => (*outcome, unkept),
        Ran::Cancelled(used) => (cancelled(&heard, used, started), None),
    };
    if let Some(error) = &unkept {
        outcome.note = Some(format!("the session was not kept and is as it was before: {error:#}"));
    }
    show::outcome_json(&outcome)?;
    if arguments.artifacts.is_some() {
        keep_artifacts(&outcome, arguments)?;
    }
    Ok(match unkept {
        None => Ending::of(&outcome),
        Some(error) => {
            out::problem(&error);
            Ending::of_error(&error)
        }
    })
}

async fn open_and_run(
    config: &Config,
    arguments: &Arguments,
    resolved: Resolved,
    host: Arc<dyn Host>,
    program: Program,
) -> anyhow::Result<Ran> {
    let engine = crate::runtime::engine_of(config, program.language).await?;
    let Resolved { level, limits, .. } = resolved;
    let start = Start {
        limits,
        image: arguments.image.clone(),
        seed: arguments.seed,
        host,
        ..Start::default()
    };
    let options = config.upstream_options()?;
    let tools = crate::tools::open_all(config, &arguments.mcp_config, options).await?;
    // Standard input may be the program.
    let can_ask = arguments.file.as_ref().is_none_or(|file| file.as_os_str() != "-");
    gatekeeper::employ(config, &tools, &arguments.approve, can_ask && !arguments.json);
    let tools = Some(tools);
    let checks = if arguments.no_check { None } else { config.checks()? };
    let name = arguments.session.as_ref();
    let choice = Choice { name, start, level, tools, checks };
    let mut opened = Opened::new(config, engine, choice).await?;
    let ran = opened.run(program).await;
    opened.close().await;
    ran
}

/// Writes pictures to files, or says how to get them.
fn keep_artifacts(outcome: &Outcome, arguments: &Arguments) -> anyhow::Result<()> {
    match (&arguments.artifacts, outcome.artifacts.len()) {
        (_, 0) => {}
        (Some(folder), _) => {
            for path in show::write_artifacts(&outcome.artifacts, folder)? {
                out::tell(format_args!("wrote {}", path.display()));
            }
        }
        (None, 1) => out::tell("1 picture was produced; --artifacts FOLDER writes it to a file"),
        (None, count) => out::tell(format_args!(
            "{count} pictures were produced; --artifacts FOLDER writes them to files"
        )),
    }
    Ok(())
}

fn source(arguments: &Arguments) -> anyhow::Result<String> {
    match (&arguments.code, &arguments.file) {
        (Some(code), _) => Ok(code.clone()),
        (None, Some(file)) => read_program(file),
        (None, None) => Err(Misuse::error("there is no program; give a FILE, -c CODE or -")),
    }
}

/// The program in a file, or on standard input if that is called `-`.
pub(super) fn read_program(file: &Path) -> anyhow::Result<String> {
    read_input(file, "the program")
}

/// The text of a file, or of standard input if that is called `-`.
pub(super) fn read_input(file: &Path, what: &str) -> anyhow::Result<String> {
    let bytes = if file.as_os_str() == "-" {
        read(&mut io::stdin().lock(), &format!("{what} from standard input"))?
    } else {
        read_file(file, what)?
    };
    String::from_utf8(bytes).map_err(|_| {
        Misuse::error(format!("{what}: this is not UTF-8 text; convert the file and try again"))
    })
}

/// The variables that `--context` gives.
pub(super) fn read_context(given: Option<&str>, language: Language) -> anyhow::Result<Context> {
    let Some(given) = given else { return Ok(Context::new()) };
    let text = match given.strip_prefix('@') {
        Some(file) => read_file(Path::new(file), "the --context file")?,
        None => given.to_owned().into_bytes(),
    };
    match serde_json::from_slice::<Context>(&text) {
        Ok(context) => match context.keys().find(|key| !is_variable_of(language, key)) {
            None => Ok(context),
            Some(key) => Err(Misuse::error(format!(
                "--context has the key {key:?}, which cannot be a variable; {}",
                other_name(language, key)
            ))),
        },
        Err(error) if error.is_data() => Err(Misuse::error(
            r#"--context wants a JSON object whose keys become variables, such as {"rows": [1, 2]}"#,
        )),
        Err(error) => Err(Misuse::error(format!(
            "--context is not JSON ({error}); quote it for the shell, or put it into a file and give @FILE"
        ))),
    }
}

/// The variables, and those that are secret.
fn with_secrets(
    config: &Config,
    arguments: &Arguments,
    mut context: Context,
) -> anyhow::Result<Context> {
    for given in &arguments.secret {
        let Some((name, reference)) = given.split_once('=').filter(|(name, _)| is_variable(name))
        else {
            return Err(Misuse::error(
                "--secret wants NAME=REFERENCE, such as db='${env:DB_PASSWORD}', and a name of letters, digits and _",
            ));
        };
        let value = config
            .secret(reference)
            .map_err(|error| Misuse::error(format!("--secret {name}: {error:#}")))?;
        let marked = serde_json::value::to_raw_value(&serde_json::json!({ "$secret": value }))?;
        context.insert(name.to_owned(), marked);
    }
    Ok(context)
}

fn read_file(path: &Path, what: &str) -> anyhow::Result<Vec<u8>> {
    let wrong = |error: io::Error| {
        Misuse::error(format!("could not read {what} {}: {error}; check the path", path.display()))
    };
    let metadata = std::fs::metadata(path).map_err(wrong)?;
    if metadata.is_dir() {
        let path = path.display();
        return Err(Misuse::error(format!(
            "could not read {what} {path}: it is a folder; name a file"
        )));
    }
    read(&mut std::fs::File::open(path).map_err(wrong)?, what)
}

fn read(from: &mut dyn io::Read, what: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST_INPUT + 1).read_to_end(&mut bytes).map_err(|error| {
        Misuse::error(format!("could not read {what}: {error}; check the input"))
    })?;
    if bytes.len() as u64 > MOST_INPUT {
        return Err(Misuse::error(format!("{what} has more than {MOST_INPUT} bytes; pass less")));
    }
    Ok(bytes)
}

/// Keeps what a program writes, for an outcome that the engine cannot give any more.
#[derive(Debug, Default)]
struct Heard {
    output: Mutex<[Vec<u8>; 2]>,
}

impl Host for Heard {
    fn wrote(&self, stream: Stream, bytes: &[u8]) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output[usize::from(stream == Stream::Stderr)].extend_from_slice(bytes);
    }
}

/// The outcome of a run that Ctrl-C ended.
fn cancelled(heard: &Heard, used: Usage, started: Instant) -> Outcome {
    let output = heard.output.lock().unwrap_or_else(PoisonError::into_inner);
    let [stdout, stderr] = [0, 1].map(|at| String::from_utf8_lossy(&output[at]).into_owned());
    let usage =
        Usage { stdout_bytes: stdout.len() as u64, stderr_bytes: stderr.len() as u64, ..used };
    let error = ProgramError {
        kind: "Cancelled".to_owned(),
        message: "the run was cancelled (Ctrl-C or SIGTERM)".to_owned(),
        ..ProgramError::default()
    };
    Outcome {
        stdout,
        stderr,
        note: Some(CANCELLED.to_owned()),
        execution_time_ms: crate::units::millis(started.elapsed()),
        usage,
        ..Outcome::failed(error)
    }
}
