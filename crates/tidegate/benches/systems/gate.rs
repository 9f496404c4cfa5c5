//! A service over an example's settings, whose servers are listened to.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use crate::shared::{Failure, manifest};
use crate::worlds::{FOLDER, Step, System};

/// How long the servers may take until they are there.
const PATIENCE: Duration = Duration::from_secs(120);

/// A `tidegate serve` that ends with this.
pub(crate) struct Gate {
    service: Child,
    client: reqwest::Client,
    address: String,
    token: Option<String>,
    folder: PathBuf,
    /// The session of the last step.
    session: Option<String>,
    /// Calls of earlier steps, in the file of all.
    heard: usize,
}

/// A call of a tool, as it reached the server.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Call {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

/// A step that was done.
pub(crate) struct Done {
    pub(crate) took: Duration,
    pub(crate) calls: Vec<Call>,
    pub(crate) own_definitions: usize,
    pub(crate) sent: usize,
    pub(crate) received: usize,
    pub(crate) inline: usize,
}

impl Gate {
    /// One whose servers have been asked for their tools, and that has run a program.
    pub(crate) async fn start(system: &System, folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir(folder.join("notes"))?;
        let config = folder.join("listened.toml");
        std::fs::write(&config, listened(&settings(system)?, folder)?)?;
        let token = system.owner.map(|owner| token(owner, &config, folder)).transpose()?;
        let mut service = tidegate(folder)
            .args(["serve", "--port", "0", "--config"])
            .arg(&config)
            .current_dir(system.folder())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut said = BufReader::new(service.stderr.take().ok_or("no standard error")?).lines();
        let address = said.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("listening on http://")?;
            Some(format!("http://{}", rest.split(' ').next()?))
        });
        // Whoever does not read what it says makes it wait.
        std::thread::spawn(move || said.map_while(Result::ok).for_each(drop));
        let address = address.ok_or("it did not say where it listens")?;
        let (client, folder) = (reqwest::Client::new(), folder.to_owned());
        let gate = Self { service, client, address, token, folder, session: None, heard: 0 };
        gate.has_all(&settings(system)?).await?;
        gate.ask("POST", "/execute", &serde_json::json!({ "code": "1" })).await?;
        Ok(gate)
    }

    /// Comes back when every server has said which tools it has. Some are fetched the first time.
    async fn has_all(&self, settings: &toml::Table) -> Result<(), Failure> {
        let wanted =
            settings.get("servers").and_then(toml::Value::as_table).map_or(0, toml::Table::len);
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let tools = self.ask("GET", "/api/v1/tools", &Value::Null).await?;
            if tools["servers"].as_array().map_or(0, Vec::len) == wanted {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err("a server did not say which tools it has; `tidegate test NAME` says why".into())
    }

    /// Does a step, and says what it took and whom it asked.
    pub(crate) async fn run(&mut self, step: &Step) -> Result<Done, Failure> {
        let text = step.body.to_string().replace(FOLDER, &self.folder.display().to_string());
        let mut body: Value = serde_json::from_str(&text)?;
        if let Some(session) = self.session.as_deref().filter(|_| step.goes_on) {
            body["session"] = session.into();
        }
        let begun = Instant::now();
        let answer = self.ask("POST", step.path, &body).await?;
        let took = begun.elapsed();
        self.session = answer["session"].as_str().map(str::to_owned);
        let figure = |name: &str| {
            let figure = answer["receipt"][name].as_u64();
            figure
                .and_then(|figure| usize::try_from(figure).ok())
                .ok_or("a receipt without figures")
        };
        let (own_definitions, sent) = (figure("own_definitions")?, figure("sent")?);
        let (received, inline) = (figure("received")?, figure("inline")?);
        let all = calls(&self.folder)?;
        let calls = all[self.heard..].to_vec();
        self.heard = all.len();
        if calls.is_empty() {
            return Err(format!("{} called no tool: {answer}", step.path).into());
        }
        Ok(Done { took, calls, own_definitions, sent, received, inline })
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, Failure> {
        let method = reqwest::Method::from_bytes(method.as_bytes())?;
        let mut request = self.client.request(method, format!("{}{path}", self.address));
        if !body.is_null() {
            request = request.json(body);
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let answer: Value = request.send().await?.json().await?;
        if answer["success"] == false || answer["error"]["message"].is_string() {
            return Err(format!("{path}: {answer}").into());
        }
        Ok(answer)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // Its servers end with it only if it may say so to them.
        let _ = Command::new("kill").args(["-TERM", &self.service.id().to_string()]).status();
        let _ = self.service.wait();
    }
}

/// What the example says of its servers.
pub(crate) fn settings(system: &System) -> Result<toml::Table, Failure> {
    Ok(std::fs::read_to_string(system.folder().join("tidegate.toml"))?.parse()?)
}

/// The variables that all of it runs with.
pub(crate) fn variables(folder: &Path) -> Result<Vec<(&'static str, OsString)>, Failure> {
    let binary = Path::new(env!("CARGO_BIN_EXE_tidegate"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = binary.parent().map(Path::to_owned).into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)))?;
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE")
        .unwrap_or_else(|| std::env::temp_dir().join("tidegate-bench").into());
    Ok(vec![
        ("PATH", path),
        ("TIDEGATE_CACHE", cache),
        ("TIDEGATE_DATA", folder.into()),
        ("XDG_CONFIG_HOME", folder.into()),
        ("DOCUMENTS_TOKEN", "tok_of_a_benchmark".into()),
    ])
}

fn tidegate(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command.envs(variables(folder).unwrap_or_default());
    command
}

/// The same settings, with the recorder before each server.
fn listened(settings: &toml::Table, folder: &Path) -> Result<String, Failure> {
    let mut settings = settings.clone();
    let recorder = manifest().join("benches/systems/recorder.py").display().to_string();
    let log = log(folder).display().to_string();
    let servers = settings.get_mut("servers").and_then(toml::Value::as_table_mut);
    for (name, server) in servers.ok_or("no servers")? {
        let server = server.as_table_mut().ok_or("a server without settings")?;
        let command = server.insert("command".into(), "python3".into()).ok_or("no command")?;
        let own = server.get("args").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let before = [recorder.clone().into(), log.clone().into(), name.clone().into(), command];
        server.insert("args".into(), before.into_iter().chain(own).collect::<Vec<_>>().into());
    }
    Ok(settings.to_string())
}

fn token(owner: &str, config: &Path, folder: &Path) -> Result<String, Failure> {
    let output = tidegate(folder)
        .args(["--config"])
        .arg(config)
        .args(["token", "create", owner])
        .output()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said)?;
    let token = said.split_whitespace().find(|word| word.starts_with("tgt_"));
    token.map(str::to_owned).ok_or_else(|| format!("no token: {said}").into())
}

fn calls(folder: &Path) -> Result<Vec<Call>, Failure> {
    let text = std::fs::read_to_string(log(folder)).unwrap_or_default();
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn log(folder: &Path) -> PathBuf {
    folder.join("calls.jsonl")
}
