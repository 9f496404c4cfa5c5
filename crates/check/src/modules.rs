//! Which modules the sandbox has.

use ruff_db::vendored::VendoredPath;

/// What modules of the standard library have though their stubs do not say so.
const UNLISTED: &str = include_str!("unlisted.txt");

/// Whether a module has something of which its stub says nothing.
pub(crate) fn has_unlisted(module: &str, name: &str) -> bool {
    UNLISTED.lines().any(|line| {
        line.rsplit_once('.').is_some_and(|(of, member)| of == module && member == name)
    })
}

/// What the Python guest brings besides the standard library.
const INSTALLED: &[&str] = &[
    "PIL",
    "attr",
    "attrs",
    "bs4",
    "charset_normalizer",
    "cloudpickle",
    "contourpy",
    "cycler",
    "dateutil",
    "defusedxml",
    "et_xmlfile",
    "fontTools",
    "formulaic",
    "html5lib",
    "interface_meta",
    "isympy",
    "jinja2",
    "joblib",
    "kiwisolver",
    "lxml",
    "markupsafe",
    "matplotlib",
    "more_itertools",
    "mpl_toolkits",
    "mpmath",
    "narwhals",
    "networkx",
    "numpy",
    "openpyxl",
    "packaging",
    "pandas",
    "patsy",
    "pylab",
    "pyparsing",
    "pypdf",
    "regex",
    "reportlab",
    "scipy",
    "seaborn",
    "six",
    "sklearn",
    "soupsieve",
    "statsmodels",
    "sympy",
    "tabulate",
    "threadpoolctl",
    "tlz",
    "tomli_w",
    "toolz",
    "tqdm",
    "typing_extensions",
    "tzdata",
    "webencodings",
    "wrapt",
    "xlrd",
    "xlsxwriter",
    "xmltodict",
    "yaml",
];
/// What the gate itself gives.
const OURS: &[&str] = &["servers", "tidegate", "tool_discovery", "skills"];

/// Modules with which programs elsewhere reach MCP servers.
const CLIENTS: &[&str] = &[
    "mcp",
    "fastmcp",
    "mcp_client",
    "mcp_use",
    "mcpadapt",
    "langchain_mcp_adapters",
    "call_mcp_tool",
];

/// Whether a module is a client of MCP servers.
pub(crate) fn is_client(name: &str) -> bool {
    CLIENTS.contains(&name)
}

/// Modules whose absence says that a program wants the network, which only tools have.
const NETWORK: &[&str] = &[
    "requests",
    "httpx",
    "aiohttp",
    "urllib3",
    "boto3",
    "openai",
    "anthropic",
    "websockets",
    "paramiko",
    "redis",
    "psycopg2",
    "pymongo",
    "pymysql",
    "selenium",
    "playwright",
];

/// Whether a module of this name is there, whatever servers there are: `import name` then means that.
#[must_use]
pub fn is_there(name: &str) -> bool {
    INSTALLED.contains(&name) || OURS.contains(&name) || is_standard(name)
}

/// Whether a module is of the standard library.
pub(crate) fn is_standard(name: &str) -> bool {
    let files = ty_vendored::file_system();
    let exists = |path: String| files.exists(VendoredPath::new(&path));
    exists(format!("stdlib/{name}.pyi")) || exists(format!("stdlib/{name}/__init__.pyi"))
}

/// Whether a module is for the network.
pub(crate) fn is_network(name: &str) -> bool {
    NETWORK.contains(&name)
}

/// Modules of the standard library that programs use.
const USUAL: &[&str] = &[
    "argparse",
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "operator",
    "os",
    "pathlib",
    "pprint",
    "random",
    "re",
    "sqlite3",
    "statistics",
    "string",
    "sys",
    "tempfile",
    "textwrap",
    "time",
    "traceback",
    "typing",
    "unicodedata",
    "urllib",
    "uuid",
    "zoneinfo",
];

/// Whether what a module has is known to the last name. A few have names that no stub mentions.
pub(crate) fn is_usual(name: &str) -> bool {
    USUAL.contains(&name) && !["sys", "typing", "urllib"].contains(&name)
}

/// The same for a module with its whole name: of some only the topmost is known.
pub(crate) fn is_known(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    is_usual(first) || ["numpy", "numpy.linalg", "numpy.random", "pandas"].contains(&name)
}

/// The modules that somebody could have meant.
pub(crate) fn usual() -> impl Iterator<Item = &'static str> {
    USUAL.iter().chain(INSTALLED).copied()
}
