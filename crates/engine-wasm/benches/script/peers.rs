//! What a user could pick instead: `node -e`, and another build of QuickJS within Node.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use engine_wasm::install::BoxError;

use crate::ours::{SUM, SUM_VALUE, expect};
use crate::samples::Samples;

const PACKAGE: &str = "quickjs-emscripten@0.31.0";

/// Times fresh contexts; the module is loaded once, before.
const SCRIPT: &str = r"
import { getQuickJS } from 'quickjs-emscripten';
const [code, count] = process.argv.slice(2);
const quickjs = await getQuickJS();
const seconds = [];
for (let at = 0; at < Number(count); at++) {
  const started = performance.now();
  const context = quickjs.newContext();
  const made = context.unwrapResult(context.evalCode(code));
  const value = context.dump(made);
  seconds.push((performance.now() - started) / 1e3);
  made.dispose();
  context.dispose();
  if (value !== 4950) throw new Error(`${value} instead of 4950`);
}
console.log(JSON.stringify(seconds));
";

/// Node, and the package beside it.
pub(crate) struct Peers {
    folder: PathBuf,
}

impl Peers {
    /// Installs the package, unless the same one is there.
    pub(crate) fn install(cache: &Path) -> Result<Self, BoxError> {
        let folder = cache.join("bench-node");
        let mark = folder.join("installed.txt");
        if std::fs::read_to_string(&mark).is_ok_and(|found| found == PACKAGE) {
            return Ok(Self { folder });
        }
        eprintln!("installing {PACKAGE} with npm");
        std::fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-fund", "--no-audit", "--prefix"]);
        said(npm.arg(&folder).arg(PACKAGE))?;
        std::fs::write(folder.join("contexts.mjs"), SCRIPT)?;
        std::fs::write(mark, PACKAGE)?;
        Ok(Self { folder })
    }

    /// A process for each program.
    pub(crate) fn node(&self, count: usize, into: &mut Samples) -> Result<(), BoxError> {
        let code = format!("console.log({SUM})");
        for _ in 0..count {
            let mut node = Command::new("node");
            node.args(["-e", &code]).current_dir(&self.folder);
            let started = Instant::now();
            let output = said(&mut node)?;
            let elapsed = started.elapsed().as_secs_f64();
            expect(String::from_utf8_lossy(&output.stdout).trim(), SUM_VALUE)?;
            into.push(elapsed);
        }
        Ok(())
    }

    /// A context for each program, in one process.
    pub(crate) fn emscripten(&self, count: usize, into: &mut Samples) -> Result<(), BoxError> {
        let mut node = Command::new("node");
        node.args(["contexts.mjs", SUM, &count.to_string()]).current_dir(&self.folder);
        let seconds: Vec<f64> = serde_json::from_slice(&said(&mut node)?.stdout)?;
        into.extend(seconds);
        Ok(())
    }

    /// What was measured, in one line.
    pub(crate) fn versions(&self) -> Result<String, BoxError> {
        let output = said(Command::new("node").arg("--version").current_dir(&self.folder))?;
        Ok(format!("node {}, {PACKAGE}", String::from_utf8_lossy(&output.stdout).trim()))
    }
}

fn said(command: &mut Command) -> Result<Output, BoxError> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(output);
    }
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{command:?}: {}: {words}", output.status).into())
}
