//! Skills: saved by programs, called by others, tried, packed, published and installed.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::tide::User;

/// A user with the example server.
fn user() -> User {
    let user = User::new();
    user.ok(&["add", "data", "--", env!("CARGO_BIN_EXE_tidegate"), "example-server", "data"]);
    user
}

fn listed(user: &User) -> Value {
    serde_json::from_str(&user.ok(&["skill", "list", "--json"])).unwrap()
}

/// Saves what calls a tool that only reads.
const ROOMS: &str = r"
from servers.data import get_devices

async def devices_in(room: str) -> list:
    '''The ids of the devices in a room.'''
    return sorted(device['id'] for device in (await get_devices(room=room))['devices'])

everything = await get_devices()
room = everything['devices'][0]['room']
saved = await save_skill('devices_in', devices_in, examples=[{'room': room}])
[saved['version'], saved['signature'], saved['tools'][0]['tool'], saved['examples']]";

#[test]
fn a_program_saves_a_function_and_another_calls_it() {
    let user = user();
    let saved = user.value(&["-c", ROOMS]);
    assert_eq!(saved, json!([1, "devices_in(room: str) -> list", "data.get_devices", 1]));

    let source = "
from skills import devices_in, devices_in_v1
import os
found = await devices_in('kitchen')
[found == await devices_in_v1('kitchen'), sorted(os.listdir('/skills')),
 'get_devices' in open('/skills/devices_in.py').read(), search_skills('rooms')[0]['name'], list_directory('skills/')]";
    let found = user.value(&["-c", source]);
    let files = json!([".index.json", "README.md", "devices_in.py", "devices_in_v1.py"]);
    assert_eq!(found, json!([true, files, true, "devices_in", files]));

    let view = &listed(&user)[0];
    assert_eq!((&view["uses"], &view["scope"]), (&json!(2), &json!("own")), "{view}");
    assert_eq!(view["tools"][0]["fingerprint"].as_str().unwrap().len(), 64);
    // Its example runs with what was recorded, also where nothing answers.
    let tested = user.ok(&["skill", "test"]);
    assert_eq!(tested.trim(), "devices_in: passed, examples: 1");
    let shown = user.ok(&["skill", "show", "devices_in"]);
    assert!(shown.contains("calls data.get_devices"), "{shown}");
    assert!(shown.contains("recorded calls: 1"), "{shown}");
}

#[test]
fn an_agents_own_skills_are_among_the_tools_that_it_finds() {
    let user = user();
    user.value(&["-c", ROOMS]);
    let found = user.value(&["-c", "search_tools('devices in a room', 'full')"]);
    let skill = found.as_array().unwrap().iter().find(|one| one["kind"] == "skill");
    let skill = skill.unwrap_or_else(|| panic!("no skill in {found}"));
    assert_eq!((&skill["name"], &skill["server"]), (&json!("devices_in"), &json!("skills")));
    assert!(found.as_array().unwrap().iter().any(|one| one["name"] == "get_devices"), "{found}");
}

#[test]
fn what_fails_its_example_is_not_saved_and_the_error_says_which_and_why() {
    let user = User::new();
    let source = r"
def half(number: float) -> float:
    return number / 2

def bare(number, *more: int):
    return number / 2

said = []
for examples in ([{'arguments': {'number': 4}, 'expect': 2}, {'arguments': {'number': 4}, 'expect': 3}],
                 [{'number': 'x'}], [{'other': 1}]):
    try:
        await save_skill('half', half, description='Half.', examples=examples)
    except ToolError as error:
        said.append(str(error))
try:
    await save_skill('half', 'def other():\n    pass', description='d')
except ToolError as error:
    said.append(str(error))
for name in ('Half', 'half_v2', 'import'):
    try:
        await save_skill(name, half, description='d')
    except ToolError as error:
        said.append(str(error))
try:
    await save_skill('half', half)
except ToolError as error:
    said.append(str(error))
for words in (None, 'Half.'):
    try:
        await save_skill('bare', bare, description=words)
    except ToolError as error:
        said.append(str(error))
try:
    await save_skill('half', half, description='Half.', scope='global')
except ToolError as error:
    said.append(str(error))
said";
    let said = user.value(&["-c", source]);
    let words = [
        "half was not saved: example 2 returned 2.0 where 3 is expected",
        "half was not saved: example 1 failed with TypeError",
        "half was not saved: example 1 failed with TypeError",
        "defines no function 'half'",
        "use small letters",
        "are versions",
        "has a meaning in programs",
        "half was not saved: it needs a docstring or a description",
        "no type of the parameter `number`, what it returns; write it as `def half(number: float) -> float:`; and it needs a docstring",
        "bare was not saved: it says no type of the parameter `number`, what it returns",
        "saved by whoever runs the gateway",
    ];
    assert_eq!(said.as_array().unwrap().len(), words.len(), "{said}");
    for (said, words) in said.as_array().unwrap().iter().zip(words) {
        assert!(said.as_str().unwrap().contains(words), "no {words:?} in {said}");
    }
    assert_eq!(listed(&user), json!([]));
}

#[test]
fn a_new_version_is_the_one_that_is_imported_and_old_ones_stay() {
    let user = User::new();
    let save = |body: &str| {
        let file = user.file(
            "skill.py",
            &format!("def rate() -> int:\n    \"\"\"A rate.\"\"\"\n    return {body}\n"),
        );
        user.ok(&["skill", "save", "rate", file.to_str().unwrap()]);
    };
    save("1");
    save("2");
    let source = "from skills import rate, rate_v1, rate_v2\n[rate(), rate_v1(), rate_v2()]";
    assert_eq!(user.value(&["-c", source]), json!([2, 1, 2]));
    let shown: Value =
        serde_json::from_str(&user.ok(&["skill", "show", "rate_v1", "--json"])).unwrap();
    assert_eq!(shown["skill"]["versions"], json!([1, 2]));
    assert!(shown["source"].as_str().unwrap().contains("return 1"));
    user.ok(&["skill", "remove", "rate"]);
    assert_eq!(listed(&user), json!([]));
    let missing = user.outcome(&["-c", "from skills import rate"]);
    assert_eq!(missing["error"]["type"], "ImportError", "{missing}");
}

#[test]
fn a_tool_that_changed_makes_a_skill_stale_with_the_reason() {
    let user = user();
    user.value(&["-c", ROOMS]);
    // As if it had been saved when the tool was another one.
    let skills = user.folder().join("skills");
    let owner = std::fs::read_dir(&skills).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        path.is_dir().then_some(path)
    });
    let file = owner.unwrap().join("devices_in/1.json");
    let mut stored: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    stored["skill"]["tools"][0]["fingerprint"] = "0".repeat(64).into();
    std::fs::write(&file, stored.to_string()).unwrap();
    let view = &listed(&user)[0];
    let words = "data.get_devices is not what it was when this was saved";
    assert_eq!(view["stale"], words);
    let tested = user.ok(&["skill", "test", "devices_in"]);
    assert!(tested.contains("stale: ") && tested.contains("its examples still pass"), "{tested}");
    let ran = user.outcome(&["-c", "from skills import devices_in\n1"]);
    assert!(ran["stderr"].as_str().unwrap().contains(words), "{ran}");
}

#[test]
fn a_tool_that_does_not_only_read_needs_a_recorded_answer() {
    let user = User::new();
    let source = r"
async def ask(question: str) -> int:
    return (await call_mcp_tool('nobody', 'ask', {'question': question}))['answer']

recorded = {'tool': 'nobody.ask', 'arguments': {'question': 'why'}, 'result': {'answer': 42}}
saved = await save_skill('ask', ask, description='Asks.', examples=[
    {'arguments': {'question': 'why'}, 'results': [recorded], 'expect': 42}])
try:
    await save_skill('ask', ask, description='Asks.', examples=[{'question': 'how'}])
except ToolError as error:
    said = str(error)
[saved['version'], said]";
    let ran = user.outcome(&["--no-check", "-c", source]);
    assert_eq!(ran["return_value"][0], 1, "{ran}");
    assert!(
        ran["return_value"][1]
            .as_str()
            .unwrap()
            .contains("nobody says of nobody.ask that it only reads"),
        "{ran}"
    );
}

#[test]
fn a_skill_runs_under_the_rules_of_whoever_calls_it() {
    let user = user();
    user.value(&["-c", ROOMS]);
    let config = user.folder().join("config/tidegate/tidegate.toml");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str("\n[[policy.rules]]\ntools = \"data.*\"\naction = \"deny\"\n");
    std::fs::write(&config, text).unwrap();
    let ran = user.outcome(&["-c", "from skills import devices_in\nawait devices_in('kitchen')"]);
    assert_eq!(ran["error"]["type"], "PolicyError", "{ran}");
}

#[test]
fn what_rules_keep_from_some_places_does_not_get_there_as_a_skill() {
    let user = user();
    let config = user.folder().join("config/tidegate/tidegate.toml");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str("\n[[policy.flow]]\nfrom = \"data.*\"\nto = \"mail.*\"\naction = \"deny\"\n");
    std::fs::write(&config, text).unwrap();
    // It could write what it has read into the source.
    let ran = user.outcome(&["-c", ROOMS]);
    assert_eq!(ran["error"]["type"], "PolicyError", "{ran}");
    let words = "this session has read data.get_devices";
    assert!(ran["error"]["message"].as_str().unwrap().contains(words), "{ran}");
    assert_eq!(listed(&user), json!([]));
    // What its examples read would be kept with it, and that it was saved would tell of it.
    let source = "
from servers.data import get_devices

async def devices_in(room: str) -> list:
    '''The ids of the devices in a room.'''
    return sorted(device['id'] for device in (await get_devices(room=room))['devices'])

(await save_skill('devices_in', devices_in, examples=[{'room': 'kitchen'}]))['version']";
    let ran = user.outcome(&["-c", source]);
    assert_eq!(ran["error"]["type"], "PolicyError", "{ran}");
    let words = "its examples read data.get_devices";
    assert!(ran["error"]["message"].as_str().unwrap().contains(words), "{ran}");
    assert_eq!(listed(&user), json!([]));
    // Without them, there is nothing to keep.
    let source = source.replace(", examples=[{'room': 'kitchen'}]", "");
    assert_eq!(user.value(&["-c", &source]), 1);
}

#[test]
fn at_hardened_a_skill_imports_no_more_than_a_program() {
    let user = User::new();
    let file = user.file(
        "skill.py",
        "import os\ndef where() -> str:\n    \"\"\"Where.\"\"\"\n    return os.getcwd()\n",
    );
    user.ok(&["skill", "save", "where", file.to_str().unwrap()]);
    let source = "from skills import where\nwhere()";
    assert_eq!(user.value(&["-c", source]), "/workspace");
    let ran = user.outcome(&["--level", "hardened", "-c", source]);
    assert_eq!(ran["error"]["type"], "ReviewError", "{ran}");
    assert!(ran["error"]["message"].as_str().unwrap().contains("the skill where"), "{ran}");
    let hidden = "import importlib\nimportlib.import_module('ski' + 'lls').where()";
    let ran = user.outcome(&["--level", "hardened", "--no-check", "-c", hidden]);
    assert_eq!(ran["success"], false, "{ran}");
}

#[test]
fn the_starter_skills_install_and_all_their_examples_pass() {
    let user = User::new();
    let refused = user.tidegate(&["skill", "install", "starter"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stdout.contains("it calls no tools"), "{refused:?}");
    assert_eq!(listed(&user), json!([]));
    user.ok(&["skill", "install", "starter", "--yes", "--scope", "global"]);
    let tested = user.ok(&["skill", "test"]);
    assert_eq!(tested.lines().count(), 10, "{tested}");
    assert!(tested.lines().all(|line| line.contains(": passed, examples: ")), "{tested}");
    let source = "from skills import top_rows\ntop_rows([{'n': 1}, {'n': 5}], 'n', 1)";
    assert_eq!(user.value(&["-c", source]), json!([{"n": 5}]));
}

#[test]
fn a_pack_is_refused_unless_it_is_whole_and_its_key_is_trusted() {
    let (ada, bob) = (User::new(), User::new());
    let file = ada
        .file("skill.py", "def twice(n: int) -> int:\n    \"\"\"Twice.\"\"\"\n    return 2 * n\n");
    ada.ok(&["skill", "save", "twice", file.to_str().unwrap()]);
    let index = ada.folder().join("index");
    let place = index.to_str().unwrap();
    ada.ok(&["skill", "publish", "twice", "--to", place]);
    let key = ada.ok(&["skill", "key"]);
    let key = key.trim();

    let packs = bob.ok(&["skill", "packs", place]);
    assert!(packs.contains("twice") && packs.contains(key), "{packs}");
    let refused = bob.tidegate(&["skill", "install", place, "twice", "--yes"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains(&format!("--trust {key}")), "{refused:?}");
    assert_eq!(listed(&bob), json!([]));
    let said = bob.ok(&["skill", "install", place, "twice", "--yes", "--trust", key]);
    assert!(said.contains(&format!("signed by {key}")), "{said}");
    assert_eq!(bob.value(&["-c", "from skills import twice\ntwice(4)"]), 8);

    // Another byte, and it is another pack.
    let archive = index.join("twice-1.0.0.zip");
    let mut bytes = std::fs::read(&archive).unwrap();
    let last = bytes.len() - 30;
    bytes[last] ^= 1;
    std::fs::write(&archive, bytes).unwrap();
    let carol = User::new();
    let refused = carol.tidegate(&["skill", "install", place, "--yes", "--trust", key]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("is not the file that the index names"), "{refused:?}");
    assert_eq!(listed(&carol), json!([]));
}

#[test]
fn what_a_pack_wants_is_shown_before_anything_of_it_runs() {
    let (ada, bob) = (user(), User::new());
    ada.value(&["-c", ROOMS]);
    let to = ada.folder().join("rooms.zip");
    let place = to.to_str().unwrap();
    ada.ok(&["skill", "export", "devices_in", "--to", place]);
    let key = ada.ok(&["skill", "key"]);
    let install = ["skill", "install", place, "--trust", key.trim()];
    let asked = bob.tidegate(&install);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    for words in ["devices_in(room: str) -> list", "it calls data.get_devices (not here)"] {
        assert!(asked.stdout.contains(words), "no {words:?} in {asked:?}");
    }
    assert_eq!(listed(&bob), json!([]));
    // Its example cannot pass where its tool is not.
    bob.ok(&[&install[..], &["--yes"]].concat());
    let view = &listed(&bob)[0];
    assert!(view["stale"].is_string(), "{view}");
}

#[test]
fn what_a_pack_does_not_say_of_itself_is_found_in_its_source() {
    let bob = user();
    let source = "import socket\nfrom servers.data import get_devices\n\nasync def devices() -> int:\n    \
                  'How many devices there are.'\n    return (await get_devices())['count']\n";
    // It says that it calls nothing.
    let skill = json!({
        "name": "devices", "version": 0, "signature": "devices() -> int", "source": source,
        "description": "How many devices there are.", "author": "eve", "saved": 7,
    });
    let skill = serde_json::from_value(skill).unwrap();
    let (signer, _) = ::skills::Signer::generate().unwrap();
    let name = ::skills::Name::new("harmless").unwrap();
    let pack =
        ::skills::Pack::new((name, "1", "Calls nothing."), vec![skill], Some(&signer)).unwrap();
    let place = bob.folder().join("harmless.zip");
    pack.write(&place).unwrap();
    let key = signer.key().to_string();
    let asked = bob.tidegate(&["skill", "install", place.to_str().unwrap(), "--trust", &key]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    for words in ["it calls data.get_devices (", ", and it does not say so)", "imports `socket`"] {
        assert!(asked.stdout.contains(words), "no {words:?} in {asked:?}");
    }
    assert!(!asked.stdout.contains("it calls no tools"), "{asked:?}");
    assert_eq!(listed(&bob), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_publishes_another_installs_from_an_address() {
    let (ada, bob) = (User::new(), User::new());
    let file = ada
        .file("skill.py", "def twice(n: int) -> int:\n    \"\"\"Twice.\"\"\"\n    return 2 * n\n");
    ada.ok(&["skill", "save", "twice", file.to_str().unwrap()]);
    let index = ada.folder().join("index");
    let publish = |skill: &str, edition: &str| {
        let to = index.to_str().unwrap();
        ada.tidegate(&["skill", "publish", skill, "--to", to, "--edition", edition])
    };
    assert_eq!(publish("twice", "1.0.0").code, Some(0));
    let key = ada.ok(&["skill", "key"]);
    let address = format!("http://{}/", offered(index.clone()).await);

    let packs = bob.ok(&["skill", "packs", &address]);
    assert!(packs.contains("twice") && packs.contains("1.0.0"), "{packs}");
    let install = ["skill", "install", &address, "--trust", key.trim()];
    let asked = bob.tidegate(&install);
    assert!(asked.stdout.contains("twice(n: int) -> int"), "{asked:?}");
    assert_eq!((asked.code, listed(&bob)), (Some(2), json!([])), "{asked:?}");
    bob.ok(&[&install[..], &["--yes"]].concat());
    assert_eq!(bob.value(&["-c", "from skills import twice\ntwice(4)"]), 8);

    // Another function under an edition that is there already is refused; a new one is the one that comes.
    let file = ada
        .file("skill.py", "def twice(n: int) -> int:\n    \"\"\"Twice.\"\"\"\n    return n + n\n");
    ada.ok(&["skill", "save", "twice", file.to_str().unwrap()]);
    let refused = publish("twice", "1.0.0");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("already has twice 1.0.0"), "{refused:?}");
    assert_eq!(publish("twice", "1.1.0").code, Some(0));
    bob.ok(&[&install[..], &["--yes"]].concat());
    let shown = bob.ok(&["skill", "show", "twice"]);
    assert!(shown.contains("return n + n"), "{shown}");

    let nowhere = bob.tidegate(&["skill", "packs", &format!("{address}nothing/index.json")]);
    assert_eq!(nowhere.code, Some(2), "{nowhere:?}");
    assert!(nowhere.stderr.contains("status 404"), "{nowhere:?}");
}

#[test]
fn a_tool_that_changes_while_the_gateway_runs_makes_a_skill_stale() {
    let user = User::new();
    let (script, log) = (
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/changing.py"),
        user.folder().join("listed"),
    );
    let config = format!(
        "[servers.desk]\ncommand = 'python3'\nargs = ['{script}', '{}']\nstartup = 'eager'\ntrusted = true\n",
        log.display()
    );
    let config = user.file("changing.toml", &config);
    let config = config.to_str().unwrap();
    let saving = "
from servers.desk import rate

async def rate_of(currency: str) -> int:
    'The rate of a currency.'
    return (await rate(of=currency))['rate']

(await save_skill('rate_of', rate_of, examples=[{'currency': 'eur'}]))['tools'][0]['tool']";
    let saved = user.tidegate(&["--config", config, "run", "--json", "-c", saving]);
    let saved: Value = serde_json::from_str(&saved.stdout).unwrap();
    assert_eq!(saved["return_value"], "desk.rate", "{saved}");

    let listings = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    let stale = || {
        let said = user.ok(&["--config", config, "skill", "list", "--json"]);
        let listed: Value = serde_json::from_str(&said).unwrap();
        listed[0]["stale"].as_str().map(str::to_owned)
    };
    // Nobody has said that it changed, and whoever tests asks.
    let test = || user.ok(&["--config", config, "skill", "test", "rate_of"]);
    assert!(test().contains("rate_of: passed"));
    let changed = log.with_file_name("listed.changed");
    std::fs::write(&changed, "").unwrap();
    let tested = test();
    assert!(tested.contains("rate_of: stale: desk.rate is not what it was"), "{tested}");
    std::fs::remove_file(&changed).unwrap();
    assert!(test().contains("rate_of: passed"));

    let before = listings();
    let serving = Ended(user.start(&["--config", config, "serve", "--port", "0"]));
    until(|| (listings() > before).then_some(()));
    assert_eq!(stale(), None);
    std::fs::write(&changed, "").unwrap();
    // That its examples still pass is known to whoever has run them: the gateway.
    let why = until(|| stale().filter(|why| why.contains("; its examples still pass")));
    assert!(why.starts_with("desk.rate is not what it was when this was saved"), "{why}");
    drop(serving);
}

#[test]
fn what_was_exported_comes_back() {
    let (ada, bob) = (User::new(), User::new());
    let file = ada
        .file("skill.py", "def twice(n: int) -> int:\n    \"\"\"Twice.\"\"\"\n    return 2 * n\n");
    ada.ok(&["skill", "save", "twice", file.to_str().unwrap()]);
    let key = ada.ok(&["skill", "key"]);
    for name in ["pack", "pack.zip"] {
        let to = ada.folder().join(name);
        ada.ok(&["skill", "export", "twice", "--to", to.to_str().unwrap()]);
        let from: &Path = &to;
        let from = from.to_str().unwrap();
        bob.ok(&["skill", "import", from, "--yes", "--trust", key.trim()]);
        assert_eq!(listed(&bob)[0]["author"], "twice 1.0.0");
        bob.ok(&["skill", "remove", "twice"]);
    }
}

/// A process that ends with its test.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks until something is there.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(120), "it never came");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// A web server that offers the files of a folder, and nothing below it.
async fn offered(folder: PathBuf) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let read = move |axum::extract::Path(file): axum::extract::Path<String>| {
        let path = folder.join(file);
        async move { std::fs::read(path).map_err(|_| axum::http::StatusCode::NOT_FOUND) }
    };
    let router = axum::Router::new().route("/{file}", axum::routing::get(read));
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
