//! The user's own TypeScript compiler, asked about a program before it runs.
//!
//! It is a process of its own that reads a hostile program: it gets a folder with nothing else in it, few
//! variables of the environment, and so much time; its answer is read up to a limit, and is no more than text
//! ([`check::compiled`] says what of it counts). Where it goes wrong in any way, the program was not compiled,
//! and may run.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use std::time::Duration;

use check::compiled::Project;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::warn;

/// How long one program may take to be compiled.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of an answer that are read.
const MOST_BYTES: u64 = 4 << 20;
/// Programs that are compiled at the same time.
const AT_ONCE: usize = 2;
/// The most mebibytes that a compiler is told to use.
const MEMORY_MIB: u32 = 1024;

/// Which compiler, by the name of its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompilerKind {
    /// `tsc`, of the package `typescript`.
    Tsc,
    /// `tsgo`, of the package `@typescript/native-preview`.
    Tsgo,
}

impl CompilerKind {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Tsc, Self::Tsgo];

    /// What its program is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsc => "tsc",
            Self::Tsgo => "tsgo",
        }
    }

    /// How it is installed.
    #[must_use]
    pub fn install(self) -> &'static str {
        match self {
            Self::Tsc => "npm install --global typescript",
            Self::Tsgo => "npm install --global @typescript/native-preview",
        }
    }
}

impl fmt::Display for CompilerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for CompilerKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == text);
        known.ok_or_else(|| format!("{text:?} is no compiler that is known here; tsc and tsgo are"))
    }
}

/// Why a compiler cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CompilerError {
    /// No folder of `PATH` has it.
    #[error(
        "no program called `{kind}` is in any folder of PATH (setting `checker`); install it with `{}`, or leave `checker` out",
        kind.install()
    )]
    Missing {
        /// Which.
        kind: CompilerKind,
    },
    /// It is there and does not say what it is.
    #[error("{} does not say its version: {reason}", path.display())]
    Silent {
        /// The program.
        path: PathBuf,
        /// What happened instead.
        reason: String,
    },
}

/// A compiler on this machine.
#[derive(Debug)]
pub struct Compiler {
    path: PathBuf,
    /// Where it finds what it needs itself.
    folders: OsString,
    patience: Duration,
    room: Semaphore,
}

impl Compiler {
    /// Looks for a compiler in `folders`, which are written as in `PATH`. Nothing is started.
    pub fn find(kind: CompilerKind, folders: &OsStr) -> Result<Self, CompilerError> {
        let path = env::split_paths(folders)
            // What lies in the folder that a command happens to be started in is nobody's choice.
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(kind.name()))
            .find(|path| is_program(path))
            .ok_or(CompilerError::Missing { kind })?;
        Ok(Self::at(path, folders))
    }

    fn at(path: PathBuf, folders: &OsStr) -> Self {
        let folders = folders.to_owned();
        Self { path, folders, patience: PATIENCE, room: Semaphore::new(AT_ONCE) }
    }

    /// The same with another limit on how long one program may take.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Its program.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, as it says.
    pub async fn version(&self) -> Result<String, CompilerError> {
        let silent = |reason: String| CompilerError::Silent { path: self.path.clone(), reason };
        let said = self.run(&["--version".into()], &env::temp_dir()).await;
        let said = said.map_err(|error| silent(error.to_string()))?;
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || ".-+".contains(letter);
        let words = said.split_whitespace().map(|word| word.trim_end_matches(','));
        let mut versions = words.filter(|word| word.starts_with(|one: char| one.is_ascii_digit()));
        let version = versions.find(|word| word.len() < 64 && word.chars().all(is_part));
        version.map(str::to_owned).ok_or_else(|| silent("it said something else".to_owned()))
    }

    /// What it says of a project; `None` where it did not do its work.
    pub async fn compile(&self, project: Project) -> Option<String> {
        let _place = self.room.acquire().await.ok()?;
        let made = tokio::task::spawn_blocking(move || Folder::with(&project)).await;
        let folder = match made.map_err(io::Error::other).and_then(|made| made) {
            Ok(folder) => folder,
            Err(error) => {
                warn!(error = %error, "a program could not be written for the TypeScript compiler");
                return None;
            }
        };
        let arguments = ["--pretty".into(), "false".into(), "--project".into(), ".".into()];
        match self.run(&arguments, &folder.0).await {
            Ok(said) => Some(said),
            Err(error) => {
                warn!(compiler = %self.path.display(), error = %error, "the TypeScript compiler did not do its work");
                None
            }
        }
    }

    /// What it prints, if it comes to its end in time.
    async fn run(&self, arguments: &[OsString], folder: &Path) -> io::Result<String> {
        let mut command = Command::new(&self.path);
        command
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", &self.folders)
            .env("NODE_OPTIONS", format!("--max-old-space-size={MEMORY_MIB}"))
            .env("GOMEMLIMIT", format!("{MEMORY_MIB}MiB"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut process = Process::of(command.spawn()?);
        let whole = async {
            let mut said = Vec::new();
            if let Some(out) = process.child.stdout.take() {
                out.take(MOST_BYTES + 1).read_to_end(&mut said).await?;
            }
            if said.len() as u64 > MOST_BYTES {
                return Err(io::Error::other("it said more than anybody reads"));
            }
            let status = process.child.wait().await?;
            process.has_ended();
            // 0 for no complaints, 1 and 2 for some.
            match status.code() {
                Some(0..=2) => Ok(String::from_utf8_lossy(&said).into_owned()),
                _ => Err(io::Error::other(format!("it ended with {status}"))),
            }
        };
        let ended = timeout(self.patience, whole).await;
        ended.unwrap_or_else(|_| {
            let problem = format!("it took longer than {} s", self.patience.as_secs_f64());
            Err(io::Error::new(io::ErrorKind::TimedOut, problem))
        })
    }
}

/// A process that is ended when nobody waits for it any more, with all that it has started: one that only
/// starts another is common.
struct Process {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl Process {
    fn of(child: Child) -> Self {
        #[cfg(unix)]
        let group =
            child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
        Self {
            child,
            #[cfg(unix)]
            group,
        }
    }

    /// Its number may be another's from now on.
    fn has_ended(&mut self) {
        #[cfg(unix)]
        {
            self.group = None;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// A folder of a project, which goes with this.
struct Folder(PathBuf);

impl Folder {
    fn with(project: &Project) -> io::Result<Self> {
        let path = env::temp_dir().join(format!("tidegate-{}", uuid::Uuid::new_v4().simple()));
        make(&path)?;
        let folder = Self(path);
        for (name, text) in &project.files {
            let path = folder.0.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            warn!(folder = %self.0.display(), error = %error, "what was written for the TypeScript compiler could not be removed");
        }
    }
}

/// Makes a folder that nobody else looks into.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Instant;

    use tempfile::TempDir;

    use super::*;

    /// A compiler that does what a script says.
    fn pretended(folder: &TempDir, script: &str) -> Compiler {
        let path = folder.path().join("tsc");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Compiler::at(path, OsStr::new("/usr/local/bin:/usr/bin:/bin"))
    }

    fn project() -> Project {
        let mut project = Project::default();
        project.files.insert("servers/a/index.ts".to_owned(), "export {};".to_owned());
        project
    }

    #[tokio::test]
    async fn it_finds_the_project_and_nothing_of_the_environment() {
        let folder = TempDir::new().unwrap();
        let script = "cat servers/a/index.ts; echo; pwd; env | grep -c CARGO; exit 1";
        let said = pretended(&folder, script).compile(project()).await.unwrap();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!((lines[0], lines[2]), ("export {};", "0"));
        assert!(!Path::new(lines[1]).exists(), "{said}");
    }

    #[tokio::test]
    async fn one_that_does_not_come_to_an_end_is_ended_with_all_it_started() {
        let folder = TempDir::new().unwrap();
        let script = format!("sleep 1000 &\necho $! > {}/started\nwait", folder.path().display());
        let compiler = pretended(&folder, &script).with_patience(Duration::from_millis(500));
        let begun = Instant::now();
        assert_eq!(compiler.compile(project()).await, None);
        assert!(begun.elapsed() < Duration::from_secs(60));
        let started = fs::read_to_string(folder.path().join("started")).unwrap();
        let number = rustix::process::Pid::from_raw(started.trim().parse().unwrap()).unwrap();
        // Whoever takes in orphans may not have noticed yet.
        for _ in 0..1_000 {
            let stat = fs::read_to_string(format!("/proc/{}/stat", started.trim()));
            let is_over = stat.map_or(true, |stat| stat.contains(") Z "));
            if is_over || rustix::process::test_kill_process(number).is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{started} goes on");
    }

    #[tokio::test]
    async fn what_goes_wrong_is_no_answer() {
        let folder = TempDir::new().unwrap();
        for script in ["exit 3", "kill -9 $$", "head -c 5000000 /dev/zero"] {
            assert_eq!(pretended(&folder, script).compile(project()).await, None, "{script}");
        }
        let gone = Compiler::at(folder.path().join("nothing"), OsStr::new(""));
        assert_eq!(gone.compile(project()).await, None);
    }

    #[tokio::test]
    async fn a_version_is_a_version() {
        let folder = TempDir::new().unwrap();
        for (script, version) in [
            ("echo Version 7.0.2", Some("7.0.2")),
            ("echo 'Version 7.0.0-dev.20251119.1'", Some("7.0.0-dev.20251119.1")),
            ("echo hello", None),
            ("printf 'Version 7\\033[31m\\n'", None),
        ] {
            let said = pretended(&folder, script).version().await.ok();
            assert_eq!(said.as_deref(), version, "{script}");
        }
    }
}
