//! Words that cannot be identifiers, or must not be because generated code needs them.

use super::Kind;

const PYTHON_KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Words with a meaning of their own in some places, and the types that signatures are written
/// with: in the file of a tool called `list`, `list[str]` would mean the tool.
const PYTHON_AVOIDED: [&str; 15] = [
    "_", "bool", "case", "dict", "float", "int", "lazy", "list", "match", "object", "set", "str",
    "tool", "tuple", "type",
];

/// What the package `servers` contains beside the servers.
const PYTHON_PACKAGE: [&str; 6] =
    ["call_mcp_tool", "get_prompt", "list_prompts", "list_resources", "read_resource", "servers"];

const TYPESCRIPT_KEYWORDS: [&str; 57] = [
    "any",
    "arguments",
    "async",
    "await",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "number",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "string",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "unknown",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "symbol",
];

/// Names of files and functions that are generated beside the tools.
const TYPESCRIPT_AVOIDED: [&str; 4] = ["callMCPTool", "client", "index", "input"];

/// What makes whatever has a function of this name a promise: a module that exports it is never imported.
pub const THENABLE: &str = "then";

/// A statement cannot begin with it, or assign to it.
pub(super) fn is_python_keyword(identifier: &str) -> bool {
    identifier == "__debug__" || PYTHON_KEYWORDS.contains(&identifier)
}

pub(super) fn in_python(kind: Kind, identifier: &str) -> bool {
    is_python_keyword(identifier)
        || PYTHON_AVOIDED.contains(&identifier)
        || (kind == Kind::Server && PYTHON_PACKAGE.contains(&identifier))
}

pub(super) fn in_typescript(_kind: Kind, identifier: &str) -> bool {
    identifier == THENABLE
        || TYPESCRIPT_KEYWORDS.contains(&identifier)
        || TYPESCRIPT_AVOIDED.iter().any(|word| word.eq_ignore_ascii_case(identifier))
}
