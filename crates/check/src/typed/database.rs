//! The type checker's database over files in memory.

use std::panic::RefUnwindSafe;
use std::sync::Arc;

use ruff_db::Db as SourceDb;
use ruff_db::diagnostic::Diagnostic;
use ruff_db::file_revision::FileRevision;
use ruff_db::files::{File, FileRootKind, Files, system_path_to_file};
use ruff_db::system::{InMemorySystem, System, SystemPath, SystemPathBuf};
use ruff_db::vendored::VendoredFileSystem;
use ruff_python_ast::PythonVersion;
use salsa::Setter as _;
use ty_module_resolver::{Db as ModuleResolverDb, FallibleStrategy, SearchPathSettings};
use ty_python_core::platform::PythonPlatform;
use ty_python_core::program::{Program, ProgramSettings};
use ty_python_core::{Db as PythonCoreDb, ProgramFile};
use ty_python_semantic::lint::{LintRegistry, RuleSelection};
use ty_python_semantic::{
    AnalysisSettings, Db, PythonVersionSource, PythonVersionWithSource, check_file_unwrap,
    default_lint_registry,
};

/// Where programs look for modules that are not of the standard library.
const TOP: &str = "/";
/// Where the program itself lies.
const PROGRAM_FOLDER: &str = "/__tidegate_program__";

/// One database. It has one user at a time.
#[salsa::db]
pub(crate) struct Database {
    storage: salsa::Storage<Self>,
    files: Files,
    system: InMemorySystem,
    vendored: VendoredFileSystem,
    rules: Arc<RuleSelection>,
    analysis: Arc<AnalysisSettings>,
    settings: ProgramSettings,
    /// How often something was written. Times are too coarse to tell two texts apart.
    revision: u128,
}

impl RefUnwindSafe for Database {}

impl Database {
    pub(crate) fn new() -> Self {
        let vendored = ty_vendored::file_system().clone();
        let mut database = Self {
            storage: salsa::Storage::new(None),
            files: Files::default(),
            system: InMemorySystem::default(),
            settings: ProgramSettings::empty(&vendored),
            vendored,
            rules: Arc::new(rules()),
            analysis: Arc::new(AnalysisSettings {
                respect_type_ignore_comments: false,
                ..AnalysisSettings::default()
            }),
            revision: 1,
        };
        let top = SystemPathBuf::from(TOP);
        // Only the program changes all the time; whatever depends on other files alone need not be
        // looked through again for each program.
        database.files.try_add_root(&database, &top, FileRootKind::SearchPath);
        let program = SystemPathBuf::from(PROGRAM_FOLDER);
        database.files.try_add_root(&database, &program, FileRootKind::Project);
        let paths = SearchPathSettings::new(vec![top]).to_search_paths(
            database.system(),
            database.vendored(),
            &FallibleStrategy,
        );
        let Ok(paths) = paths else { return database };
        paths.try_register_static_roots(&database);
        database.settings = ProgramSettings {
            python_version: PythonVersionWithSource {
                version: PythonVersion::PY315,
                source: PythonVersionSource::default(),
            },
            // The guest is none of the platforms that stubs know.
            python_platform: PythonPlatform::All,
            search_paths: paths,
        };
        database
    }

    /// Writes a file, whatever it held before.
    pub(crate) fn write(&mut self, path: &str, text: &str) {
        let path = SystemPath::new(path);
        let is_new = !self.system.fs().exists(path);
        // What is written again as it was need not be read again.
        if !is_new && self.system.fs().read_to_string(path).is_ok_and(|before| before == text) {
            return;
        }
        if self.system.fs().write_file_all(path, text).is_err() {
            return;
        }
        if is_new {
            File::sync_path(self, path);
        }
        self.revision += 1;
        let revision = FileRevision::new(self.revision);
        let mut place = Some(path);
        while let Some(path) = place {
            if let Some(file) = self.files.try_system(self, path) {
                file.set_revision(self).to(revision);
            }
            // Folders change only when a file is new in them.
            place = if is_new { path.parent() } else { None };
        }
    }

    pub(crate) fn file(&self, path: &str) -> Option<File> {
        system_path_to_file(self, SystemPath::new(path)).ok()
    }
}

/// The rules that are on by default, and one more.
fn rules() -> RuleSelection {
    let registry = default_lint_registry();
    let mut rules = RuleSelection::from_registry(registry);
    if let Ok(lint) = registry.get("division-by-zero") {
        rules.enable(
            lint,
            ruff_db::diagnostic::Severity::Error,
            ty_python_semantic::lint::LintSource::Default,
        );
    }
    rules
}

/// What is needed to make the program's settings known once.
#[salsa::db]
trait SettingsDb: Db {
    fn settings(&self) -> &ProgramSettings;
}

#[salsa::tracked(returns(copy))]
fn program(db: &dyn SettingsDb) -> Program<'_> {
    Program::from_settings(db, db.settings())
}

#[salsa::db]
impl SourceDb for Database {
    fn vendored(&self) -> &VendoredFileSystem {
        &self.vendored
    }

    fn system(&self) -> &dyn System {
        &self.system
    }

    fn files(&self) -> &Files {
        &self.files
    }
}

#[salsa::db]
impl ModuleResolverDb for Database {}

#[salsa::db]
impl PythonCoreDb for Database {
    fn should_check_file(&self, file: File) -> bool {
        !file.path(self).is_vendored_path()
    }
}

#[salsa::db]
impl Db for Database {
    fn check_file(&self, file: File) -> Vec<Diagnostic> {
        check_file_unwrap(self, self.program_file(file))
    }

    fn program_file(&self, file: File) -> ProgramFile<'_> {
        program(self).program_file(self, file)
    }

    fn python_version_with_source(&self, _file: File) -> &PythonVersionWithSource {
        &self.settings.python_version
    }

    fn rule_selection(&self, _file: File) -> &RuleSelection {
        &self.rules
    }

    fn lint_registry(&self) -> &LintRegistry {
        default_lint_registry()
    }

    fn analysis_settings(&self, _file: File) -> &AnalysisSettings {
        &self.analysis
    }

    fn verbose(&self) -> bool {
        false
    }

    fn is_open_file(&self, _file: File) -> bool {
        false
    }

    /// Only fixes of source code ask for it, and nobody asks for those.
    fn dyn_clone(&self) -> Box<dyn Db> {
        Box::new(Self::new())
    }
}

#[salsa::db]
impl SettingsDb for Database {
    fn settings(&self) -> &ProgramSettings {
        &self.settings
    }
}

#[salsa::db]
impl salsa::Database for Database {}
