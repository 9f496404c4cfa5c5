//! `tidegate image`: images of one's own, with other imports or data loaded.

mod needed;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use engine::{Digest, Language};
use engine_wasm::cache::{Cache, ImageLookupError, ImageName, ImageRecord};
use engine_wasm::install::{self, InstallError, Recipe};
use engine_wasm::{Builder, guest_digest, pack};
use serde_json::{Value, json};

use crate::config::Config;
use crate::exit::{Ending, Misuse};
use crate::progress::Bar;
use crate::{interrupt, out, runtime, service, show, units};

/// Options of `tidegate image`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run a warm-up program and keep the interpreter it leaves.
    Build(Build),
    /// List all images.
    List {
        /// Print a JSON array instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Say what is in an image.
    Show {
        /// The image.
        name: ImageName,
        /// Print a JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Remove an image of one's own.
    Remove {
        /// The image.
        name: ImageName,
        /// Remove it though sessions or runs of a gateway build on it; they cannot be continued then.
        #[arg(long)]
        force: bool,
    },
    /// Remove what is left of images that were built again, unless a session or a run needs it.
    Prune,
}

#[derive(Debug, Args)]
struct Build {
    /// What to call it: lower-case letters, digits and hyphens.
    name: ImageName,
    /// The program whose variables and imports the image holds.
    #[arg(long, value_name = "FILE.py")]
    warm: PathBuf,
    /// A pure-Python wheel or folder to bring along; may be given several times.
    #[arg(long, value_name = "WHEEL|DIR")]
    add: Vec<PathBuf>,
    /// The image to start from.
    #[arg(long, value_name = "IMAGE", default_value = "base")]
    from: ImageName,
}

/// Runs `tidegate image`.
pub(crate) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<Ending> {
    match arguments.action {
        Action::Build(options) => build(config, options).await,
        Action::List { json } => list(&config.cache()?, json),
        Action::Show { name, json } => describe(&config.cache()?, &name, json),
        Action::Remove { name, force } => remove(config, &name, force),
        Action::Prune => prune(config),
    }?;
    Ok(Ending::Success)
}

async fn build(config: &Config, options: Build) -> anyhow::Result<()> {
    if options.from == ImageName::first() {
        return Err(Misuse::error(
            "there is no image called \"first\" to start from; `tidegate image list` shows those there are",
        ));
    }
    if options.name.is_built_in() {
        return Err(Misuse::error(InstallError::BuiltInName { name: options.name }.to_string()));
    }
    let warm = std::fs::read_to_string(&options.warm).map_err(|error| {
        let file = options.warm.display();
        Misuse::error(format!("could not read the warm-up program {file}: {error}; check --warm"))
    })?;
    let packages = match options.add.as_slice() {
        [] => None,
        sources => Some(pack(sources).map_err(|error| refused_package(&error))?),
    };
    let installed = runtime::ready(config).await?;
    let (plan, started) = (runtime::plan()?, Instant::now());
    let (name, parent, guest) = (options.name, options.from, guest_digest());
    let recipe = Recipe { name, parent, warm, guest, packages };
    let work = move || install::add_image(&installed, &plan, &recipe, &Builder, &Bar::new());
    let image =
        interrupt::or_exit("interrupted; no image was made", work).await?.map_err(blamed)?;
    let ImageRecord { name, bytes, imports, .. } = &image.record;
    out::line(format_args!(
        "built the image `{name}` in {:.1} s: {} of memory, {} modules imported; use it with --image {name}",
        started.elapsed().as_secs_f64(),
        units::size(*bytes),
        imports.len(),
    ))
    .context(show::LOST)
}

/// What the user chose is the user's to change; the rest is the machine's fault.
fn blamed(error: InstallError) -> anyhow::Error {
    match error {
        InstallError::Image { name, source } => {
            Misuse::error(format!("could not make the image {name}: {source}"))
        }
        InstallError::Lookup(error @ ImageLookupError::Unknown { .. }) => {
            Misuse::error(error.to_string())
        }
        error => error.into(),
    }
}

fn refused_package(error: &engine_wasm::PackageError) -> anyhow::Error {
    let because = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    Misuse::error(format!("{error}{}; check --add", because.unwrap_or_default()))
}

fn list(cache: &Cache, json: bool) -> anyhow::Result<()> {
    let mut images = cache.images()?;
    // What the built-in ones are made from; nothing runs in it.
    images.retain(|image| image.name != ImageName::first());
    let (others, damaged): (Vec<_>, Vec<_>) =
        cache.unreadable_images()?.into_iter().partition(|name| name.contains('@'));
    if !others.is_empty() {
        out::tell(format_args!(
            "{} images were made by another version; `tidegate image prune` removes those that no session needs",
            others.len()
        ));
    }
    for name in damaged {
        out::tell(format_args!(
            "the image `{name}` is damaged: what is known of it cannot be read; \
             `tidegate image build {name} --warm FILE.py` makes it again"
        ));
    }
    if json {
        let all: Vec<Value> = images.iter().map(record_json).collect();
        return out::line(Value::from(all)).context(show::LOST);
    }
    if images.is_empty() {
        out::tell("there are no images yet; `tidegate runtime install` makes the built-in ones");
        return Ok(());
    }
    let mut table = show::table(["image", "memory", "made", "from", "modules", ""]);
    for image in &images {
        let parent = image.parent.as_ref().map_or("the module", |parent| parent.name.as_str());
        let built_in = if image.name.is_built_in() { "built in" } else { "" };
        table.add_row([
            image.name.as_str(),
            &units::size(image.bytes),
            &units::age(image.created),
            parent,
            &image.imports.len().to_string(),
            built_in,
        ]);
    }
    out::line(table.trim_fmt()).context(show::LOST)
}

fn describe(cache: &Cache, name: &ImageName, json: bool) -> anyhow::Result<()> {
    let image = cache.image_record(name).map_err(unknown)?;
    if json {
        return out::line(record_json(&image)).context(show::LOST);
    }
    let parent =
        image.parent.as_ref().map_or("the module".into(), |parent| parent.name.to_string());
    let packages = image.packages.map_or("none".to_owned(), |digest| digest.to_string());
    let rows = [
        ("image", image.name.to_string()),
        ("digest", image.digest.to_string()),
        ("memory", units::size(image.bytes)),
        ("made", units::age(image.created)),
        ("from", parent),
        ("packages", packages),
        ("imports", image.imports.join(", ")),
    ];
    for (label, value) in rows {
        out::line(format_args!("{label:<9} {value}")).context(show::LOST)?;
    }
    if image.name.is_built_in() {
        return Ok(());
    }
    out::line("warm-up program:").context(show::LOST)?;
    out::line(out::clean(image.warm.trim_end())).context(show::LOST)
}

fn remove(config: &Config, name: &ImageName, force: bool) -> anyhow::Result<()> {
    let cache = config.cache()?;
    let image = cache.image_record(name).map_err(unknown)?;
    let users: Vec<String> = sessions_on(config, &image.digest)?;
    if !force && !users.is_empty() && !name.is_built_in() {
        return Err(Misuse::error(format!(
            "these sessions build on the image {name}: {}; `tidegate session delete` them first, or \
             give --force and lose them",
            users.join(", ")
        )));
    }
    if !force && !name.is_built_in() {
        let resting = needed::users(&service::Place::known(config)?, &image.digest)?;
        if !resting.is_empty() {
            return Err(Misuse::error(format!(
                "a gateway keeps what builds on the image {name}: {}; wait for the runs or cancel them, and delete \
                 the sessions there (`DELETE /api/v1/sessions/ID`), or give --force and lose them",
                resting.join(", ")
            )));
        }
    }
    let freed = cache.remove_image(name).map_err(unknown)?;
    out::line(format_args!("removed the image `{name}` ({})", units::size(freed)))
        .context(show::LOST)
}

fn prune(config: &Config) -> anyhow::Result<()> {
    let entries = config.store()?.list()?;
    // A session whose description was lost may need anything.
    if let Some(lost) = entries.iter().find(|entry| entry.details.is_none()) {
        return Err(Misuse::error(format!(
            "the description of the session `{0}` was lost, so nobody knows which image it needs; run \
             something in it or `tidegate session delete {0}`",
            lost.name
        )));
    }
    let mut needed: Vec<Digest> =
        entries.iter().filter_map(|entry| Some(entry.details.as_ref()?.base)).collect();
    needed.extend(needed::bases(&service::Place::known(config)?)?);
    let cache = config.cache()?;
    // Another version that shares the cache may call its own by the names of ours.
    for language in [Language::Python, Language::TypeScript] {
        let own = install::images_of(&cache, &runtime::plan_of(language)?)?;
        needed.extend(own.iter().map(|image| image.digest));
    }
    let freed = cache.remove_superseded(&|digest| needed.contains(digest))?;
    out::line(format_args!("removed {} of images that nothing needs", units::size(freed)))
        .context(show::LOST)
}

/// The sessions that build on an image.
fn sessions_on(config: &Config, digest: &Digest) -> anyhow::Result<Vec<String>> {
    let entries = config.store()?.list()?;
    let builds_on = |base: Option<Digest>| base.is_some_and(|base| base == *digest);
    let users = entries.iter().filter(|entry| builds_on(entry.details.as_ref().map(|it| it.base)));
    Ok(users.map(|entry| entry.name.to_string()).collect())
}

fn unknown(error: ImageLookupError) -> anyhow::Error {
    match error {
        ImageLookupError::Unknown { .. } | ImageLookupError::BuiltIn { .. } => {
            Misuse::error(error.to_string())
        }
        error => error.into(),
    }
}

fn record_json(image: &ImageRecord) -> Value {
    json!({
        "name": image.name,
        "digest": image.digest,
        "bytes": image.bytes,
        "created": image.created,
        "parent": image.parent.as_ref().map(|parent| &parent.name),
        "built_in": image.name.is_built_in(),
        "packages": image.packages,
        "imports": image.imports,
    })
}
