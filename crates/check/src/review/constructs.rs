//! What programs that compute and call tools have no need of: text run as code, walks through the
//! insides of objects, frames, the interpreter itself.
//!
//! Told by how it is written. A name that the program defines itself is its own.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, InterpolatedStringElement, StmtImportFrom};
use ruff_text_size::{Ranged as _, TextRange};

use super::{Found, Rule};
use crate::names::Names;
use crate::tree::{Id, Tree};

/// Functions that every program has.
const BUILTINS: &[(&str, Rule, &str)] = &[
    ("exec", Rule::DynamicExecution, "runs text as code"),
    ("eval", Rule::DynamicExecution, "runs text as code"),
    ("compile", Rule::DynamicExecution, "makes code of text"),
    ("execfile", Rule::DynamicExecution, "runs a file as code"),
    ("__import__", Rule::DynamicImport, "imports by a name that is made while it runs"),
    ("__builtins__", Rule::DunderWalk, "reaches for everything the interpreter has"),
    ("__loader__", Rule::DunderWalk, "reaches for what loads modules"),
    ("__spec__", Rule::DunderWalk, "reaches for what loads modules"),
];

/// Members of modules.
const MEMBERS: &[(&str, &[&str], Rule, &str)] = &[
    ("builtins", &["exec", "eval", "compile"], Rule::DynamicExecution, "runs text as code"),
    (
        "builtins",
        &["__import__"],
        Rule::DynamicImport,
        "imports by a name that is made while it runs",
    ),
    (
        "importlib",
        &["import_module", "reload", "__import__", "find_loader", "util", "machinery", "abc"],
        Rule::DynamicImport,
        "imports by a name that is made while it runs",
    ),
    (
        "pkgutil",
        &["get_loader", "find_loader", "resolve_name"],
        Rule::DynamicImport,
        "loads modules by itself",
    ),
    (
        "types",
        &["CodeType", "FunctionType", "LambdaType"],
        Rule::DynamicExecution,
        "makes functions of code objects",
    ),
    (
        "sys",
        &["_getframe", "_getframemodulename", "_current_frames", "_current_exceptions"],
        Rule::FrameWalk,
        "reads the frames of functions",
    ),
    (
        "inspect",
        &["currentframe", "stack", "trace", "getouterframes", "getinnerframes", "getclosurevars"],
        Rule::FrameWalk,
        "reads the frames of functions",
    ),
    (
        "gc",
        &["get_objects", "get_referrers", "get_referents"],
        Rule::GcWalk,
        "reads the interpreter's list of all objects",
    ),
    (
        "sys",
        &[
            "modules",
            "meta_path",
            "path_hooks",
            "path_importer_cache",
            "settrace",
            "setprofile",
            "addaudithook",
            "monitoring",
        ],
        Rule::InterpreterChange,
        "reaches for the interpreter's own state",
    ),
    (
        "os",
        &[
            "system",
            "popen",
            "fork",
            "forkpty",
            "execl",
            "execle",
            "execlp",
            "execlpe",
            "execv",
            "execve",
            "execvp",
            "execvpe",
            "spawnl",
            "spawnle",
            "spawnlp",
            "spawnlpe",
            "spawnv",
            "spawnve",
            "spawnvp",
            "spawnvpe",
            "posix_spawn",
            "posix_spawnp",
            "kill",
            "killpg",
        ],
        Rule::ProcessOrNetwork,
        "is about processes, of which the sandbox has none",
    ),
    (
        "asyncio",
        &["open_connection", "start_server", "create_subprocess_exec", "create_subprocess_shell"],
        Rule::ProcessOrNetwork,
        "is about processes and sockets, of which the sandbox has none",
    ),
    (
        "pickle",
        &["load", "loads", "Unpickler"],
        Rule::UnsafeLoading,
        "makes objects of bytes, which may run code",
    ),
    (
        "_pickle",
        &["load", "loads", "Unpickler"],
        Rule::UnsafeLoading,
        "makes objects of bytes, which may run code",
    ),
    (
        "cloudpickle",
        &["load", "loads"],
        Rule::UnsafeLoading,
        "makes objects of bytes, which may run code",
    ),
    ("joblib", &["load"], Rule::UnsafeLoading, "makes objects of bytes, which may run code"),
    ("marshal", &["load", "loads"], Rule::UnsafeLoading, "makes code objects of bytes"),
    ("shelve", &["open"], Rule::UnsafeLoading, "makes objects of bytes, which may run code"),
    ("pandas", &["read_pickle"], Rule::UnsafeLoading, "makes objects of bytes, which may run code"),
    (
        "yaml",
        &["unsafe_load", "full_load", "UnsafeLoader"],
        Rule::UnsafeLoading,
        "makes objects of text, which may run code",
    ),
];

/// Attributes through which objects lead to what a program was never given.
const INSIDES: &[&str] = &[
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "__mro__",
    "__base__",
    "__bases__",
    "__code__",
    "__closure__",
    "__self__",
    "__loader__",
    "__spec__",
    "__import__",
    "__getattribute__",
    "__reduce__",
    "__reduce_ex__",
    "func_globals",
    "func_code",
];

/// Attributes of frames, and those that lead to them.
const FRAMES: &[&str] = &[
    "f_globals",
    "f_locals",
    "f_builtins",
    "f_back",
    "f_code",
    "gi_frame",
    "gi_code",
    "cr_frame",
    "cr_code",
    "ag_frame",
    "ag_code",
    "tb_frame",
];

/// Functions that reach an attribute by its name, and which argument the name is.
const BY_NAME: &[(&str, usize)] = &[("getattr", 1), ("setattr", 1), ("delattr", 1), ("hasattr", 1)];

/// Finds them.
pub(super) fn find<'a>(tree: &Tree<'a>, names: &Names<'a, '_>, found: &mut Vec<Found>) {
    let push = |found: &mut Vec<Found>, rule, range, message| {
        found.push(Found { rule, range, message });
    };
    for (id, node) in tree.all() {
        match node {
            AnyNodeRef::ExprName(name) if name.ctx.is_load() => {
                let known = BUILTINS.iter().find(|(known, ..)| *known == name.id.as_str());
                if let Some((known, rule, does)) = known
                    && !is_own(tree, names, known, id)
                {
                    push(found, *rule, name.range, format!("uses `{known}`, which {does}"));
                }
            }
            AnyNodeRef::ExprAttribute(attribute) => {
                attribute_of(attribute, names, found);
            }
            AnyNodeRef::StmtImportFrom(import) => imported(import, found),
            AnyNodeRef::ExprCall(call) => called(call, names, found),
            AnyNodeRef::ExprStringLiteral(text) => {
                if let Some(name) = INSIDES.iter().find(|name| text.value.to_str() == **name) {
                    let message =
                        format!("names `{name}`, which leads to what a program was never given");
                    push(found, Rule::DunderWalk, text.range, message);
                }
            }
            _ => {}
        }
    }
}

fn attribute_of(
    attribute: &ruff_python_ast::ExprAttribute,
    names: &Names<'_, '_>,
    found: &mut Vec<Found>,
) {
    let (name, range) = (attribute.attr.as_str(), attribute.attr.range());
    if INSIDES.contains(&name) {
        let message = format!("reads `{name}`, which leads to what a program was never given");
        found.push(Found { rule: Rule::DunderWalk, range, message });
    } else if FRAMES.contains(&name) {
        let message = format!("reads `{name}`, which leads to the frames of functions");
        found.push(Found { rule: Rule::FrameWalk, range, message });
    } else if let Expr::Name(root) = &*attribute.value
        && let Some(module) = names.modules.get(root.id.as_str())
    {
        found.extend(member(module, name, range));
    }
}

/// `from os import system`: the name may be another one from then on.
fn imported(import: &StmtImportFrom, found: &mut Vec<Found>) {
    let Some(module) = import.module.as_ref().filter(|_| import.level == 0) else { return };
    let root = module.as_str().split('.').next().unwrap_or_default();
    for alias in &import.names {
        found.extend(member(root, alias.name.as_str(), alias.range));
    }
}

fn member(module: &str, name: &str, range: TextRange) -> Option<Found> {
    let fits =
        |(of, members, ..): &&(&str, &[&str], Rule, &str)| *of == module && members.contains(&name);
    let (_, _, rule, does) = MEMBERS.iter().find(fits)?;
    Some(Found { rule: *rule, range, message: format!("uses `{module}.{name}`, which {does}") })
}

fn called(call: &ExprCall, names: &Names<'_, '_>, found: &mut Vec<Found>) {
    let place = match (&*call.func, names.standard(&call.func)) {
        (_, Some(("operator", "attrgetter" | "methodcaller"))) => Some(0),
        (Expr::Name(name), _) => {
            BY_NAME.iter().find(|(known, _)| *known == name.id.as_str()).map(|(_, at)| *at)
        }
        _ => None,
    };
    let Some(name) = place.and_then(|at| call.arguments.args.get(at)) else { return };
    if name.is_string_literal_expr() {
        return;
    }
    let (rule, how) = if mentions_dunder(name) {
        (Rule::DunderWalk, "makes the name of an attribute with `__` while it runs")
    } else {
        (Rule::ComputedAttribute, "reaches an attribute by a name that is made while it runs")
    };
    found.push(Found { rule, range: name.range(), message: how.to_owned() });
}

/// Whether any text in an expression has two underscores.
fn mentions_dunder(expression: &Expr) -> bool {
    match expression {
        Expr::StringLiteral(text) => text.value.to_str().contains("__"),
        Expr::FString(text) => text.value.elements().any(|one| match one {
            InterpolatedStringElement::Literal(literal) => literal.value.contains("__"),
            InterpolatedStringElement::Interpolation(inner) => mentions_dunder(&inner.expression),
        }),
        Expr::BinOp(operation) => {
            mentions_dunder(&operation.left) || mentions_dunder(&operation.right)
        }
        Expr::Call(call) => {
            mentions_dunder(&call.func) || call.arguments.args.iter().any(mentions_dunder)
        }
        Expr::Attribute(attribute) => mentions_dunder(&attribute.value),
        Expr::Subscript(subscript) => mentions_dunder(&subscript.value),
        Expr::List(list) => list.elts.iter().any(mentions_dunder),
        Expr::Tuple(tuple) => tuple.elts.iter().any(mentions_dunder),
        _ => false,
    }
}

/// Whether a name of Python's own is the program's own at a place.
fn is_own(tree: &Tree<'_>, names: &Names<'_, '_>, name: &str, place: Id) -> bool {
    // `from re import compile`; those of dangerous modules are found where they are imported.
    if names.is_imported(name) {
        return true;
    }
    let stores = names.stores.get(name).map(Vec::as_slice).unwrap_or_default();
    stores.iter().any(|store| match tree.node(*store) {
        AnyNodeRef::StmtFunctionDef(_) | AnyNodeRef::StmtClassDef(_) => {
            let parent = tree.parent(*store).map(|parent| tree.node(parent));
            matches!(parent, Some(AnyNodeRef::ModModule(_)))
        }
        AnyNodeRef::Parameter(_) => {
            let function = tree.above(*store).find(|above| {
                matches!(
                    tree.node(*above),
                    AnyNodeRef::StmtFunctionDef(_) | AnyNodeRef::ExprLambda(_)
                )
            });
            function.is_some_and(|function| tree.above(place).any(|above| above == function))
        }
        _ => false,
    })
}
