//! Bindings of real servers' tools, imported and called by real guests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use catalog::Catalog;
use engine::{
    CallResult, Calls, Folder, HostCall, Language, Level, Limits, NoCalls, Program, Session, Start,
};
use engine_wasm::cache::Cache;
use engine_wasm::install::{Silent, Source, install};
use engine_wasm::{Builder, Options, WasmEngine, plan_of};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Imports every module of every server and looks at what it is for.
const IMPORT_ALL: &str = r#"
import importlib, inspect, pathlib
failed, tools, read = [], 0, 0
for server in sorted(path for path in pathlib.Path("/servers").iterdir() if path.is_dir()):
    if not server.name.isidentifier():
        continue
    package = importlib.import_module(f"servers.{server.name}")
    for name in package.__all__:
        try:
            function = getattr(package, name)
            # What was read of it is what compiling gives.
            module = importlib.import_module(function.__module__)
            read += type(module.__loader__).__name__ == "_Loader" and module.__loader__.is_quick
            compiled = {"__name__": function.__module__}
            exec(compile(inspect.getsource(module), module.__file__, "exec"), compiled)
            compiled = compiled[function.__name__]
            # Types made twice are not the same, but have the same name.
            signatures = str(inspect.signature(function)), str(inspect.signature(compiled))
            assert signatures[0] == signatures[1], signatures
            assert function.__doc__ == compiled.__doc__ and function.__doc__ is not None, "another docstring"
            assert vars(function.__tidegate_tool__) == vars(compiled.__tidegate_tool__), "another tool"
            function.__annotations__
        except Exception as error:
            failed.append(f"{server.name}.{name}: {type(error).__name__}: {error}")
    for path in sorted(server.glob("*.py")):
        if path.stem != "__init__" and path.stem.isidentifier():
            try:
                importlib.import_module(f"servers.{server.name}.{path.stem}")
                tools += 1
            except Exception as error:
                failed.append(f"{path}: {type(error).__name__}: {error}")
{"tools": tools, "read": read, "failed": failed[:20], "failures": len(failed)}
"#;

#[tokio::test]
async fn every_tool_of_the_corpus_can_be_imported_in_a_guest() {
    let listings = catalog::corpus::listings();
    let count: usize = listings.iter().map(|listing| listing.tools.len()).sum();
    let catalog = Catalog::new(listings.into_iter().map(Arc::new).collect());
    let mut files = BTreeMap::new();
    for server in catalog.servers() {
        for file in bindings::python_server(server) {
            files.insert(file.path, Arc::<[u8]>::from(file.text));
        }
    }
    let start = Start {
        limits: Limits { memory_bytes: 1 << 30, ..Limits::of(Level::Development) },
        servers: Some(Arc::new(Folder::new(files))),
        ..Start::default()
    };
    let mut session = Session::new(engine(), start);
    let outcome = session.run(Program::new(IMPORT_ALL), Arc::new(NoCalls)).await.unwrap();
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let value: serde_json::Value = serde_json::from_str(outcome.return_value.get()).unwrap();
    assert_eq!(value["failures"], 0, "{}", value["failed"]);
    // A module that was not read is compiled, which is right and slow.
    assert!(value["read"].as_u64() > value["tools"].as_u64().map(|tools| tools * 3 / 4), "{value}");
    assert!(value["tools"].as_u64() >= u64::try_from(count).ok(), "{} of {count}", value["tools"]);
}

/// Calls every tool there is, each with what it has to be given.
const CALL_ALL: [(Language, &str); 2] = [
    (
        Language::Python,
        r#"
import importlib
for one in wanted:
    module = importlib.import_module("servers." + one["python"][0])
    await getattr(module, one["python"][1])(**one["named"])
len(wanted)
"#,
    ),
    (
        Language::TypeScript,
        r"
for (const { typescript: [server, name], given } of wanted) {
  const module = await import(`servers/${server}`);
  await module[name](given);
}
wanted.length
",
    ),
];

/// Answers everything, and writes down what it was asked.
#[derive(Default)]
struct Recorder(Mutex<Vec<Value>>);

#[async_trait]
impl Calls for Recorder {
    async fn call(&self, call: HostCall) -> CallResult {
        let asked = serde_json::from_str(call.arguments.get()).unwrap();
        self.0.lock().unwrap().push(asked);
        CallResult::ok(call.id, RawValue::from_string(r#"{"v":1}"#.to_owned()).unwrap())
    }
}

#[tokio::test]
async fn the_same_arguments_arrive_from_both_languages() {
    let listings = catalog::corpus::listings();
    let catalog = Catalog::new(listings.into_iter().map(Arc::new).collect());
    let mut files = BTreeMap::from([{
        let client = bindings::typescript_client();
        (client.path, Arc::<[u8]>::from(client.text))
    }]);
    for server in catalog.servers() {
        let typescript = bindings::typescript_server(server);
        for file in bindings::python_server(server).into_iter().chain(typescript) {
            files.insert(file.path, Arc::<[u8]>::from(file.text));
        }
    }
    let (mut wanted, mut expected) = (Vec::new(), Vec::new());
    for tool in catalog.tools() {
        let parameters = bindings::python_parameters(tool).parameters;
        let required = || parameters.iter().filter(|one| one.required);
        let named: Map<String, Value> =
            required().map(|one| (one.name.clone(), json!("x"))).collect();
        let given: Map<String, Value> =
            required().map(|one| (one.key.clone(), json!("x"))).collect();
        expected.push(json!({
            "server": tool.server().0, "tool": tool.name().0, "arguments": given,
        }));
        wanted.push(json!({
            "python": [tool.server_python(), tool.python()],
            "typescript": [tool.server_typescript(), tool.typescript()],
            "named": named, "given": given,
        }));
    }
    let servers = Arc::new(Folder::new(files));
    for (language, source) in CALL_ALL {
        let limits = Limits {
            memory_bytes: 1 << 30,
            calls: 1 << 20,
            wall: Duration::from_secs(600),
            cpu_time: Duration::from_secs(600),
            ..Limits::of(Level::Development)
        };
        let start = Start { limits, servers: Some(Arc::clone(&servers)), ..Start::default() };
        let program = Program::new(source).in_language(language).with("wanted", json!(wanted));
        let recorder = Arc::new(Recorder::default());
        let mut session = Session::new(engine_of(language), start);
        let outcome = session.run(program, Arc::clone(&recorder) as _).await.unwrap();
        assert!(outcome.error.is_none(), "{language}: {:?}", outcome.error);
        let asked = recorder.0.lock().unwrap();
        assert_eq!(asked.len(), expected.len(), "{language}");
        for (asked, expected) in asked.iter().zip(&expected) {
            assert_eq!(asked, expected, "{language}");
        }
    }
}

fn engine() -> Arc<WasmEngine> {
    engine_of(Language::Python)
}

fn engine_of(language: Language) -> Arc<WasmEngine> {
    let usual = || {
        PathBuf::from(std::env::var_os("HOME").expect("a home folder"))
            .join(".cache/tidegate-ci/guest")
    };
    let folder = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(usual, PathBuf::from);
    let plan = plan_of(language).expect("this machine can run guests");
    let installed = install(&Cache::at(folder), &Source::Registry, &plan, &Builder, &Silent);
    let installed = installed.expect("the runtime can be installed");
    Arc::new(WasmEngine::open(installed, Options::default()).expect("the runtime can be loaded"))
}
