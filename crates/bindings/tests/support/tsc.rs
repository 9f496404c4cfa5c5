//! The TypeScript compiler that tests ask, from npm. Tests of other crates name this file by its path.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The compiler that `TIDEGATE_TSC` names, or one that npm installs for all test runs.
pub(crate) fn tsc() -> PathBuf {
    if let Some(named) = std::env::var_os("TIDEGATE_TSC") {
        return named.into();
    }
    let home = std::env::var_os("HOME").expect("HOME is set");
    let folder = PathBuf::from(home).join(".cache/tidegate-ci/node");
    let tsc = folder.join("node_modules/.bin/tsc");
    if !tsc.exists() {
        fs::create_dir_all(&folder).expect("a folder");
        let install =
            ["install", "--ignore-scripts", "--no-audit", "--no-fund", "typescript@7.0.2"];
        let npm = Command::new("npm").args(install).current_dir(&folder).status();
        assert!(npm.expect("npm is installed").success(), "npm could not install typescript");
    }
    tsc
}
