"""The package `servers`: every connected server a package, every tool a module.

The files are the host's, in /servers; this finds and runs them. The finder reads them
itself, because the usual one remembers folders by their times, and the host may give
another tree between two programs.

A tool's function and its module have the same name, so whoever imports the module would
put it in the function's place: `import servers.github.create_issue`. Here the function
wins, whatever the order: a server's package replaces such a module by its function, and
the module itself can be called too.

`import github` is `import servers.github` where nothing else has that name.
"""

import importlib
import importlib.util
import json
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from _tidegate import binding, failures, reading

ROOT = "/servers"

_decode = json.JSONDecoder().decode  # A program that patches `json` leaves it alone.
_modules = sys.modules
_importers = sys.path_importer_cache
_import_module = importlib.import_module
_MOST_LISTED = 20
_READ = 1 << 18


class ServerModule(ModuleType):
    """A server: its tools are its attributes."""

    def __setattr__(self, name, value):
        # The import system binds a submodule here once it is loaded.
        if type(value) is ToolModule:
            value = value.__dict__.get(name, value)
        ModuleType.__setattr__(self, name, value)


class Package(ModuleType):
    """`servers`: what it has itself is not replaced by a server of the same name, as `tool` may be.

    The sources of all servers import `tool`, `lazy` and `UNSET` from here. Such a server is still
    there as `from servers.tool import x`.
    """

    def __setattr__(self, name, value):
        if type(value) is ServerModule and name in self.__dict__ and type(self.__dict__[name]) is not ServerModule:
            return
        ModuleType.__setattr__(self, name, value)


class ToolModule(ModuleType):
    """A tool's module, which can be called like its function.

    At first it has nothing else; what else its source says is there once it is asked for.
    """

    def __getattr__(self, name):
        if not name.startswith("__") and _complete(self) and name in self.__dict__:
            return self.__dict__[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)

    def __dir__(self):
        _complete(self)
        return sorted(self.__dict__)

    def __call__(self, *args, **given):
        name = self.__name__.rpartition(".")[2]
        function = self.__dict__.get(name)
        if function is None:
            raise TypeError(f"module {self.__name__!r} has no function {name!r}")
        return function(*args, **given)


def _complete(module):
    """Runs the source of a module of which only the function was read; says whether it did."""
    loader = module.__dict__.get("__loader__")
    if type(loader) is not _Loader or not loader.is_quick:
        return False
    loader.whole(module)
    return True


class _Loader:
    """Reads or runs a binding's source, which the finder has fetched."""

    def __init__(self, path, source):
        self.path = path
        self.source = source
        self.is_quick = False
        self._whole = None

    def create_module(self, spec):
        kind = ToolModule if spec.submodule_search_locations is None else ServerModule
        return kind(spec.name)

    def exec_module(self, module):
        text = self.source.decode()
        self.source = None
        module.__file__ = self.path
        names = module.__dict__
        if type(module) is ServerModule:
            read = reading.server(text)
            if read is not None:
                names["__doc__"], tools = read
                names["__getattr__"], names["__dir__"], names["__all__"] = lazy(module.__name__, tools)
                return
        else:
            function = reading.tool(text, self.path, module.__name__, lambda: self.whole(module))
            if function is not None:
                names[function.__name__] = function
                self.is_quick = True
                return
        exec(compile(text, self.path, "exec", dont_inherit=True), names)

    def whole(self, module):
        """The function as the compiled source has it; all else in it is the module's from then on."""
        if self._whole is None:
            names = module.__dict__
            name = module.__name__.rpartition(".")[2]
            quick = names[name]
            everything = {"__name__": module.__name__}
            source = _read(self.path)
            if source is None:
                raise LookupError(f"{self.path} is no longer there: the server has changed its tools")
            exec(compile(source, self.path, "exec", dont_inherit=True), everything)
            self._whole = whole = everything[name]
            names["__doc__"] = everything["__doc__"]
            for one, value in everything.items():
                if value is whole:
                    value = quick
                names.setdefault(one, value)
            self.is_quick = False
        return self._whole

    def get_filename(self, name):
        return self.path

    def get_source(self, name):
        return _read(self.path).decode()

    def is_package(self, name):
        return self.path.endswith("/__init__.py")


class _Alias:
    """Lets one module have a second name."""

    def __init__(self, real):
        self.real = real

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        # The import system takes what stands here afterwards.
        _modules[module.__name__] = _import_module(self.real)


class _Finder:
    """Before all others: what is below `servers`, under both its names."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("servers."):
            return _spec(name)
        if path is not None and name.partition(".")[0] in _state.aliases:
            _state.found.append(name)
            return ModuleSpec(name, _Alias("servers." + name))
        return None

    @staticmethod
    def invalidate_caches():
        pass


class _Free:
    """After all others: a server whose name nothing else has."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None or "." in name:
            return None
        if name not in _state.folders():
            why = _state.reason(name)
            if why is not None:
                raise ModuleNotFoundError(why, name=name)
            return None
        _state.aliases.add(name)
        _state.found.append(name)
        return ModuleSpec(name, _Alias("servers." + name), is_package=True)

    @staticmethod
    def invalidate_caches():
        pass


def _spec(name):
    parts = name.split(".")[1:]
    place = "/".join([ROOT, *parts])
    if len(parts) == 1:
        path = place + "/__init__.py"
        source = _read(path)
        folders = [place]
    else:
        path = place + ".py"
        source = _read(path)
        folders = None
    if source is None:
        why = _state.reason(".".join(parts))
        if why is not None:
            raise ModuleNotFoundError(why, name=name)
        return None
    _state.found.append(name)
    spec = ModuleSpec(name, _Loader(path, source), origin=path)
    spec.submodule_search_locations = folders
    return spec


def _read(path):
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        pieces = []
        while piece := os.read(file, _READ):
            pieces.append(piece)
        return b"".join(pieces)
    except OSError:
        return None
    finally:
        os.close(file)


class _State:
    """What is known of the tree that the host gives now."""

    def __init__(self):
        self.fingerprint = None
        self.aliases = set()
        self.found = []  # what was imported, and perhaps failed; looking through all modules takes a millisecond
        self._folders = None
        self._reasons = None

    def folders(self):
        """The servers' names, as packages are called."""
        if self._folders is None:
            try:
                found = os.listdir(ROOT)
            except OSError:
                found = []
            # Files have a dot in their names; folders of original names may be no identifiers.
            self._folders = frozenset([one for one in found if one.isidentifier()])
        return self._folders

    def reason(self, path):
        """Why something below `servers` is there and cannot be imported, if the host has said so."""
        if self._reasons is None:
            text = _read(ROOT + "/.absent.json")
            self._reasons = {} if text is None else _decode(text.decode())
        return self._reasons.get(path)

    def missing(self):
        """Servers that are configured and cannot be imported, with the reason."""
        self.reason("")
        return {name: why for name, why in self._reasons.items() if name.isidentifier()}

    def forget(self):
        if self.found:
            for name in self.found:
                _modules.pop(name, None)
            # Loaded servers are attributes of the package.
            for name in [name for name, value in _package.items() if type(value) is ServerModule]:
                del _package[name]
            for folder in [one for one in _importers if type(one) is str and one.startswith(ROOT)]:
                del _importers[folder]
            self.found.clear()
        self.aliases.clear()
        self._folders = self._reasons = None


_package = {}  # the namespace of `servers`
_state = _State()


def refresh(fingerprint):
    """Forgets what was imported when the host gives another tree than before."""
    if fingerprint != _state.fingerprint:
        _state.fingerprint = fingerprint
        _state.forget()


def names():
    """The servers there are."""
    return _state.folders()


def missing():
    """Servers that are configured and are not among `names()`, with the reason."""
    return {name: why for name, why in _state.missing().items() if name not in _state.folders()}


def given():
    """Whether the host has said that it gives servers."""
    return _state.fingerprint is not None


def is_free(name):
    """Whether `import name` means the server of that name."""
    if name in _state.aliases:
        return True
    if name not in _state.folders() or name in _modules or name in sys.stdlib_module_names:
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return False
    return spec is not None and type(spec.loader) is _Alias


def tools_of(server):
    """The names of a server's tools, all spellings; empty when it cannot be read."""
    try:
        return _import_module(f"servers.{server}").__dict__.get("__all__") or ()
    except Exception:
        return ()


def having(tool):
    """The servers that have a tool of this name."""
    snake = "".join(["_" + one.lower() if one.isupper() else one for one in tool]).lstrip("_")
    return [
        (server, name)
        for server in sorted(_state.folders())
        for name in dict.fromkeys((tool, snake))
        if os.path.exists(f"{ROOT}/{server}/{name}.py")
    ]


def lazy(package, modules):
    """`__getattr__`, `__dir__` and `__all__` of a server whose tools load when they are used.

    `modules` maps every name a tool goes by to its module.
    """

    def load(name):
        module = modules.get(name)
        if module is None:
            raise _no_tool(package, name, modules)
        found = getattr(_import_module(f"{package}.{module}"), module)
        ours = _modules.get(package)
        if ours is not None:
            ours.__dict__[name] = found
        return found

    def listed():
        return sorted(set(modules.values()))

    return load, listed, list(modules)


def _no_tool(package, name, modules):
    if name.startswith("__"):
        return AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=_modules.get(package))
    text = _state.reason(f"{package.removeprefix('servers.')}.{name}")
    if text is None:
        count = len(set(modules.values()))
        near = binding.nearest(name, modules)
        meant = f"Did you mean {near!r}? " if near else ""
        text = f"{package} has no tool {name!r}. {meant}It has {count} tool{'s' * (count != 1)}: dir({package}) lists them"
    # `from servers.github import x` asks whether there is an attribute before it looks for a file.
    if sys._getframe(2).f_code.co_name == "_handle_fromlist":
        return ImportError(text, name=package)
    return AttributeError(text, name=name, obj=_modules.get(package))


def _made():
    module = Package("servers", "The connected servers: `from servers.NAME import TOOL`, then `await TOOL(...)`.")
    module.__path__ = [ROOT]
    module.__file__ = None
    module.__spec__ = spec = ModuleSpec("servers", None, is_package=True)
    spec.submodule_search_locations = module.__path__
    module.__package__ = "servers"
    public = {
        **binding.PUBLIC,
        "tool": binding.tool,
        "lazy": lazy,
        "UNSET": binding.UNSET,
        "ToolError": failures.ToolError,
        "ArgumentError": failures.ArgumentError,
        "UnknownTool": failures.UnknownTool,
        "ServerError": failures.ServerError,
        "PolicyError": failures.PolicyError,
        "MissingAwait": failures.MissingAwait,
    }
    module.__dict__.update(public)

    def load(name):
        if name.isidentifier() and not name.startswith("__") and name in _state.folders():
            return _import_module("servers." + name)
        if name.startswith("__"):
            raise AttributeError(f"module 'servers' has no attribute {name!r}", name=name, obj=module)
        text = _state.reason(name) or f"there is no server {name!r}. {known(name)}"
        if sys._getframe(1).f_code.co_name == "_handle_fromlist":
            raise ImportError(text, name="servers")
        raise AttributeError(text, name=name, obj=module)

    module.__getattr__ = load
    module.__dir__ = lambda: sorted(_state.folders())
    module.__all__ = [*binding.PUBLIC, "ToolError"]
    return module


def known(wanted=""):
    """A sentence that says which servers there are."""
    names = sorted(_state.folders())
    if not names:
        return "No servers are connected."
    near = binding.nearest(wanted, names) if wanted else None
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    start = f"Did you mean 'servers.{near}'? " if near else ""
    return f"{start}The servers: {', '.join(names[:_MOST_LISTED])}{more}."


def install():
    """Puts the package and its finders in place."""
    global _package
    package = _modules["servers"] = _made()
    _package = package.__dict__
    sys.meta_path.insert(0, _Finder)
    sys.meta_path.append(_Free)
    return package
