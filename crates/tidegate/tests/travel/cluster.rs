//! A PostgreSQL of a test's own: in a folder that goes with it, at a port that was free, as a user who may nothing.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

const USER: &str = "traveller";
pub(crate) const PASSWORD: &str = "along-the-road";

/// A server that ends with this.
pub(crate) struct Cluster {
    server: Child,
    folder: TempDir,
    port: u16,
}

impl Cluster {
    /// One that takes connections; none where no PostgreSQL is installed, unless `TIDEGATE_TEST_POSTGRES` says that
    /// there has to be one.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os("TIDEGATE_TEST_POSTGRES").is_none(),
                "TIDEGATE_TEST_POSTGRES is set, and there is no initdb on the path or below /usr/lib/postgresql"
            );
            eprintln!("skipped: there is no PostgreSQL here; install it (Debian: postgresql)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let who = unprivileged(folder.path());
        let password = folder.path().join("password");
        std::fs::write(&password, PASSWORD).unwrap();
        if let Some((user, group)) = who {
            chown(folder.path(), Some(user), Some(group)).unwrap();
            chown(&password, Some(user), Some(group)).unwrap();
        }
        let data = folder.path().join("data");
        let made = command(&programs.join("initdb"), folder.path(), who)
            .args(["--username", USER, "--auth", "scram-sha-256", "--locale", "C"])
            .args(["--encoding", "UTF8", "--no-sync", "--pwfile"])
            .arg(&password)
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        // Somebody else may get the port between our finding it and its use.
        let started = (0..5).find_map(|_| listening(&programs, folder.path(), who).ok());
        let (server, port) = match started {
            Some(started) => started,
            None => listening(&programs, folder.path(), who).unwrap(),
        };
        Some(Self { server, folder, port })
    }

    /// Where it is, and how to get in with this password.
    pub(crate) fn address(&self, password: &str) -> String {
        format!("postgres://{USER}:{password}@127.0.0.1:{}/postgres", self.port)
    }

    /// What `psql` says to a statement.
    pub(crate) fn tell(&self, statement: &str) -> String {
        let programs = programs().unwrap();
        let output = command(&programs.join("psql"), self.folder.path(), None)
            .args(["--no-psqlrc", "--tuples-only", "--no-align", "--command", statement])
            .arg(self.address(PASSWORD))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{statement}: {said}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // At once, and with its helpers: killed, it would leave them behind.
        let _ = Command::new("kill").args(["-QUIT", &self.server.id().to_string()]).status();
        let _ = self.server.wait();
    }
}

/// A server over the cluster in `folder`, and its port; or what it said when it ended.
fn listening(
    programs: &Path,
    folder: &Path,
    who: Option<(u32, u32)>,
) -> Result<(Child, u16), String> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = command(&programs.join("postgres"), folder, who)
        .args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"])
        .args(["-p", &port.to_string(), "-k"])
        .arg(folder)
        .arg("-D")
        .arg(folder.join("data"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut log = Vec::new();
    let is_ready = said.by_ref().any(|line| {
        let is_ready = line.ends_with("database system is ready to accept connections");
        log.push(line);
        is_ready
    });
    if !is_ready {
        let _ = server.wait();
        return Err(format!("PostgreSQL ended before it was ready:\n{}", log.join("\n")));
    }
    // Whoever does not read what it says makes it wait.
    std::thread::spawn(move || said.for_each(drop));
    Ok((server, port))
}

fn command(program: &Path, folder: &Path, who: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped());
    if let Some((user, group)) = who {
        command.gid(group).uid(user);
    }
    command
}

/// The folder with its programs: on the path, or where Debian has those of each version.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<_> = versions.map(|entry| entry.path().join("bin")).collect();
    versions.sort();
    std::env::split_paths(&path).chain(versions.into_iter().rev()).find(|folder| {
        ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file())
    })
}

/// Somebody else, where we are root: PostgreSQL does not run as root.
fn unprivileged(mine: &Path) -> Option<(u32, u32)> {
    if mine.metadata().unwrap().uid() != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2).map(|field| field.parse().ok());
        Some((fields.next()??, fields.next()??))
    };
    Some(of("postgres").or_else(|| of("nobody")).unwrap())
}
