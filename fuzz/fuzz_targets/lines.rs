//! What a client writes to the MCP door: whatever it is, the next good request is answered.

#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use engine::Language;
use gateway::service::store::Store;
use gateway::service::{Engines, Parts, Readiness, Service, Settings};
use gateway::{Memory, Tools};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use server::guidance::Guidance;
use server::mcp::{Mcp, McpOptions, Mode, Parting};
use server::{Servers, Shared};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use upstream::Upstreams;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(10);

fuzz_target!(|data: &[u8]| {
    // The first byte chooses what the door shows; the rest is what the client writes.
    let (mode, lines) = match data.split_first() {
        Some((byte, lines)) if byte % 2 == 0 => (Mode::Code, lines),
        Some((_, lines)) => (Mode::Direct, lines),
        None => return,
    };
    let house = house();
    house.runtime.block_on(async {
        let mcp = Mcp::new(house.shared.clone(), McpOptions { mode, ..McpOptions::default() });
        let answered = tokio::time::timeout(PATIENCE, answered(mcp, lines)).await;
        assert!(answered.is_ok(), "no answer");
    });
});

/// One service for all inputs: nothing of it hangs on a connection.
struct House {
    runtime: Runtime,
    shared: Shared,
    _folder: TempDir,
}

fn house() -> &'static House {
    static HOUSE: OnceLock<House> = OnceLock::new();
    HOUSE.get_or_init(|| {
        let runtime = Runtime::new().expect("a runtime");
        let folder = TempDir::new().expect("a folder");
        let shared = runtime.block_on(shared(&folder));
        House { runtime, shared, _folder: folder }
    })
}

/// A service without a runtime for programs, which no message needs.
async fn shared(folder: &TempDir) -> Shared {
    let upstreams = Upstreams::new(Vec::new(), upstream::Options::default());
    let readiness = Readiness::Installing { percent: 40, stage: "compiling".to_owned() };
    let told = watch::Sender::new(readiness).subscribe();
    let parts = Parts {
        engines: Engines::default().with(Language::Python, told),
        tools: Tools::new(upstreams, BTreeMap::new(), Memory::none()),
        checks: None,
        store: Store::open(folder.path()).await.expect("a store"),
        guidance: "1".to_owned(),
        spans: None,
        trail: None,
        watching: None,
    };
    let service = Service::open(Settings::default(), parts).await.expect("a service");
    Shared {
        service,
        guidance: Arc::new(Guidance::default()),
        servers: Arc::new(Nobody),
        address: Arc::default(),
    }
}

struct Nobody;

#[async_trait]
impl Servers for Nobody {
    async fn add(&self, _: &str, _: Value) -> Result<(), String> {
        Err("nobody adds servers here".to_owned())
    }

    async fn remove(&self, _: &str) -> Result<bool, String> {
        Ok(false)
    }
}

/// Writes the lines and then a good request, and waits for the answer to that.
async fn answered(mcp: Mcp, lines: &[u8]) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let parting = Parting::default();
    let serving = tokio::spawn(mcp.serve(tokio::io::split(theirs), parting.clone()));
    let (reading, mut writing) = tokio::io::split(ours);
    let good = b"\n{\"jsonrpc\":\"2.0\",\"id\":\"the good one\",\"method\":\"ping\"}\n";
    let writing = async {
        writing.write_all(lines).await.expect("somebody reads");
        writing.write_all(good).await.expect("somebody reads");
        writing
    };
    let mut reading = BufReader::new(reading).lines();
    let reading = async {
        while let Some(line) = reading.next_line().await.expect("text") {
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == "the good one" {
                return;
            }
        }
        panic!("it ended");
    };
    let _open = tokio::join!(writing, reading);
    parting.ending.cancel();
    serving.await.expect("no panic").expect("an orderly end");
}
