//! What tasks cost a model, in three ways: with every definition in its context, with a search for
//! tools, and with programs.
//!
//! `cargo bench --workspace --bench tokens` prints the figures; with `-- --write` they also go into
//! docs/benchmarks.md. The definitions are those of real servers. Their results come from here and
//! are the very same in all three ways; ours are really searched for and really run.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod report;
mod tasks;
mod times;
mod world;

use std::error::Error;
use std::path::PathBuf;

use report::Row;
use tasks::{Task, tasks};
use world::{World, search_tool_tokens};

type Failure = Box<dyn Error + Send + Sync>;

/// How many tools there are.
const SIZES: [usize; 3] = [50, 500, 3_500];

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let manifest =
        PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into()));
    let tasks = tasks();
    let mut rows: Vec<Row> = tasks.iter().map(Row::new).collect();
    let mut own = 0;
    for size in SIZES {
        let world = World::open(size, &tasks).await?;
        own = world.own_tokens().await?;
        for (row, task) in rows.iter_mut().zip(&tasks) {
            row.costs.push(cost(&world, own, task).await?);
        }
    }
    let text = format!("{}\n{}", report::table(&rows, own, SIZES), times::table().await?);
    println!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        report::write(&manifest.join("../../docs/benchmarks.md"), &text)?;
    }
    Ok(())
}

/// Tokens of one task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) inline: usize,
    pub(crate) search: usize,
    pub(crate) ours: usize,
}

async fn cost(world: &World, own: usize, task: &Task) -> Result<Cost, Failure> {
    let mut passed = 0;
    let mut used = Vec::new();
    for (number, (server, tool, arguments)) in task.calls.iter().enumerate() {
        passed += count(&arguments.to_string());
        passed += count(&tasks::result(server, tool, number).to_string());
        if !used.contains(&(*server, *tool)) {
            used.push((server, tool));
        }
    }
    let asked: usize = task.queries.iter().map(|query| count(query)).sum();
    let definitions: usize =
        used.iter().map(|(server, tool)| world.definition_tokens(server, tool)).sum();

    world.begin(task);
    let mut found = 0;
    for (query, (server, tool)) in task.queries.iter().zip(&used) {
        let wanted = format!("def {}(", tool.replace('-', "_"));
        let mut is_found = false;
        // One that does not find it is made again for more, and costs again.
        for limit in [1, 5, 20] {
            let said = world.search(query, limit).await?;
            found += count(&said);
            is_found = said.contains(&wanted);
            if is_found {
                break;
            }
        }
        if !is_found {
            return Err(format!("{query:?} does not find {server}.{tool}").into());
        }
    }
    let answer = world.execute(task.program).await?;
    Ok(Cost {
        inline: world.all_tokens() + passed,
        search: search_tool_tokens() + asked + definitions + passed,
        ours: own + asked + found + count(task.program) + count(&answer),
    })
}

pub(crate) fn count(text: &str) -> usize {
    budget::count(text)
}
