//! Credentials and personal data are planted everywhere; then every byte that was written or said is
//! searched for them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use upstream::{
    Auth, FileTokens, Http, LoginKey, Secret, StoredLogin, StoredTokens, TokenStore as _, Wire,
};

use super::PATIENCE;
use super::gateway::{Gateway, cache};

const OF_ENVIRONMENT: &str = "canary-environment-7f3a91c2d4";
const OF_HEADER: &str = "canary-header-5be20a6f18";
const OF_LOGIN: &str = "canary-login-c81d07e39b";
const OF_RENEWAL: &str = "canary-renewal-2d96f4b70a";
const OF_CONTEXT: &str = "canary-context-94ae1c55f0";
const OF_ADDRESS: &str = "canary-address-61d0be82f7";

/// What the server answers with, and nobody but the vault may have.
const PERSONAL: [&str; 5] = [
    "Wilhelmine Kanarienfeld",
    "zilpzalp@canary-mail.example.org",
    "DE89370400440532013000",
    "4111111111111111",
    "+49 30 901820",
];

/// Where secrets and what tokens stand for are kept on purpose.
const STORES: [&str; 2] = ["privacy", "tokens"];

/// A server over HTTP that ends with the test.
struct Web {
    child: Child,
    port: u16,
}

impl Web {
    fn start(received: &Path) -> Self {
        let mut child = Command::new("python3")
            .arg(script())
            .args([received.as_os_str(), "http".as_ref()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/durable/canaries.py")
}

/// A gateway whose servers have credentials, and where each of them is.
fn planted(folder: &Path, web: &Web, received: &Path, pii: &str) -> Gateway {
    let mut gateway = Gateway::new(folder, 0.01, &["--durable", "true", "--freeze-after", "0.1s"]);
    let (script, received, port) = (script(), received.display(), web.port);
    let script = script.display();
    let config = format!(
        r#"
[servers.desk]
command = "python3"
args = ["{script}", "{received}"]
env = {{ CANARY = "${{env:CANARY_ENV}}" }}
trusted = true
pii = "{pii}"

[servers.web]
url = "http://127.0.0.1:{port}/keyed"
headers = {{ X-Key = "${{env:CANARY_HEADER}}" }}
auth = "none"
pii = "{pii}"

[servers.inside]
url = "http://127.0.0.1:{port}/inside"
pii = "{pii}"

[servers.gone]
url = "http://127.0.0.1:9/${{env:CANARY_ADDRESS}}/mcp?k=${{env:CANARY_ADDRESS}}"
startup = "eager"
auth = "none"

[secrets]
allow = {{ db = ["desk.connect", "web.con*"] }}
"#
    );
    std::fs::write(folder.join("tidegate.toml"), config).unwrap();
    let variables = [
        ("CANARY_ENV", OF_ENVIRONMENT),
        ("CANARY_HEADER", OF_HEADER),
        ("CANARY_ADDRESS", OF_ADDRESS),
        ("TIDEGATE_LOG", "trace,rmcp=trace,hyper=trace,reqwest=trace"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    gateway.environment = variables.to_vec();
    log_in(&gateway.data(), port);
    gateway
}

/// A log-in, as `tidegate login` leaves it.
fn log_in(data: &Path, port: u16) {
    let http = Http {
        url: format!("http://127.0.0.1:{port}/inside").parse().unwrap(),
        headers: std::collections::BTreeMap::new(),
        auth: Auth::default(),
        wire: Wire::Auto,
    };
    let login = StoredLogin {
        client_id: "tidegate".to_owned(),
        client_secret: None,
        auth_method: None,
        issuer: None,
        scopes: Vec::new(),
        challenge: None,
        tokens: Some(StoredTokens {
            access: Secret::new(OF_LOGIN.to_owned()),
            refresh: Some(Secret::new(OF_RENEWAL.to_owned())),
            renew_at: None,
            expires_at: None,
        }),
    };
    let store = FileTokens::new(data.join("tokens"));
    let key = LoginKey::new(&catalog::ServerName("inside".to_owned()), &http);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(store.save(&key, &login)).unwrap();
}

/// Everything that was written, with what is packed in it unpacked.
fn written(folder: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !STORES.iter().any(|store| path.ends_with(Path::new("data").join(store))) {
                written(&path, into);
            }
            continue;
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        for at in memchr(&bytes, b"\x28\xb5\x2f\xfd") {
            let mut unpacked = Vec::new();
            // What only looks packed ends somewhere.
            let _ = zstd::Decoder::new(&bytes[at..]).map(|mut all| all.read_to_end(&mut unpacked));
            into.push((path.join("unpacked"), unpacked));
        }
        into.push((path, bytes));
    }
}

fn memchr(bytes: &[u8], wanted: &[u8]) -> Vec<usize> {
    let starts = bytes.windows(wanted.len()).enumerate();
    starts.filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect()
}

fn has(bytes: &[u8], wanted: &str) -> bool {
    // Pages of the database end where they end; most of a text is in one of them.
    !memchr(bytes, wanted.as_bytes()).is_empty()
}

const SEES: &str = r#"
import asyncio
from servers import desk, web, inside
people = [await desk.person(), await web.person(), await inside.person()]
opened = [await desk.connect(password=secrets["db"]), await web.connect(password=f"pg://u:{secrets['db']}@h")]
said = await inside.tell(text=f"hello {people[0]['email']} and {people[0]['name']}")
print(people, opened, said)
"#;

/// Runs programs that succeed, fail, are stopped and are frozen; everything that is answered.
fn lived(gateway: &mut Gateway) -> String {
    gateway.start();
    let made = gateway.command("token", &["create", "ann"]);
    let made = String::from_utf8(made.stdout).unwrap();
    let token = made.split_whitespace().find(|word| word.starts_with("tgt_")).unwrap().to_owned();
    gateway.token = Some(token);
    let mut answers = String::new();
    let secret = json!({ "db": { "$secret": OF_CONTEXT } });
    let run = |gateway: &Gateway, more: &str, timeout: f64| {
        let code = format!("{SEES}{more}");
        let body = json!({ "code": code, "context": secret, "timeout": timeout });
        gateway.ask("POST", "/execute", Some(&body)).unwrap()
    };
    let good = run(gateway, "[people, opened, secrets]", 60.0);
    assert_eq!(good["success"], true, "{good:#}");
    let failed = run(gateway, "await desk.complain(text=str(people))", 60.0);
    assert_eq!(failed["error"]["type"], "ToolError", "{failed:#}");
    let raised = run(gateway, "raise ValueError(f'{people} {opened} {secrets}')", 60.0);
    assert_eq!(raised["error"]["type"], "ValueError", "{raised:#}");
    let late = run(gateway, "await desk.wait(seconds=30)", 5.0);
    assert_eq!(late["status"], "timed_out", "{late:#}");
    let refused = run(gateway, "await desk.tell(text=secrets['db'])", 60.0);
    let words = refused["error"]["message"].as_str().unwrap();
    assert!(words.contains("[secrets] allow = { db = [\"desk.tell\"] }"), "{refused:#}");
    for answer in [&good, &failed, &raised, &late, &refused] {
        answers.push_str(&answer.to_string());
    }
    let asked = json!({ "name": "execute_python", "arguments": { "code": format!("{SEES}people"), "context": secret } });
    let answered = gateway.mcp("tools/call", asked);
    answers.push_str(&answered.to_string());
    // One that took a while is a task.
    if let Some(id) = answered["result"]["taskId"].as_str() {
        gateway.over(id, PATIENCE);
        answers.push_str(&gateway.mcp("tasks/get", json!({ "taskId": id })).to_string());
    }
    answers.push_str(&frozen(gateway, &secret));
    answers.push_str(&gateway.text("/metrics"));
    answers.push_str(&gateway.text("/api/v1/runs?limit=100"));
    answers.push_str(&gateway.text("/api/v1/sessions"));
    for id in [&good, &failed, &raised, &late].map(|run| run["run_id"].as_str().unwrap()) {
        answers.push_str(&gateway.text(&format!("/api/v1/runs/{id}")));
        answers.push_str(&gateway.text(&format!("/api/v1/runs/{id}/result?limit=1000")));
        answers.push_str(&gateway.runs(&["show", id]));
    }
    let audit = gateway.command("audit", &["export"]);
    answers.push_str(&String::from_utf8_lossy(&audit.stdout));
    answers
}

/// A run that is frozen, loses its process, and has no secret any more when it goes on.
fn frozen(gateway: &mut Gateway, secret: &Value) -> String {
    let code = format!("{SEES}await asyncio.sleep(3)\nawait desk.connect(password=secrets['db'])");
    let id = gateway.begin(&json!({ "code": code, "context": secret })).unwrap();
    let begun = std::time::Instant::now();
    // It sleeps, and is on disk so: no call is under way, whose fate nobody would know afterwards.
    let sleeps = |run: &Value| {
        let waits_for = run["waiting"]["for"].as_array().is_some_and(|calls| !calls.is_empty());
        run["waiting"]["wakes_at"].is_string() && !waits_for
    };
    while !sleeps(&gateway.run(&id).unwrap())
        || !written_of(&gateway.data()).iter().any(|(path, _)| path.ends_with("unpacked"))
    {
        assert!(begun.elapsed() < Duration::from_secs(60), "it was not frozen");
        std::thread::sleep(Duration::from_millis(20));
    }
    let images = written_of(&gateway.data());
    let unpacked = || images.iter().filter(|(path, _)| path.ends_with("unpacked"));
    // Otherwise nothing would be found in images, whatever they have.
    assert!(unpacked().any(|(_, bytes)| has(bytes, "EMAIL_")), "no token in any image");
    assert_clean(&images);
    gateway.kill();
    gateway.start();
    let run = gateway.over(&id, PATIENCE);
    let words = run["error"]["message"].as_str().unwrap_or_default();
    assert!(words.contains("not after a restart"), "{run:#}");
    run.to_string()
}

fn written_of(data: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    written(data, &mut all);
    all
}

fn assert_clean(all: &[(PathBuf, Vec<u8>)]) {
    let credentials = [OF_ENVIRONMENT, OF_HEADER, OF_LOGIN, OF_RENEWAL, OF_CONTEXT, OF_ADDRESS];
    for canary in credentials.into_iter().chain(PERSONAL) {
        let found: Vec<_> = all.iter().filter(|(_, bytes)| has(bytes, canary)).collect();
        let paths: Vec<_> = found.iter().map(|(path, _)| path.display()).collect();
        assert!(found.is_empty(), "{canary} is in {paths:?}");
    }
}

#[test]
fn no_credential_and_no_personal_data_is_in_anything_that_was_written_or_said() {
    let folder = tempfile::tempdir().unwrap();
    let received = folder.path().join("received");
    let web = Web::start(&received);
    let mut gateway = planted(folder.path(), &web, &received, "tokenize");
    let answers = lived(&mut gateway);
    gateway.stop();
    let given = std::fs::read_to_string(&received).unwrap();
    // They were all used: what is not found is not just absent.
    let bearer = format!("Bearer {OF_LOGIN}");
    for used in [OF_ENVIRONMENT, OF_HEADER, &bearer, OF_CONTEXT, PERSONAL[0], PERSONAL[1]] {
        assert!(given.contains(used), "{used} was not used");
    }
    assert!(answers.contains("EMAIL_") && answers.contains("tgsecret_"));
    let mut all = written_of(&gateway.data());
    let is_database =
        |path: &Path| path.ends_with("tidegate.db") || path.ends_with("tidegate.db-wal");
    assert!(all.iter().any(|(path, bytes)| is_database(path) && has(bytes, "EMAIL_")));
    let log = std::fs::read(folder.path().join("log")).unwrap();
    assert!(has(&log, "a run is over"), "nothing was logged");
    assert!(has(&log, "127.0.0.1:9/***/mcp"), "nobody spoke of the server that is not there");
    all.push((PathBuf::from("log"), log));
    all.push((PathBuf::from("answers"), answers.into_bytes()));
    assert_clean(&all);
    let token = gateway.token.clone().unwrap();
    assert!(
        all.iter().all(|(_, bytes)| !has(bytes, &token)),
        "the gateway's own token was written"
    );
    // The vault has what tokens stand for, and nobody else may read it.
    let vault: Vec<u8> = ["values.db", "values.db-wal"]
        .iter()
        .flat_map(|name| {
            std::fs::read(gateway.data().join("privacy").join(name)).unwrap_or_default()
        })
        .collect();
    assert!(has(&vault, PERSONAL[1]) && !has(&vault, OF_CONTEXT));
}

#[test]
fn with_logs_the_caller_sees_what_the_database_and_the_logs_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let received = folder.path().join("received");
    let web = Web::start(&received);
    let mut gateway = planted(folder.path(), &web, &received, "logs");
    gateway.start();
    let code = "from servers import desk\nperson = await desk.person()\nprint(person)\n# zilpzalp@canary-mail.example.org\nperson";
    let run = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
    assert_eq!(run["return_value"]["email"], PERSONAL[1], "{run:#}");
    assert!(run["stdout"].as_str().unwrap().contains(PERSONAL[1]));
    // Nothing around it says any more what it is.
    let bare = "from servers import desk\nperson = await desk.person()\nprint(person['name'].upper(), person['name'])\n\
                [person['name'], {person['name']: 1}, person['card']]";
    let taken = gateway.ask("POST", "/execute", Some(&json!({ "code": bare }))).unwrap();
    assert_eq!(taken["return_value"][0], PERSONAL[0], "{taken:#}");
    let kept = gateway.run(taken["run_id"].as_str().unwrap()).unwrap();
    let is = |value: &Value, start: &str| value.as_str().unwrap().starts_with(start);
    let value = &kept["return_value"];
    assert!(is(&value[0], "NAME_") && is(&value[2], "CARD_"), "{kept:#}");
    let code = format!("{code}\nraise ValueError(person['name'], str(person))");
    let failed = gateway.ask("POST", "/execute", Some(&json!({ "code": code }))).unwrap();
    assert!(failed["error"]["message"].as_str().unwrap().contains(PERSONAL[1]));
    let id = run["run_id"].as_str().unwrap();
    let again = gateway.run(id).unwrap();
    assert!(again["return_value"]["email"].as_str().unwrap().starts_with("EMAIL_"), "{again:#}");
    // A program that finds tokens in what was kept can use them.
    let tell = format!(
        "from servers import desk\nawait desk.tell(text={})",
        again["return_value"]["email"]
    );
    let told = gateway.ask("POST", "/execute", Some(&json!({ "code": tell }))).unwrap();
    assert_eq!(told["success"], true, "{told:#}");
    gateway.stop();
    assert!(
        std::fs::read_to_string(&received)
            .unwrap()
            .contains(&format!("tell {{\"text\": \"{}\"}}", PERSONAL[1]))
    );
    let mut kept = Vec::new();
    for name in ["service/tidegate.db", "service/tidegate.db-wal"] {
        kept.push((
            PathBuf::from(name),
            std::fs::read(gateway.data().join(name)).unwrap_or_default(),
        ));
    }
    written(&gateway.data().join("audit"), &mut kept);
    kept.push((PathBuf::from("log"), std::fs::read(folder.path().join("log")).unwrap()));
    assert!(kept.iter().any(|(_, bytes)| has(bytes, "EMAIL_")));
    assert_clean(&kept);
}

#[test]
fn on_the_command_line_tokens_and_secrets_work_from_one_process_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let received = folder.path().join("received");
    let web = Web::start(&received);
    let mut gateway = planted(folder.path(), &web, &received, "tokenize");
    gateway.environment.push(("CANARY_CONTEXT".to_owned(), OF_CONTEXT.to_owned()));
    let secret = "db=${env:CANARY_CONTEXT}";
    let code = format!("{SEES}[people[0]['email'], secrets['db']]");
    let said = gateway.command("run", &["--json", "--secret", secret, "-c", &code]);
    let first = String::from_utf8(said.stdout).unwrap();
    let outcome: Value = serde_json::from_str(&first).unwrap_or_default();
    assert_eq!(outcome["success"], true, "{first}{}", String::from_utf8_lossy(&said.stderr));
    let token = outcome["return_value"][0].as_str().unwrap();
    let code = format!("from servers import desk\nawait desk.tell(text='again {token}')");
    let second = gateway.command("run", &["--json", "-c", &code]).stdout;
    assert!(!has(&second, PERSONAL[1]), "it was repeated in clear");
    let given = std::fs::read_to_string(&received).unwrap();
    assert!(given.contains(&format!("again {}", PERSONAL[1])) && given.contains(OF_CONTEXT));
    let mut all = written_of(&gateway.data());
    all.push((PathBuf::from("first"), first.into_bytes()));
    all.push((PathBuf::from("second"), second));
    all.push((PathBuf::from("stderr"), said.stderr));
    assert_clean(&all);
    let plain = gateway.command("run", &["--secret", "db=in-plain-sight", "-c", "1"]);
    let words = String::from_utf8(plain.stderr).unwrap();
    assert!(words.contains("${env:NAME}") && !words.contains("in-plain-sight"), "{words}");
}

#[test]
fn what_is_passed_through_has_tokens_too() {
    let folder = tempfile::tempdir().unwrap();
    let received = folder.path().join("received");
    let web = Web::start(&received);
    let gateway = planted(folder.path(), &web, &received, "tokenize");
    let config = folder.path().join("tidegate.toml");
    let rule = format!(
        "[[policy.rules]]\ntools = 'desk.tell'\nwhen = \"text matches 'forbidden .*{}'\"\naction = 'deny'\n",
        PERSONAL[1]
    );
    std::fs::write(&config, std::fs::read_to_string(&config).unwrap() + &rule).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(["mcp", "--mode", "hybrid", "--direct", "desk.person,desk.tell,desk.complain"])
        .env("TIDEGATE_CACHE", cache())
        .env("TIDEGATE_DATA", gateway.data())
        .env("TIDEGATE_CONFIG", folder.path().join("tidegate.toml"))
        .envs(gateway.environment.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |id: u64, method: &str, params: Value| {
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{asked}").unwrap();
        if method == "initialize" {
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            writeln!(input, "{ready}").unwrap();
        }
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "it ended before it answered");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id && answer.get("method").is_none() {
                return answer;
            }
        }
    };
    let client = json!({ "name": "test", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    ask(1, "initialize", hello);
    let person = ask(2, "tools/call", json!({ "name": "person", "arguments": {} }));
    let text = person["result"]["content"][0]["text"].as_str().unwrap();
    let seen: Value = serde_json::from_str(text).unwrap();
    let told = json!({ "name": "tell", "arguments": { "text": seen["email"] } });
    let told = ask(3, "tools/call", told);
    assert!(told.to_string().contains(seen["email"].as_str().unwrap()), "{told}");
    let arguments = json!({ "text": seen["name"] });
    let failed = ask(4, "tools/call", json!({ "name": "complain", "arguments": arguments }));
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    let handle = json!({ "text": format!("tgsecret_{}", "a".repeat(24)) });
    let refused = ask(5, "tools/call", json!({ "name": "tell", "arguments": handle }));
    assert!(refused["error"]["message"].as_str().unwrap().contains("no secret"), "{refused}");
    // Rules look at what a token stands for.
    let forbidden = json!({ "text": format!("forbidden {}", seen["email"].as_str().unwrap()) });
    let denied = ask(6, "tools/call", json!({ "name": "tell", "arguments": forbidden }));
    assert!(denied["result"].to_string().contains("was not called"), "{denied}");
    let _ = child.kill();
    let _ = child.wait();
    let given = std::fs::read_to_string(&received).unwrap();
    assert!(!given.contains("forbidden"), "{given}");
    assert!(given.contains(&format!("tell {{\"text\": \"{}\"}}", PERSONAL[1])), "{given}");
    let said = [person, told, failed].map(|answer| answer.to_string()).join("\n");
    assert_clean(&[(PathBuf::from("answers"), said.into_bytes())]);
}

#[test]
fn settings_are_shown_and_a_mistake_names_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = Gateway::new(folder.path(), 0.01, &[]);
    let shown = |config: &str| {
        std::fs::write(folder.path().join("tidegate.toml"), config).unwrap();
        let said = gateway.command("config", &["show", "--json"]);
        let (out, words) = (String::from_utf8(said.stdout), String::from_utf8(said.stderr));
        (serde_json::from_str::<Value>(&out.unwrap()).unwrap_or_default(), words.unwrap())
    };
    let (all, words) = shown(
        "[privacy]\npii = \"logs\"\nkinds = [\"email\"]\nkeep = \"48h\"\n[secrets]\nallow = { db = [\"pg.*\"] }\n\
         [servers.crm]\nurl = \"https://h/mcp\"\npii = \"tokenize\"\ntool-pii = { count = \"off\" }\n",
    );
    let value = |key: &str| all[key]["value"].as_str().unwrap_or_default().to_owned();
    let keys = ["privacy.pii", "privacy.kinds", "privacy.keep", "secrets.allow.db"];
    assert_eq!(keys.map(value), ["logs", "email", "48h", "pg.*"], "{words}");
    assert_eq!(value("servers.crm.pii") + &value("servers.crm.tool-pii.count"), "tokenizeoff");
    // Own patterns are enough.
    let (all, words) =
        shown("[privacy]\nkinds = []\npatterns = [{ name = \"x\", regex = \"x1\" }]\n");
    assert_eq!(all["privacy.patterns"]["value"], "x", "{words}");
    for (config, key) in [
        ("[privacy]\npii = \"some\"\n", "`privacy.pii`"),
        ("[privacy]\nkinds = [\"shoe-size\"]\n", "`privacy.kinds`"),
        ("[privacy]\nkinds = []\n", "`privacy.kinds` is []"),
        ("[privacy]\npatterns = [{ name = \"x\", regex = \"(\" }]\n", "`privacy.patterns`"),
        ("[privacy]\nname-fields = [\"1\"]\n", "`privacy.name-fields`"),
        ("[privacy]\nmax-values = 0\n", "`privacy.max-values`"),
        ("[privacy]\nkind = []\n", "`kind` (did you mean `kinds`?)"),
        ("[secrets]\nallow = { db = [\"pg\"] }\n", "`secrets.allow.db`"),
        ("[servers.a]\nurl = \"https://h/\"\npii = \"no\"\n", "`servers.a.pii`"),
    ] {
        let (_, words) = shown(config);
        assert!(words.contains(key), "{config}: {words}");
    }
}
