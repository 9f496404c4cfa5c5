//! Throwaway.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "throwaway")]
#[path = "../tests/support/mod.rs"]
mod support;
use std::time::Instant;
use support::{call, http, name, server, start, status, stdio};
use upstream::Wire;

/// probe [-e K=V].. (URL | command args..) -- tool json tool json
#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cut = arguments.iter().position(|a| a == "--").unwrap_or(arguments.len());
    let (line, calls) = arguments.split_at(cut);
    let source = if line[0].starts_with("http") { http(&line[0], Wire::Auto) } else {
        stdio(&line[0], &line[1..].iter().map(String::as_str).collect::<Vec<_>>())
    };
    let upstreams = start([server("s", source)]);
    let begin = Instant::now();
    match upstreams.listing(&name("s")).await {
        Ok(l) => println!("listed {} tools in {:?}; title {:?}", l.tools.len(), begin.elapsed(), l.title),
        Err(e) => println!("FAILED in {:?}: {e}", begin.elapsed()),
    }
    let s = status(&upstreams, "s");
    println!("{:?} {:?} {:?} code_mode {:?}", s.state, s.protocol, s.server, s.code_mode);
    for pair in calls.get(1..).unwrap_or_default().chunks(2) {
        let begin = Instant::now();
        let result = call(&upstreams, "s", &pair[0], serde_json::from_str(&pair[1]).unwrap()).await;
        let text = match result { Ok(r) => format!("{r:?}"), Err(e) => format!("ERR {e}") };
        println!("{} in {:?}: {}", pair[0], begin.elapsed(), text.chars().take(200).collect::<String>());
    }
    println!("resources {:?}", upstreams.resources(&name("s")).await.map(|r| r.len()).map_err(|e| e.to_string()));
    println!("prompts {:?}", upstreams.prompts(&name("s")).await.map(|r| r.len()).map_err(|e| e.to_string()));
    for n in status(&upstreams, "s").notes.iter().take(8) { println!("note {:?} {}", n.kind, n.text.chars().take(150).collect::<String>()); }
    let begin = Instant::now();
    upstreams.close().await;
    println!("closed in {:?}", begin.elapsed());
}
