//! The installed runtime, for tests that look inside a guest.

use std::path::PathBuf;
use std::sync::Arc;

use crate::install::{Installed, Silent, Source, install};
use crate::kit::{self, Kit};
use crate::language::Spoken as _;
use crate::machine::{Base, Machine};
use crate::memory::ImageFile;
use crate::{Builder, Language, plan_of};

/// The runtime that all tests share, installed if it was not.
pub(crate) fn installed() -> Installed {
    installed_of(Language::Python)
}

/// The same for the guest of a language.
pub(crate) fn installed_of(language: Language) -> Installed {
    let folder = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    let cache = crate::cache::Cache::at(folder);
    install(&cache, &Source::Registry, &plan_of(language).unwrap(), &Builder, &Silent).unwrap()
}

/// Runs `task` with a fresh guest, on a stack that is deep enough for it.
pub(crate) fn with_guest(task: impl FnOnce(&Kit, Machine) + Send + 'static) {
    with_guest_of(Language::Python, task);
}

/// The same for the guest of a language.
pub(crate) fn with_guest_of(language: Language, task: impl FnOnce(&Kit, Machine) + Send + 'static) {
    let installed = installed_of(language);
    let kit = kit::open(installed.parts()).unwrap();
    let stored = installed.image(&language.base()).unwrap();
    let file = stored.file.file().try_clone().unwrap();
    let base = Arc::new(Base {
        digest: stored.record.digest,
        image: Arc::new(ImageFile::new(file, stored.record.hot_pages).unwrap()),
        entry: stored.record.entry,
        packages: crate::files::GivenFolder::default(),
    });
    let done = kit::on_deep_stack(move || {
        let machine = Machine::fresh(&kit, &base, Arc::default())?;
        task(&kit, machine);
        Ok(())
    });
    done.unwrap();
}
