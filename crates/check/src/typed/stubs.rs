//! Files that every program can import, as the type checker sees them.

use std::fmt::Write as _;

use catalog::CatalogServer;

/// Where the program is. Nobody would import a module of this name.
pub(super) const PROGRAM: &str = "/__tidegate_program__/main.py";
/// The package of all servers.
pub(super) const ROOT: &str = "/servers/__init__.pyi";

/// What is there whatever the servers are.
pub(super) const GIVEN: &[(&str, &str)] = &[
    ("/tidegate.pyi", TIDEGATE),
    ("/__builtins__.pyi", BUILTINS),
    (ROOT, SERVERS),
    ("/tool_discovery.pyi", DISCOVERY),
    ("/skills.pyi", SKILLS),
    ("/numpy/__init__.pyi", NUMPY),
    ("/numpy/linalg.pyi", NUMPY_LINALG),
    ("/numpy/random.pyi", NUMPY_RANDOM),
    ("/pandas.pyi", PANDAS),
];

const TIDEGATE: &str = include_str!("stubs/tidegate.pyi");
const BUILTINS: &str = include_str!("stubs/builtins.pyi");
const SERVERS: &str = include_str!("stubs/servers.pyi");
const DISCOVERY: &str = include_str!("stubs/tool_discovery.pyi");
const SKILLS: &str = include_str!("stubs/skills.pyi");
/// Only their names and what they take, and no more types than lead from one table to the next.
const NUMPY: &str = include_str!("stubs/numpy.pyi");
const NUMPY_LINALG: &str = include_str!("stubs/numpy_linalg.pyi");
const NUMPY_RANDOM: &str = include_str!("stubs/numpy_random.pyi");
const PANDAS: &str = include_str!("stubs/pandas.pyi");

/// The package of all servers, when some of them are known.
pub(super) fn root(packages: &[&str]) -> String {
    let mut out = SERVERS.to_owned();
    for package in packages {
        let _ = writeln!(out, "from servers import {package} as {package}");
    }
    out
}

/// A server under its own name, for `import github`.
pub(super) fn alias(server: &CatalogServer) -> String {
    format!(
        "from typing import Any\nfrom servers.{} import *\ndef __getattr__(name: str) -> Any: ...\n",
        server.python()
    )
}
