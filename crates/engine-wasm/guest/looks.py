"""Which paths of the user's own a program looks for with what raises nothing when they are not there."""

import ast
import re
from os import stat as _stat
from os.path import expanduser as _expanduser

_LOOKING = re.compile(r"\b(?:glob|iglob|rglob|walk|exists|isfile|isdir|is_file|is_dir)\b")
_OUTSIDE = re.compile(
    r"""["'](/(?:home|Users|tmp|mnt|data|var|srv|opt|root|media|Volumes|private)/[^"'\n]{1,200}|~/[^"'\n]{1,200}|[A-Za-z]:\\[^"'\n]{1,200})["']"""
)


# What tells whether something is there and raises nothing if it is not: functions by their full names, and a path's own.
_LOOKS = frozenset("os.walk os.path.exists os.path.isfile os.path.isdir glob.glob glob.iglob".split())
_PATHS_LOOK = frozenset("exists is_file is_dir glob rglob walk".split())
_MAKE_PATHS = frozenset("pathlib.Path pathlib.PosixPath os.path.expanduser os.path.abspath os.path.normpath os.fspath str".split())
_SAME_PATH = frozenset("expanduser resolve absolute".split())
_MAX_STEPS = 20

# What takes away a file that the program had: `~` is its own folder, where it may have been.
_TAKES_AWAY = re.compile(r"\b(?:remove|unlink|rmtree|rmdir|rename|renames|move|replace)\b")


def missing(source):
    """The first such path that the sandbox does not have, or None."""
    # Most programs have neither, and are not read once more.
    if not _LOOKING.search(source) or not _OUTSIDE.search(source):
        return None
    try:
        looked = _Looks(ast.parse(source)).paths()
        if _TAKES_AWAY.search(source):
            looked = (one for one in looked if not one.startswith("~"))
        return next((one for one in looked if not _is_there(one)), None)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_there(path):
    """Whether the sandbox has a path, or the folder that a pattern begins with."""
    path = _expanduser(path)
    try:
        _stat(re.split(r"[*?\[]", path)[0].rpartition("/")[0] if re.search(r"[*?\[]", path) else path)
    except OSError:
        return False
    return True


class _Looks:
    """Which paths of the user's own a program looks for, where its text leaves no doubt about it.

    A name counts for what it was imported as, or for the one value it is given, if it is bound
    nowhere else. What stands in a function that nobody mentions is not looked at.
    """

    def __init__(self, tree):
        self.tree = tree
        self.meant = {}  # names of modules and functions, by what the program calls them
        self.values = {}
        bound = {}
        used = set()
        defined = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    name = one.asname or one.name.partition(".")[0]
                    self.meant[name] = one.name if one.asname else name
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    # What comes from elsewhere, such as a tool, takes the name away from what looks.
                    self.meant[one.asname or one.name] = f"{node.module}.{one.name}"
            elif isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    used.add(node.id)
                else:
                    bound[node.id] = bound.get(node.id, 0) + 1
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.arg):
                bound[node.arg] = bound.get(node.arg, 0) + 2
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                bound[node.name] = bound.get(node.name, 0) + 2
                defined.append(node)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.values[node.targets[0].id] = node.value
        for name, times in bound.items():
            self.meant.pop(name, None)
            if times > 1:
                self.values.pop(name, None)
        self.unused = {
            id(part) for one in defined if one.name not in used and not isinstance(one, ast.ClassDef) and not one.decorator_list
            for part in ast.walk(one)
        }

    def paths(self):
        """The paths, in no order that means anything."""
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Call) or id(node) in self.unused:
                continue
            path = None
            if self._name(node.func) in _LOOKS:
                path = self._path(node.args[0]) if node.args else None
            elif isinstance(node.func, ast.Attribute) and node.func.attr in _PATHS_LOOK:
                path = self._path(node.func.value)
            if path is not None and _OUTSIDE.fullmatch(f"'{path}'"):
                yield path

    def _name(self, node):
        """What a function is called in full: `os.path.exists`, or None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        root = self.meant.get(node.id, "str" if node.id == "str" else None)
        return root and ".".join([root, *reversed(parts)])

    def _path(self, node, steps=0):
        """The text that a path is made of, or None."""
        if steps > _MAX_STEPS:
            return None
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is str else None
        if isinstance(node, ast.Name):
            value = self.values.get(node.id)
            return None if value is None else self._path(value, steps + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            left, right = self._path(node.left, steps + 1), self._path(node.right, steps + 1)
            if left is None or right is None:
                return None
            # As with paths themselves: one that begins at the root is the whole.
            return right if right.startswith("/") else f"{left.rstrip('/')}/{right}"
        if not isinstance(node, ast.Call) or node.keywords:
            return None
        if self._name(node.func) in _MAKE_PATHS and len(node.args) == 1:
            return self._path(node.args[0], steps + 1)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_PATH and not node.args:
            return self._path(node.func.value, steps + 1)
        return None
