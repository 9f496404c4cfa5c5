//! What the command line asks for, and how many samples that means.

use engine_wasm::install::BoxError;

const USAGE: &str = "usage: cargo bench -p engine-wasm -- [--quick] [--rounds N] [--write]";

/// One invocation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// How often everybody is measured.
    pub(crate) rounds: usize,
    /// Few samples, to see that it works.
    pub(crate) quick: bool,
    /// Put the result into the repository.
    pub(crate) write: bool,
}

/// How many samples one round takes of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Bursts from the warm pool, and as many of Monty's.
    pub(crate) bursts: usize,
    /// Fresh guests without standby.
    pub(crate) fresh: usize,
    /// Sessions, each with a few programs.
    pub(crate) sessions: usize,
    /// Fresh guests that use pandas.
    pub(crate) tables: usize,
    /// Sessions frozen and thawed.
    pub(crate) frozen: usize,
    /// Programs run four at a time.
    pub(crate) crowd: usize,
    /// Programs that make two thousand host calls each.
    pub(crate) callers: usize,
    /// Processes started: `python3`, and `tidegate`.
    pub(crate) processes: usize,
    /// Processes that import pandas.
    pub(crate) pandas_processes: usize,
    /// Runs of the slow runner.
    pub(crate) slow: usize,
}

impl Options {
    /// Reads the arguments after the program's name.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, BoxError> {
        let mut options = Self { rounds: 0, quick: false, write: false };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                "--rounds" => options.rounds = arguments.next().ok_or(USAGE)?.parse()?,
                // Cargo says this to every benchmark.
                "--bench" => {}
                _ => return Err(USAGE.into()),
            }
        }
        if options.rounds == 0 {
            options.rounds = if options.quick { 2 } else { 5 };
        }
        Ok(options)
    }

    /// The size of one round.
    pub(crate) fn counts(self) -> Counts {
        if self.quick {
            return Counts {
                bursts: 6,
                fresh: 20,
                sessions: 5,
                tables: 5,
                frozen: 3,
                crowd: 200,
                callers: 1,
                processes: 3,
                pandas_processes: 1,
                slow: 1,
            };
        }
        Counts {
            bursts: 20,
            fresh: 120,
            sessions: 40,
            tables: 40,
            frozen: 10,
            crowd: 1_500,
            callers: 3,
            processes: 12,
            pandas_processes: 4,
            slow: 3,
        }
    }
}
