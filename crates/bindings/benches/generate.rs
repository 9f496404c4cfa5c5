//! How fast bindings are generated: the whole corpus, both languages, one core.
#![expect(clippy::print_stdout, reason = "the figures are the point")]

use std::sync::Arc;
use std::time::Instant;

use bindings::SourceFile;
use catalog::{Catalog, CatalogServer};

/// Rounds, of which the quickest counts.
const ROUNDS: usize = 5;

fn main() {
    measure("catalog and schemas", |catalog| {
        let notes = catalog.tools().map(|tool| {
            tool.input().notes.len() + tool.output().map_or(0, |output| output.notes.len())
        });
        notes.sum()
    });
    let files = |generate: fn(&CatalogServer) -> Vec<SourceFile>| {
        move |catalog: &Catalog| {
            catalog.servers().flat_map(generate).map(|file| file.text.len()).sum()
        }
    };
    measure("python", files(bindings::python_server));
    measure("typescript", files(bindings::typescript_server));
    measure("signatures", |catalog| {
        catalog.tools().map(|tool| bindings::signature(tool).len()).sum()
    });
}

/// Times `work` on a catalog whose schemas have not been read yet, and prints what came of it.
fn measure(name: &str, work: impl Fn(&Catalog) -> usize) {
    let listings: Vec<_> = catalog::corpus::listings().into_iter().map(Arc::new).collect();
    let tools: usize = listings.iter().map(|listing| listing.tools.len()).sum();
    let mut best = f64::INFINITY;
    let mut amount = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        amount = work(&Catalog::new(listings.clone()));
        best = best.min(start.elapsed().as_secs_f64());
    }
    #[expect(clippy::cast_precision_loss, reason = "thousands of tools")]
    let speed = tools as f64 / best;
    println!("{name}: {tools} tools in {:.1} ms, {speed:.0} tools/s ({amount})", best * 1e3);
}
