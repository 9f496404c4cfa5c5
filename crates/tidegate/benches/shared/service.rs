//! A service of its own, with two servers behind it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Connection, Failure};

/// A `tidegate serve` that ends with this.
pub(crate) struct Service {
    child: Child,
    pub(crate) port: u16,
}

impl Service {
    /// Starts one over a folder that may have been another's; comes back when it listens.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Result<Self, Failure> {
        Self::start_with(folder, arguments, "")
    }

    /// The same with more servers behind it, as the configuration has them.
    pub(crate) fn start_with(
        folder: &Path,
        arguments: &[&str],
        servers: &str,
    ) -> Result<Self, Failure> {
        let fixture = manifest().join("../upstream/tests/fixtures/server.py");
        let config = folder.join("tidegate.toml");
        // The same server twice: what it says of its tools is believed of one.
        let server = |name: &str, trusted: bool| {
            format!(
                "[servers.{name}]\ncommand = \"python3\"\nargs = [{:?}, \"normal\"]\nconcurrency = 64\ntrusted = {trusted}\n",
                fixture.display().to_string()
            )
        };
        let server = server("bench", false) + &server("believed", true) + servers;
        std::fs::write(&config, server)?;
        let cache = std::env::var_os("TIDEGATE_TEST_CACHE")
            .map_or_else(|| std::env::temp_dir().join("tidegate-bench"), PathBuf::from);
        let mut child = Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env("TIDEGATE_CACHE", cache)
            .env("TIDEGATE_DATA", folder)
            .env("TIDEGATE_CONFIG", &config)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut said = BufReader::new(child.stderr.take().ok_or("no standard error")?).lines();
        let port = said.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("listening on http://127.0.0.1:")?;
            rest.split(' ').next()?.parse().ok()
        });
        // Whoever does not read what it says makes it wait.
        std::thread::spawn(move || said.map_while(Result::ok).for_each(drop));
        Ok(Self { child, port: port.ok_or("it did not say where it listens")? })
    }

    /// Comes back when a program can run.
    pub(crate) async fn ready(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(300) {
            if let Ok(mut connection) = Connection::open(self.port).await {
                let answer = connection.post("/execute", r#"{"code": "1"}"#).await;
                if answer.is_ok_and(|answer| answer.status == 200) {
                    return Ok(());
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Err("the service did not get ready".into())
    }

    /// Resident bytes of the service itself.
    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        Ok(self.status("VmRSS:")? << 10)
    }

    /// A number that the system knows of the process.
    pub(crate) fn status(&self, name: &str) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
        Ok(line.split_whitespace().next().unwrap_or("0").parse()?)
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(mut self) -> Result<(), Failure> {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It has nothing to keep, or was asked to end before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of this package.
pub(crate) fn manifest() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into())).to_owned()
}
