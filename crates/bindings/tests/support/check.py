"""Imports every generated module below a folder and prints what is wrong with them.

Usage: check.py FOLDER, where FOLDER/servers holds the packages and FOLDER/expected.json maps
"package/module" to [server, tool, {parameter: key}], or null for the last where it is not known.
"""

import ast
import importlib
import inspect
import json
import pathlib
import sys
import types
import typing

folder = pathlib.Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text("utf-8"))


def tool(server, name, renamed={}):
    def declare(function):
        function.declared = [server, name, renamed]
        return function

    return declare


def lazy(package, names):
    def get(name):
        if name not in names:
            raise AttributeError(name)
        module = importlib.import_module(f"{package}.{names[name]}")
        return getattr(module, names[name])

    return get, lambda: sorted(names), list(names)


# What a program finds in the sandbox, reduced to what importing needs.
servers = types.ModuleType("servers")
servers.__path__ = [str(folder / "servers")]
servers.tool, servers.lazy, servers.UNSET = tool, lazy, object()
sys.modules["servers"] = servers


def check(path, name):
    package, module = name.split("/")
    tree = ast.parse(path.read_bytes(), str(path))
    if "." in name:
        # A file to read: no `import` can say such a name.
        return
    if module == "__init__":
        imported = importlib.import_module(f"servers.{package}")
        for public in imported.__all__:
            # Not `getattr`: a module that was imported under that name would be found first.
            if not callable(imported.__getattr__(public)):
                raise ValueError(f"{public} is not a function")
        return
    # Nothing but a docstring, imports, types and the function is ever there to be executed.
    allowed = (ast.Expr, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AsyncFunctionDef)
    odd = [node for node in tree.body if not isinstance(node, allowed)]
    functions = [node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef)]
    if odd or len(functions) != 1 or not isinstance(tree.body[0].value, ast.Constant):
        raise ValueError(f"unexpected statements: {[ast.dump(node)[:80] for node in odd]}, {functions}")
    imported = importlib.import_module(f"servers.{package}.{module}")
    function = getattr(imported, functions[0])
    server, called, renamed = function.declared
    wanted = expected.get(name, [server, called, None])
    if wanted not in ([server, called, renamed], [server, called, None]):
        raise ValueError(f"declared {function.declared}, expected {wanted}")
    if not set(renamed) <= set(inspect.signature(function).parameters):
        raise ValueError(f"{renamed} names parameters that are not there")
    if not function.__doc__:
        raise ValueError("no docstring")
    typing.get_type_hints(function)
    for value in vars(imported).values():
        if isinstance(value, type) and value.__module__ == imported.__name__:
            typing.get_type_hints(value)


count = 0
for path in sorted((folder / "servers").rglob("*.py")):
    name = path.relative_to(folder / "servers").with_suffix("").as_posix()
    count += 1
    try:
        check(path, name)
    except BaseException as error:
        said = f"{error} in {error.text!r}" if isinstance(error, SyntaxError) else error
        print(f"{name}: {type(error).__name__}: {said}")
missing = [name for name in expected if not (folder / "servers" / f"{name}.py").exists()]
for name in missing:
    print(f"{name}: is not there")
print(f"checked {count}", file=sys.stderr)
