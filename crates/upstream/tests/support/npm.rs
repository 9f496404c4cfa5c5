//! Packages that tests need from npm.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Installs a package into the tests' cache, once, and gives its `node_modules`. Scripts of
/// packages are not run: nobody asked for what they do to a machine.
pub(crate) fn install(name: &str, package: &str) -> PathBuf {
    let home = std::env::var_os("HOME").unwrap();
    let folder = PathBuf::from(home).join(".cache/tidegate-ci/node").join(name);
    fs::create_dir_all(&folder).unwrap();
    // Tests run side by side, and npm does not expect company.
    let lock = File::create(folder.join("install.lock")).unwrap();
    lock.lock().unwrap();
    let done = folder.join("installed");
    if fs::read_to_string(&done).unwrap_or_default() != package {
        let status = Command::new("npm")
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", package])
            .arg("--prefix")
            .arg(&folder)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "npm could not install {package}");
        fs::write(&done, package).unwrap();
    }
    folder.join("node_modules")
}
