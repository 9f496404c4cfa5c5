//! Scratch: run a file.
use engine::*;
use engine_wasm::cache::Cache;
use engine_wasm::install::*;
use engine_wasm::*;
use std::sync::Arc;
#[tokio::main]
async fn main() {
    let cache = Cache::at(
        std::path::PathBuf::from(std::env::var("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
    );
    let inst = install(&cache, &Source::Registry, &plan().unwrap(), &Builder, &Silent).unwrap();
    let e: Arc<dyn Engine> = Arc::new(WasmEngine::open(inst, Options::default()).unwrap());
    let mut s = Session::new(e, Start::default());
    let o = s
        .run(
            Program::new(std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap()),
            Arc::new(NoCalls),
        )
        .await
        .unwrap();
    println!("{}", serde_json::to_string_pretty(&o).unwrap());
}
