"""Skills: functions worth keeping.

    save_skill("high_spenders", high_spenders, description="...", examples=[{"arguments": {"minimum": 100}}])
    from skills import high_spenders, high_spenders_v1
    search_skills("customers")

The files are the host's, in /skills: NAME.py is the newest version, NAME_v1.py the first. A saved function is source,
so it takes along what it names: imports, plain constants, functions and classes of its program.
"""

import ast
import builtins
import dis
import functools
import importlib
import inspect
import json
import os
import re
import sys
import textwrap
from importlib.machinery import ModuleSpec
from types import CodeType, FunctionType, ModuleType

from _tidegate import failures, program, values
from _tidegate.binding import nearest
from _tidegate.calls import ToolCall, What

ROOT = "/skills"

_decode = json.JSONDecoder().decode  # A program that patches `json` leaves it alone.
_frame = sys._getframe
_mark = getattr(inspect, "markcoroutinefunction", lambda function: function)
_modules = sys.modules
_VERSION = re.compile(r"_v\d+$")
_MOST_LISTED = 20
# Letters of a constant that a skill takes along.
_MOST_CONSTANT = 4000
_PLAIN = (int, float, str, bool, type(None), tuple, list, dict, set, frozenset, bytes)
_KEYS = {"arguments", "results", "expect"}
_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}

# Set by the runtime: `ask(name, text)` gives `[ok, value]`, or None where nobody answers; the programs by file.
_ask = None
_programs = None


def connect(ask, programs):
    """Gives skills their way to the host, and to the sources of programs."""
    global _ask, _programs
    _ask, _programs = ask, programs


# --- saving ---------------------------------------------------------------------------


def save_skill(name, function, description=None, examples=None, scope="own"):
    """Keeps a function as a skill, once its examples have run; gives its name and version.

    `function` is a function or the source that defines one. An example is a dict with `arguments`, and perhaps `expect`
    (what comes out) and `results` (what its tools answer). What is not given is recorded: tools that only read are
    called once. `scope` is "own", or "team:NAME" for one of your teams.
    """
    if not isinstance(name, str):
        raise TypeError(f"save_skill(): name is text, such as 'high_spenders', not {type(name).__name__}")
    if isinstance(function, str):
        source = textwrap.dedent(program.strip_fences(function)[0]).strip() + "\n"
    elif isinstance(function, FunctionType):
        source = _bundle(function, name)
        description = description or inspect.getdoc(function)
    else:
        raise TypeError(f"save_skill(): give a function or the source of one, not {type(function).__name__}")
    asked = {
        "name": name,
        "source": source,
        "description": description,
        "examples": [_example(one, function) for one in examples or ()],
        "scope": scope,
    }
    return ToolCall(What("save_skill", '"$save_skill"'), values.encode_arguments(asked), _frame(1))


def _example(given, function):
    """An example as the host takes it."""
    if isinstance(given, tuple) and len(given) == 2:
        given = {"arguments": given[0], "expect": given[1]}
    if not isinstance(given, dict):
        raise TypeError("save_skill(): an example is a dict such as {'arguments': {'minimum': 100}, 'expect': []}")
    if not given.keys() & _KEYS:
        given = {"arguments": given}
    unknown = sorted(given.keys() - _KEYS, key=str)
    if unknown:
        raise ValueError(f"save_skill(): an example has arguments, expect and results, but not {unknown[0]!r}")
    arguments = given.get("arguments", {})
    if isinstance(arguments, (list, tuple)) and callable(function):
        arguments = dict(inspect.signature(function).bind(*arguments).arguments)
    if not isinstance(arguments, dict):
        raise TypeError("save_skill(): the arguments of an example are a dict, by the names of parameters")
    return {**given, "arguments": arguments}


# --- a function with what it needs ----------------------------------------------------


def _bundle(function, name):
    """The source of a function and of what it names in its program."""
    if function.__name__ == "<lambda>":
        raise ValueError("save_skill(): a lambda has no name; write it as a function with def")
    imports, constants, parts = set(), {}, []
    seen, queue = {function.__name__}, [function]
    while queue:
        one = queue.pop(0)
        if isinstance(one, FunctionType) and one.__code__.co_freevars:
            free = one.__code__.co_freevars[0]
            raise ValueError(f"save_skill(): {one.__name__}() uses {free!r} of the function around it; pass it as an argument")
        source = _source_of(one)
        parts.insert(0, source)
        names = one.__globals__ if isinstance(one, FunctionType) else function.__globals__
        for used in sorted(_named_in(source)):
            if used not in names:
                continue
            value = names[used]
            if isinstance(value, ModuleType):
                # Another function may reach another submodule.
                imports.update(_import_lines(used, value, source))
                continue
            if used in seen:
                continue
            seen.add(used)
            if getattr(builtins, used, None) is value:
                continue
            taken = _imported(used, value)
            if taken is not None:
                imports.add(taken)
            elif _is_own(value):
                queue.append(value)
                if value.__name__ != used:
                    constants[used] = f"{used} = {value.__name__}"
            else:
                constants[used] = _constant(used, value, one.__name__)
    if function.__name__ != name:
        parts.append(f"{name} = {function.__name__}\n")
    aliases = [line for line in constants.values() if line.partition(" = ")[2].isidentifier()]
    plain = [line for line in constants.values() if line not in aliases]
    top = "\n".join([*sorted(imports), *plain])
    body = "\n\n".join([part.strip("\n") for part in (*parts, *aliases)])
    return (top + "\n\n\n" if top else "") + body + "\n"


def _named_in(source):
    """The names that a function or class looks for outside itself, in the scopes that the compiler gives them."""
    named, queue = set(), [compile(source, "<skill>", "exec", dont_inherit=True)]
    while queue:
        code, bound = queue.pop(), set()
        for step in dis.get_instructions(code):
            if step.opname == "STORE_NAME":
                bound.add(step.argval)
            elif step.opname in _LOADS and not (step.opname == "LOAD_NAME" and step.argval in bound):
                named.add(step.argval)
        queue.extend([one for one in code.co_consts if type(one) is CodeType])
    return named


def _import_lines(used, module, source):
    """How to import a module with those of its submodules that a source reaches through it."""
    reached = _submodules(used, module, source)
    lines = {f"import {name}" for name in reached & _said()} if reached else set()
    # The whole name of a submodule binds the first part of it.
    if not lines or module.__name__ != used:
        lines.add(_imported(used, module))
    return lines


def _submodules(used, module, source):
    """The modules that `used.some.name` leads to in a source, each on the way too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id == used:
            full = ".".join([module.__name__, *reversed(names)])
            if names and full in _modules:
                found.add(full)
    return found


def _said():
    """What programs import by its whole name. What a package imports by itself nobody has to."""
    said = set()
    for text, _ in list(_programs().values()):
        try:
            tree = ast.parse(program.strip_fences(text)[0])
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                said.update([one.name for one in node.names])
            elif isinstance(node, ast.ImportFrom) and node.module:
                said.update([node.module, *[f"{node.module}.{one.name}" for one in node.names]])
    return said


def _imported(used, value):
    """How a module imports what has this name, if it can."""
    if isinstance(value, ModuleType):
        package, _, last = value.__name__.rpartition(".")
        if not package:
            return f"import {used}" if last == used else f"import {last} as {used}"
        return _from(package, last, used)
    skill = getattr(value, "__tidegate_skill__", None)
    if isinstance(skill, str):
        return _from("skills", skill, used)
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    if module.startswith("servers."):
        return _from(".".join(module.split(".")[:2]), name, used)
    home = _modules.get(module)
    return _from(module, name, used) if home is not None and getattr(home, name, None) is value else None


def _from(package, name, used):
    return f"from {package} import {name}" + ("" if name == used else f" as {used}")


def _is_own(value):
    """Whether it is a function or a class of a program."""
    if isinstance(value, FunctionType):
        return value.__code__.co_filename in _programs()
    return isinstance(value, type) and value.__module__ == "__main__"


def _constant(used, value, owner):
    if type(value) in _PLAIN:
        text = repr(value)
        try:
            if len(text) <= _MOST_CONSTANT and ast.literal_eval(text) == value:
                return f"{used} = {text}"
        except (ValueError, SyntaxError, RecursionError):
            pass
    raise ValueError(
        f"save_skill(): {owner}() uses {used!r}, a {type(value).__name__} that a skill cannot take along; "
        "pass it as an argument, or make it inside the function"
    )


def _source_of(one):
    """The text that defines a function or class of a program."""
    if isinstance(one, FunctionType):
        code = one.__code__
        known = _programs().get(code.co_filename)
        if known is None:
            raise ValueError(f"save_skill(): the source of {one.__name__}() is not known; give it as text")
        lines = known[0].replace("\r\n", "\n").splitlines(True)[code.co_firstlineno - 1 :]
        return textwrap.dedent("".join(inspect.getblock(lines)))
    for text, _ in reversed(list(_programs().values())):
        text = program.strip_fences(text)[0]
        try:
            nodes = ast.parse(text).body
        except SyntaxError:
            continue
        for node in nodes:
            if isinstance(node, ast.ClassDef) and node.name == one.__name__:
                first = min([node.lineno, *[made.lineno for made in node.decorator_list]])
                return "\n".join(text.split("\n")[first - 1 : node.end_lineno]) + "\n"
    raise ValueError(f"save_skill(): the source of the class {one.__name__} is not known; define it inside the function")


# --- finding --------------------------------------------------------------------------


def search_skills(query="", limit=10):
    """Finds skills by what they do. Returns a list of dicts, the best first; an empty query lists all."""
    if not isinstance(query, str):
        raise TypeError(f"search_skills(): query is words, not {type(query).__name__}")
    if type(limit) is not int or limit < 1:
        raise ValueError(f"search_skills(): limit is a number of skills from 1 on, not {limit!r}")
    asked = {"query": query, "limit": min(limit, 1000)}
    answer = _ask('"$search_skills"', values.encode(asked)[0])
    if answer is None:
        return []
    ok, value = answer
    if not ok:
        raise failures.failure(value)
    return value["skills"]


# --- importing ------------------------------------------------------------------------


class SkillModule(ModuleType):
    """A skill's module, which can be called like its function."""

    def __call__(self, *args, **given):
        return _function(self)(*args, **given)


class SkillsPackage(ModuleType):
    """The package: its attributes are the functions."""

    def __setattr__(self, name, value):
        # The import system binds a submodule here once it is loaded; the function is what is wanted.
        if type(value) is SkillModule:
            value = _function(value)
        ModuleType.__setattr__(self, name, value)


def _function(module):
    return module.__dict__["__tidegate_function__"]


class _Loader:
    """Runs the source of a skill."""

    def __init__(self, path, source):
        self.path, self.source = path, source

    def create_module(self, spec):
        return SkillModule(spec.name)

    def exec_module(self, module):
        names = module.__dict__
        full = module.__name__.rpartition(".")[2]
        name = _VERSION.sub("", full)
        # The program's own: it may import what the program may.
        names["__builtins__"] = builtins
        module.__file__ = self.path
        exec(compile(self.source, self.path, "exec", dont_inherit=True), names)
        function = names.get(name)
        if not callable(function):
            raise ImportError(f"the skill {full} defines no function {name!r}", name=module.__name__)
        names["__tidegate_function__"] = _counted(function, name, full)
        stale = _state.index().get(full, {}).get("stale")
        if stale:
            print(f"the skill {full} may be out of date: {stale}", file=sys.stderr)

    def get_filename(self, name):
        return self.path

    def get_source(self, name):
        return self.source.decode()

    def is_package(self, name):
        return False


def _counted(function, name, full):
    """The function, which tells the host once in a program that it was called."""

    @functools.wraps(function)
    def skill(*args, **given):
        if full not in _state.used:
            _state.used.add(full)
            _ask('"$used_skill"', values.encode({"skill": full})[0])
        return function(*args, **given)

    skill.__tidegate_skill__ = full
    try:
        parts = inspect.signature(function)
        signature, untyped = name + str(parts), _untyped(function, parts)
    except (TypeError, ValueError):
        signature, untyped = f"{name}(...)", []
    skill.__tidegate_about__ = {"signature": signature, "doc": inspect.getdoc(function) or "", "untyped": untyped}
    return _mark(skill) if inspect.iscoroutinefunction(function) else skill


def _untyped(function, signature):
    """The parameters that no type is said of, and `return` where that is so of the value."""
    bare = [name for name, one in signature.parameters.items() if one.annotation is one.empty]
    # A class says by itself what calling it gives.
    is_bare = signature.return_annotation is signature.empty and not isinstance(function, type)
    return [*bare, "return"] if is_bare else bare


class _Finder:
    """What is below `skills`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith("skills."):
            return None
        last = name.rpartition(".")[2]
        place = f"{ROOT}/{last}.py"
        try:
            with open(place, "rb") as file:
                source = file.read()
        except OSError:
            raise ModuleNotFoundError(_missing(last), name=name) from None
        _state.found.append(name)
        return ModuleSpec(name, _Loader(place, source), origin=place)

    @staticmethod
    def invalidate_caches():
        pass


class _State:
    """What is known of the skills that the host gives now."""

    def __init__(self):
        self.fingerprint = None
        self.found = []
        self.used = set()
        self._index = None

    def index(self):
        if self._index is None:
            try:
                with open(f"{ROOT}/.index.json", encoding="utf-8") as file:
                    self._index = _decode(file.read())
            except OSError:
                self._index = {}
        return self._index

    def names(self):
        return sorted([name for name in self.index() if not _VERSION.search(name)])

    def forget(self):
        for name in self.found:
            _modules.pop(name, None)
            _package.__dict__.pop(name.rpartition(".")[2], None)
        self.found.clear()
        self._index = None


_state = _State()
_package = None


def refresh(fingerprint):
    """Forgets what was imported when the host gives other skills than before."""
    if fingerprint != _state.fingerprint:
        _state.fingerprint = fingerprint
        _state.forget()


def begin():
    """A program begins, and has called nothing."""
    _state.used.clear()


def _missing(name):
    names = _state.names()
    if not names:
        return f"there is no skill {name!r}; none is saved yet: save_skill(name, function, description=...) saves one"
    near = nearest(name, names)
    meant = f"Did you mean {near!r}? " if near else ""
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"there is no skill {name!r}. {meant}The skills: {', '.join(names[:_MOST_LISTED])}{more}"


def _load(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'skills' has no attribute {name!r}", name=name, obj=_package)
    try:
        return _function(importlib.import_module("skills." + name))
    except ModuleNotFoundError as error:
        if error.name != "skills." + name:
            raise
        if _frame(1).f_code.co_name == "_handle_fromlist":
            raise ImportError(_missing(name), name="skills") from None
        raise AttributeError(_missing(name), name=name, obj=_package) from None


def install():
    """Puts the package and its finder in place."""
    global _package
    _package = _modules["skills"] = SkillsPackage("skills", "The saved functions: `from skills import NAME`.")
    _package.__path__ = [ROOT]
    _package.__file__ = None
    _package.__spec__ = spec = ModuleSpec("skills", None, is_package=True)
    spec.submodule_search_locations = _package.__path__
    _package.__package__ = "skills"
    _package.__dict__.update(PUBLIC)
    _package.__getattr__ = _load
    _package.__dir__ = _state.names
    sys.meta_path.insert(0, _Finder)


PUBLIC = {one.__name__: one for one in (save_skill, search_skills)}
for _one in PUBLIC.values():
    _one.__module__ = "tidegate"
_mark(save_skill)
