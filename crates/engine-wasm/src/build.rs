//! Making images: run a warm-up program, keep the memory it leaves.
//!
//! A build sees a constant wall clock, a counted monotonic clock and seeded chance,
//! so that the same inputs give the same bytes on every machine. Nothing is compiled.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::sync::Arc;
use std::time::Duration;

use engine::{
    CallResult, Digest, Folder, Host, HostCall, Input, Level, Limits, Program, Shown, Step,
};
use serde_json::value::RawValue;

use crate::cache::StoredImage;
use crate::install::{BoxError, BuiltImage, Parts, Pins, Plan, Recipe, Toolkit};
use crate::kit::{self, Kit};
use crate::language::{Language, Spoken as _};
use crate::machine::{Announced, Base, Machine, News};
use crate::memory::{self, ImageFile, PAGE};
use crate::script;
use crate::wasi::{Clock, Entropy};

/// Our package inside the guest, in the order its modules need each other.
const PACKAGE: &[(&str, &str)] = &[
    ("tables", include_str!("../guest/tables.py")),
    ("values", include_str!("../guest/values.py")),
    ("waiting", include_str!("../guest/waiting.py")),
    ("failures", include_str!("../guest/failures.py")),
    ("content", include_str!("../guest/content.py")),
    ("forgotten", include_str!("../guest/forgotten.py")),
    ("returned", include_str!("../guest/returned.py")),
    ("calls", include_str!("../guest/calls.py")),
    ("binding", include_str!("../guest/binding.py")),
    ("web", include_str!("../guest/web.py")),
    ("children", include_str!("../guest/children.py")),
    ("minds", include_str!("../guest/minds.py")),
    ("reading", include_str!("../guest/reading.py")),
    ("servers", include_str!("../guest/servers.py")),
    ("discovery", include_str!("../guest/discovery.py")),
    ("awaits", include_str!("../guest/awaits.py")),
    ("program", include_str!("../guest/program.py")),
    ("skills", include_str!("../guest/skills.py")),
    ("looks", include_str!("../guest/looks.py")),
    ("columns", include_str!("../guest/columns.py")),
    ("hints", include_str!("../guest/hints.py")),
    ("errors", include_str!("../guest/errors.py")),
    ("loop", include_str!("../guest/loop.py")),
    ("analysis_check", include_str!("../guest/analysis_check.py")),
    ("analysis_rows", include_str!("../guest/analysis_rows.py")),
    ("analysis_table", include_str!("../guest/analysis_table.py")),
    ("analysis_data", include_str!("../guest/analysis_data.py")),
    ("analysis_compare", include_str!("../guest/analysis_compare.py")),
    ("analysis_filter", include_str!("../guest/analysis_filter.py")),
    ("analysis_aggregate", include_str!("../guest/analysis_aggregate.py")),
    ("analysis_functions", include_str!("../guest/analysis_functions.py")),
    ("analysis_expression", include_str!("../guest/analysis_expression.py")),
    ("analysis_reshape", include_str!("../guest/analysis_reshape.py")),
    ("analysis_transform", include_str!("../guest/analysis_transform.py")),
    ("analysis_validate", include_str!("../guest/analysis_validate.py")),
    ("analysis_timeseries", include_str!("../guest/analysis_timeseries.py")),
    ("analysis_correlate", include_str!("../guest/analysis_correlate.py")),
    ("analysis_describe", include_str!("../guest/analysis_describe.py")),
    ("analysis_hypothesis", include_str!("../guest/analysis_hypothesis.py")),
    ("analysis_predict", include_str!("../guest/analysis_predict.py")),
    ("analysis", include_str!("../guest/analysis.py")),
    ("runtime", include_str!("../guest/runtime.py")),
];

const BOOT: &str = include_str!("../guest/boot.py");
const WARM: &str = include_str!("../guest/warm.py");
const SCIENCE: &str = include_str!("../guest/science.py");

/// Programs that take the usual paths once, so that they are warm in the image.
const REHEARSALS: &[&str] = &[
    "sum(range(100))",
    "x = [i * i for i in range(10)]\nprint(x)\nresult = {'x': x}",
    "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n\nawait asyncio.gather(f(1), f(2))",
    "def f():\n    raise ValueError('rehearsed')\nf()",
    "import pandas as pd\npd.DataFrame({'a': [1, 2, 1], 'b': [1.5, 2.5, 3.5]}).groupby('a').b.sum()",
    "return [1, 'two', 3.0, None]",
    "text = 'a'\nrows = [n * 3 for n in range(50)]\ntotal = sum(row for row in rows if row % 2)\nreturn {'rows': len(rows), 'total': total}",
    "import asyncio\nfrom servers.rehearsal import find_items\nfound = await find_items(query='x', limit=3)\nboth = await asyncio.gather(find_items('y'), find_items(query='z', kind='open'))\ntitles = {item['id']: item.get('title') for item in found['items']}\nreturn {'count': found['count'], 'titles': titles, 'both': len(both)}",
    "from servers import rehearsal as server\nfor name in ('a', 'b'):\n    found = await server.find_items(query=name)\n    print(found['count'])",
    "from servers.rehearsal import find_items\nfound = find_items(query='x')\nfound['count']",
    TOOL_REHEARSAL,
];

/// How often each is rehearsed: CPython rewrites code that it has met a few times, which would
/// make its pages private in every session.
const TIMES: usize = 12;

/// A server with one tool, as bindings write it.
const REHEARSED_SERVER: &[(&str, &str)] = &[
    ("rehearsal/__init__.py", include_str!("../guest/rehearsal/__init__.py")),
    ("rehearsal/find_items.py", include_str!("../guest/rehearsal/find_items.py")),
];

/// Answers the rehearsed tool.
struct Prompter;

impl Host for Prompter {
    fn answer(&self, call: &HostCall) -> Option<CallResult> {
        let answer = r#"{"v":{"count":1,"items":[{"id":1,"title":"one"}]}}"#;
        let answer = RawValue::from_string(answer.to_owned()).ok()?;
        (call.name == "$call").then(|| CallResult::ok(call.id, answer))
    }
}

fn rehearsed_server() -> Folder {
    let file = |(path, text): &(&str, &str)| ((*path).to_owned(), Arc::from(text.as_bytes()));
    Folder::new(REHEARSED_SERVER.iter().map(file).collect())
}

/// Makes a tool's call and takes it back before anybody could be asked to answer it.
const TOOL_REHEARSAL: &str = r#"
import asyncio
from typing import Any, Literal, NotRequired, TypedDict
from servers import tool

class Found(TypedDict):
    count: NotRequired[int]

@tool("server", "tool", {"text_": "text"})
async def rehearse(text_: str, *, times: int | None = None, kind: Literal["a", "b"] | None = None) -> Found:
    """Rehearses."""
    ...

try:
    import servers.nothing
except ImportError:
    pass
waiting = asyncio.create_task(rehearse("a", times=1))
await asyncio.sleep(0)
waiting.cancel()
try:
    answer = await waiting
    found = rehearse("b")
    found["count"]
except asyncio.CancelledError:
    pass
"#;

/// Programs that take a TypeScript guest's usual paths once; they leave their memory, which the
/// programs of a session then need not ask for.
const SCRIPT_REHEARSALS: &[&str] = &[
    "[...Array(100).keys()].reduce((a, b) => a + b)",
    "const x = Array.from({ length: 10 }, (_, i) => i * i);\nconsole.log(x, { x });\nreturn { x }",
    "const f = async (n: number) => { await sleep(0); return n };\nawait Promise.all([f(1), f(2)])",
    "function f() { throw new TypeError('rehearsed') }\nf()",
    "await callMCPTool('rehearsal', 'find_items', { query: 'x' })",
    "const rows = new Array(40_000).fill(0).map((_, i) => ({ i }));\nrows.length",
];

/// How wide a bridge over pages that are not hot may be. It costs less than another system call, but these pages become
/// private too: a TypeScript guest has so few that they count.
fn bridge(language: Language) -> usize {
    match language {
        Language::Python => 1,
        Language::TypeScript => 0,
    }
}

/// Everything a complete installation is made from, for this version on this machine.
///
/// # Errors
/// When wasmtime refuses its settings, which a test would have noticed.
pub fn plan() -> Result<Plan, BoxError> {
    plan_of(Language::Python)
}

/// The same for the guest of a language.
///
/// # Errors
/// As above.
pub fn plan_of(language: Language) -> Result<Plan, BoxError> {
    match language {
        Language::Python => python(),
        Language::TypeScript => typescript(),
    }
}

fn typescript() -> Result<Plan, BoxError> {
    let language = Language::TypeScript;
    Ok(Plan {
        pins: Pins::of(language),
        compatibility: kit::compatibility(language)?,
        recipes: vec![Recipe {
            name: language.base(),
            parent: language.first(),
            warm: String::new(),
            guest: script_digest(),
            packages: None,
        }],
    })
}

/// The digest of everything of ours that shapes a TypeScript image.
fn script_digest() -> Digest {
    let texts = script::PACKAGE.iter().chain(SCRIPT_REHEARSALS).copied();
    let all: Vec<&[u8]> = texts.map(str::as_bytes).collect();
    Digest::of(&all.join(&0))
}

fn python() -> Result<Plan, BoxError> {
    let guest = guest_digest();
    let recipe = |name: &str, parent: &str, warm: String| -> Result<Recipe, BoxError> {
        Ok(Recipe { name: name.parse()?, parent: parent.parse()?, warm, guest, packages: None })
    };
    Ok(Plan {
        pins: Pins::default(),
        compatibility: kit::compatibility(Language::Python)?,
        recipes: vec![
            recipe("base", "first", format!("{WARM}\n{}", boot()?))?,
            recipe("science", "base", SCIENCE.to_owned())?,
        ],
    })
}

/// The digest of everything of ours that shapes an image.
#[must_use]
pub fn guest_digest() -> Digest {
    let mut all = BOOT.as_bytes().to_vec();
    for text in PACKAGE.iter().map(|(_, source)| *source).chain(REHEARSALS.iter().copied()) {
        all.extend_from_slice(text.as_bytes());
        all.push(0);
    }
    Digest::of(&all)
}

/// Python source that installs our package.
fn boot() -> Result<String, BoxError> {
    // A JSON string is a Python string literal too, as long as it is plain text.
    let sources = serde_json::to_string(PACKAGE)?;
    Ok(format!("_SOURCES = {sources}\n{BOOT}"))
}

/// Compiles guests and makes images; what [`crate::install::install`] needs of wasmtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct Builder;

impl Toolkit for Builder {
    fn compile(
        &self,
        language: Language,
        module: &[u8],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Vec<u8>, BoxError> {
        kit::compile(language, module, progress)
    }

    fn build_image(
        &self,
        parts: &Parts,
        parent: &StoredImage,
        recipe: &Recipe,
        into: &File,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<BuiltImage, BoxError> {
        let kit = kit::open(parts)?;
        let packages = recipe
            .packages
            .as_deref()
            .map(crate::packages::unpack)
            .transpose()?
            .unwrap_or_default();
        let base = Arc::new(Base {
            digest: parent.record.digest,
            image: Arc::new(ImageFile::new(parent.file.file().try_clone()?, Vec::new())?),
            entry: parent.record.entry,
            packages,
        });
        // A guest needs a deep stack, which the calling thread may not have.
        let first = recipe.parent == kit.language.first();
        let warm = recipe.warm.clone();
        let (mut file, reopened) = (into.try_clone()?, into.try_clone()?);
        kit::on_deep_stack(move || {
            let (machine, Announced { imports, entry }) = warmed(&kit, &base, first, &warm)?;
            write_sparse(machine.memory_bytes(), &mut file)?;
            drop(machine);
            let built = Arc::new(Base {
                digest: base.digest,
                image: Arc::new(ImageFile::new(reopened, Vec::new())?),
                entry,
                packages: base.packages.clone(),
            });
            let hot_pages = hot_pages(&kit, &built)?;
            Ok(BuiltImage { hot_pages, entry, imports })
        })
        .inspect(|_| progress(1.0))
    }
}

/// A guest in which the warm-up program has run, and the modules it has imported.
fn warmed(
    kit: &Kit,
    base: &Arc<Base>,
    first: bool,
    warm: &str,
) -> Result<(Machine, Announced), BoxError> {
    let seed = Digest::of(b"tidegate image build").0;
    let mut machine =
        Machine::new(kit, base, Arc::default(), Clock::building(), Entropy::seeded(seed))?;
    let limits = Limits {
        wall: Duration::from_secs(300),
        cpu_time: Duration::from_secs(300),
        memory_bytes: 3 << 30,
        recursion: 1000,
        ..Limits::of(Level::Development)
    };
    machine.configure(News { limits: limits.clone(), ..News::default() });
    if kit.language == Language::TypeScript {
        return warmed_script(machine, &limits, first, warm);
    }
    if first {
        machine.prepare(&format!("{warm}\n_tidegate.runtime.announce()"))?;
        let servers = Some(Arc::new(rehearsed_server()));
        machine.configure(News {
            limits: limits.clone(),
            host: Arc::new(Prompter),
            shown: Shown { servers, ..Shown::default() },
            ..News::default()
        });
        for rehearsal in std::iter::repeat_n(REHEARSALS, TIMES).flatten() {
            machine.step(Input::Run(Program::new(*rehearsal)))?;
        }
        machine.configure(News { limits, ..News::default() });
        machine.files().clear_workspace();
        machine.prepare("_tidegate.runtime.restart()")?;
    } else {
        run_warm_up(&mut machine, warm)?;
    }
    let open = machine.files().open_descriptors();
    if !open.is_empty() {
        return Err(format!(
            "the warm-up program left files open: {}; close them, an image cannot hold them",
            open.join(", ")
        )
        .into());
    }
    machine.files().clear_workspace();
    let announced = machine.prepare("_tidegate.runtime.settle()")?;
    machine.scrub(1 << 30)?;
    Ok((machine, announced))
}

/// The same for QuickJS, which imports nothing that would be worth a name.
fn warmed_script(
    mut machine: Machine,
    limits: &Limits,
    first: bool,
    warm: &str,
) -> Result<(Machine, Announced), BoxError> {
    let announced = if first {
        machine.start_script()?;
        let host = Arc::new(Prompter);
        let limits = limits.clone();
        machine.configure(News { limits: limits.clone(), host, ..News::default() });
        for rehearsal in SCRIPT_REHEARSALS {
            machine.step(Input::Run(Program::new(*rehearsal)))?;
        }
        machine.configure(News { limits, ..News::default() });
        machine.restart_script()?
    } else {
        run_warm_up(&mut machine, warm)?;
        Announced { imports: Vec::new(), entry: machine.entry() }
    };
    machine.files().clear_workspace();
    machine.scrub(1 << 30)?;
    Ok((machine, announced))
}

/// Runs a warm-up program as sessions run programs, so that its variables stay.
fn run_warm_up(machine: &mut Machine, warm: &str) -> Result<(), BoxError> {
    // Nobody wants its value: as text, a large one would only make the image larger.
    let end = machine.language().without_value();
    let program = Program::new(format!("{warm}\n{end}"));
    match machine.step(Input::Run(program))? {
        Step::Done(outcome) => match outcome.error {
            None => Ok(()),
            Some(error) => {
                let trace = error.traceback.unwrap_or_default();
                Err(format!(
                    "the warm-up program failed with {}: {}\n{trace}",
                    error.kind, error.message
                )
                .into())
            }
        },
        Step::Waiting(_) => {
            Err("the warm-up program waits for a host call or a timer; an image cannot hold either"
                .into())
        }
    }
}

/// Pages the least of programs touches in a fresh guest.
fn hot_pages(kit: &Kit, base: &Arc<Base>) -> Result<Vec<(u32, u32)>, BoxError> {
    let mut machine = Machine::fresh(kit, base, Arc::default())?;
    machine.configure(News::default());
    machine.step(Input::Run(Program::new(kit.language.rehearsal())))?;
    let pages = memory::dirty_pages(machine.memory_bytes(), &base.image);
    let end = base.image.len() / PAGE;
    let pages: Vec<_> = pages.into_iter().filter(|&page| page < end).collect();
    Ok(memory::runs(&pages, bridge(kit.language)))
}

/// Writes memory to a file with holes where it is zero.
fn write_sparse(memory: &[u8], file: &mut File) -> io::Result<()> {
    file.set_len(memory.len() as u64)?;
    let mut at = 0;
    for block in memory.chunks(16 * PAGE) {
        if block.iter().any(|&byte| byte != 0) {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(block)?;
        }
        at += block.len() as u64;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::cache::ImageName;

    #[test]
    fn each_module_of_the_package_needs_only_those_before_it() {
        let mut before: Vec<&str> = Vec::new();
        for (name, source) in PACKAGE {
            let needed = source.lines().flat_map(|line| {
                let of =
                    line.strip_prefix("from _tidegate.").and_then(|rest| rest.split(' ').next());
                let all = line.strip_prefix("from _tidegate import ").unwrap_or_default();
                let all = all.split(", ").filter_map(|one| one.split(' ').next());
                of.into_iter().chain(all).filter(|one| !one.is_empty())
            });
            for module in needed {
                assert!(before.contains(&module), "{name} needs {module}, which comes later");
            }
            before.push(name);
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_base_image_byte_for_byte() {
        let installed = crate::testing::installed();
        let parent = installed.image(&ImageName::first()).unwrap();
        let recipe = &plan().unwrap().recipes[0];
        let build = || {
            let mut file = tempfile::tempfile().unwrap();
            Builder.build_image(installed.parts(), &parent, recipe, &file, &|_| {}).unwrap();
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(0)).unwrap();
            file.read_to_end(&mut bytes).unwrap();
            Digest::of(&bytes)
        };
        let known = installed.image(&ImageName::base()).unwrap().record.digest;
        assert_eq!([build(), build()], [known, known]);
    }

    #[test]
    fn the_same_inputs_give_the_same_typescript_image_byte_for_byte() {
        let installed = crate::testing::installed_of(Language::TypeScript);
        let parent = installed.image(&Language::TypeScript.first()).unwrap();
        let recipe = &plan_of(Language::TypeScript).unwrap().recipes[0];
        let mut file = tempfile::tempfile().unwrap();
        Builder.build_image(installed.parts(), &parent, recipe, &file, &|_| {}).unwrap();
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_end(&mut bytes).unwrap();
        let known = installed.image(&Language::TypeScript.base()).unwrap().record.digest;
        assert_eq!(Digest::of(&bytes), known);
    }

    #[test]
    fn a_warm_up_that_fails_or_leaves_a_file_open_is_refused_with_the_reason() {
        let refused = |warm: &str| {
            let installed = crate::testing::installed();
            let parent = installed.image(&ImageName::base()).unwrap();
            let recipe = Recipe {
                name: "mine".parse().unwrap(),
                parent: ImageName::base(),
                warm: warm.to_owned(),
                guest: guest_digest(),
                packages: None,
            };
            let file = tempfile::tempfile().unwrap();
            let built = Builder.build_image(installed.parts(), &parent, &recipe, &file, &|_| {});
            built.unwrap_err().to_string()
        };
        assert!(refused("1/0").contains("ZeroDivisionError"));
        assert!(refused("f = open('/workspace/x', 'w')").contains("/workspace/x"));
        assert!(refused("import asyncio\nawait asyncio.sleep(9)").contains("timer"));
    }
}
