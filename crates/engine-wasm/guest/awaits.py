"""Puts in the `await` that a program forgot, where there is no doubt.

A tool call that is used as a value, in top-level code or in an async function, was meant to
be awaited: `get_devices()["count"]`, `for d in get_devices():`, `print(get_devices())`, a
call that stands alone. `devices = get_devices()` was meant so too if everything that is
done with `devices` is done with a value. A call that is given to `asyncio.gather`, kept in
a list, or handed to a function that may await it, stays as it is.

A plain function cannot await; there such a call is made where it stands, by `result_of`,
so that calls leave in the program's order. What a plain function returns is left alone,
because whoever called it may await that.

Only programs in which tools are mentioned come here, because it needs the tree. What is
left alone is for `calls.ToolCall` to notice at run time.
"""

import ast
import builtins

from _tidegate import binding, calls, servers

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
# Nodes that do something with the value of a part, whichever part it is.
_USES = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.FormattedValue, ast.Subscript, ast.Slice, ast.If, ast.While, ast.Assert,
    ast.For, ast.AugAssign, ast.Expr, ast.Match, ast.Starred,
)
_OWN = ("send", "throw", "close", "__await__")

# Functions that want values. Those that only put them into another container come second.
_READERS = frozenset(
    "print len sum min max any all str int float bool bytes repr format round abs isinstance type hash range divmod pow"
    " getattr hasattr ord chr hex bin oct open".split()
)
_COLLECTORS = frozenset("list tuple dict set frozenset sorted reversed enumerate zip iter next filter map".split())
_METHODS = frozenset(
    "extend update join format write writelines writerow writerows startswith endswith merge get pop index count remove"
    " union intersection difference issubset issuperset split replace strip loads dumps fromisoformat strptime".split()
)
_MODULES = frozenset(
    "json pandas numpy math statistics re datetime csv pprint textwrap collections itertools copy random base64 hashlib"
    " decimal fractions uuid io os string html urllib operator functools".split()
)
# What can await a call that was kept somewhere.
_SCHEDULERS = frozenset(
    "gather wait wait_for as_completed create_task ensure_future TaskGroup shield run run_until_complete iscoroutine"
    " isawaitable iscoroutinefunction".split()
)

_BY_NAME = tuple(binding.PUBLIC)

# A function among the builtins that gives what a call stands for, and anything else as it is.
RESULT_OF = "__tidegate_result__"
setattr(builtins, RESULT_OF, calls.result_of)


def mender(text, session):
    """Whether a program uses tools, and a function that mends its tree, or None if it needs none.

    `session` has the names that earlier programs bound to tools, servers or calls.
    """
    if not _mentions(text, session):
        return False, None
    if not session and _awaits_all(text):
        return True, None
    return True, lambda tree: _mend(tree, session)


def _mentions(text, session):
    return (
        "servers" in text
        or "call_mcp_tool" in text
        or "callMCPTool" in text
        or "_resource" in text
        or "_prompt" in text
        or session
        and any(name in text for name in session)
        or servers.given()
        and any(name in text for name in servers.names())
    )


def _awaits_all(text):
    """Whether it can be seen without the tree that every tool is awaited wherever it is named.

    So it is if tools are imported from their servers, one by one, and every mention of such
    a name begins `await name(`.
    """
    tools = [*_BY_NAME]
    rest = []
    for line in text.split("\n"):
        if "import" not in line:
            rest.append(line)
        elif line.startswith("from servers."):
            names = line.partition(" import ")[2].replace(" ", "").split(",")
            if not all([name.isidentifier() for name in names]) or " as " in line:
                return False
            tools += names
        elif any([name in line for name in servers.names()]):
            return False
        else:
            rest.append(line)
    rest = "\n".join(rest)
    if "servers" in rest:
        return False
    return all([rest.count(name) == rest.count(f"await {name}(") for name in tools if name in rest])


def _mend(tree, session):
    try:
        return _Mending(tree, session).mend()
    except Exception:
        # The program is as it was, and may well be right.
        return 0


def bound(names):
    """Which of a session's variables are tools or servers: `mender` wants to know."""
    found = {}
    for name, value in names.items():
        kind = type(value)
        if kind is servers.ServerModule:
            found[name] = "server"
        elif hasattr(value, "__tidegate_tool__") if kind is _Function else kind is servers.ToolModule:
            found[name] = "tool"
    return found


_Function = type(bound)


class _Mending:
    """One program's tree, and what its names mean."""

    def __init__(self, tree, session):
        self.tree = tree
        self.up = {}  # node -> (parent, field, position in a list or None)
        self.calls = []
        self.loads = {}
        self.stores = {}
        self.locals = {}  # function -> names that are its own
        self.imports = []
        self.keeps = True
        self._walk()
        self.tools = {name for name in _BY_NAME if name not in self.stores}
        self.packages = {} if "servers" in self.stores else {"servers": "root"}
        self.modules = {}
        self.functions = set()
        for name, kind in session.items():
            if name not in self.stores:
                self._learn(name, kind)
        self._read_imports()
        self._read_aliases()

    def mend(self):
        """Inserts what is missing and says how often."""
        tools = [call for call in self.calls if self.is_tool(call.func)]
        if not tools:
            return 0
        self.keeps = self._keeps_calls()
        # All are judged before anything is changed, because changes hide what was there.
        wanted = {call for call in tools if self._can_await(call)}
        meant = {call for call in tools if (call in wanted or self._is_run(call)) and self._is_value(call, set())}
        given = 0
        for call in tools:
            if call not in meant:
                given += call not in wanted and self._give_result(call)
            elif call in wanted:
                self._put(call, ast.Await(call), "value", None)
            else:
                self._put_result(call)
        return len(meant) + given

    def _put(self, inner, node, field, at):
        """Puts a node where another was, which becomes its part."""
        ast.copy_location(node, inner)
        parent, place, number = self.up[inner]
        if number is None:
            setattr(parent, place, node)
        else:
            getattr(parent, place)[number] = node
        self.up[node] = (parent, place, number)
        self.up[inner] = (node, field, at)

    def _put_result(self, inner):
        function = ast.copy_location(ast.Name(RESULT_OF, ast.Load()), inner)
        self._put(inner, ast.Call(function, [inner], []), "args", 0)

    def _give_result(self, call):
        """In a plain function a call stands for its result, but for what looks at the object itself."""
        parent, field, _ = self.up[call]
        uses = [call]
        if type(parent) is ast.Assign and field == "value" and type(parent.targets[0]) is ast.Name:
            function = self._function(call)
            uses = [use for use in self.loads.get(parent.targets[0].id, ()) if self._function(use) is function]
        given = 0
        for use in uses:
            parent, field, _ = self.up[use]
            if self._looks_at_the_object(use, parent, field):
                self._put_result(use)
                given += 1
        return given

    def _looks_at_the_object(self, node, parent, field):
        """`match call:`, `call is None`, `type(call)`."""
        if type(parent) is ast.Match:
            return field == "subject"
        if type(parent) is ast.Compare:
            return any(type(one) in (ast.Is, ast.IsNot) for one in parent.ops)
        return type(parent) is ast.Call and node in parent.args and type(parent.func) is ast.Name and parent.func.id == "type"

    # --- reading the tree --------------------------------------------------------------

    def _walk(self):
        stack = [self.tree]
        up = self.up
        while stack:
            node = stack.pop()
            for field in node._fields:
                value = getattr(node, field, None)
                if type(value) is list:
                    for at, one in enumerate(value):
                        if isinstance(one, ast.AST):
                            up[one] = (node, field, at)
                            stack.append(one)
                elif isinstance(value, ast.AST):
                    up[value] = (node, field, None)
                    stack.append(value)
            self._note(node)

    def _note(self, node):
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is ast.Load:
                self.loads.setdefault(node.id, []).append(node)
            else:
                self._store(node.id, node)
        elif kind is ast.Call:
            self.calls.append(node)
        elif kind is ast.Import or kind is ast.ImportFrom:
            self.imports.append(node)
        elif kind is ast.arg:
            self._store(node.arg, node)
        elif kind is ast.FunctionDef or kind is ast.AsyncFunctionDef or kind is ast.ClassDef:
            self._store(node.name, node)
        elif kind is ast.ExceptHandler and node.name:
            self._store(node.name, node)
        elif kind is ast.Global or kind is ast.Nonlocal:
            function = self._function(node)
            for name in node.names:
                self.locals.setdefault(function, {})[name] = False

    def _store(self, name, node):
        self.stores.setdefault(name, []).append(node)
        parent = self.up[node][0]
        # A definition binds in the scope around it, a parameter in the function it is of.
        function = self._function(parent if isinstance(node, ast.arg) else node)
        if not isinstance(node, ast.arg) and isinstance(parent, ast.comprehension):
            return
        if function is not None:
            self.locals.setdefault(function, {}).setdefault(name, True)

    def _function(self, node):
        """The function whose scope a node is in; None at top level."""
        if isinstance(node, ast.arguments):
            return self.up[node][0]
        while node is not self.tree:
            parent, field, _ = self.up[node]
            if isinstance(parent, _FUNCTIONS) and field == "body":
                return parent
            node = parent
        return None

    def _learn(self, name, kind):
        if kind == "tool":
            self.tools.add(name)
        else:
            self.packages[name] = kind

    def _read_imports(self):
        for node in self.imports:
            for alias in node.names:
                name = alias.asname or alias.name
                if type(node) is ast.Import:
                    self._read_import(alias)
                elif node.level == 0 and node.module and name not in self.stores:
                    self._read_from(node.module, alias, name)

    def _read_import(self, alias):
        parts = alias.name.split(".")
        if parts[0] != "servers":
            if not servers.is_free(parts[0]):
                self.modules[alias.asname or parts[0]] = parts[0]
                return
            parts.insert(0, "servers")
            if alias.asname is None:
                self.packages[parts[1]] = "server"
                return
        if alias.asname is None:
            self.packages["servers"] = "root"
        elif alias.asname not in self.stores:
            self._learn(alias.asname, ("root", "server", "tool")[min(len(parts), 3) - 1])

    def _read_from(self, module, alias, name):
        parts = module.split(".")
        if parts[0] != "servers":
            if not servers.is_free(parts[0]):
                if parts[0] in _MODULES:
                    self.functions.add(name)
                return
            parts.insert(0, "servers")
        if len(parts) == 1:
            if alias.name in _BY_NAME:
                self.tools.add(name)
            elif alias.name in servers.names():
                self.packages[name] = "server"
        elif len(parts) == 2:
            names = servers.tools_of(parts[1])
            if alias.name == "*":
                self.tools.update([one for one in names if one not in self.stores])
            elif not names or alias.name in names:
                self.tools.add(name)
        elif alias.name == parts[2]:
            self.tools.add(name)

    def _read_aliases(self):
        """`search = gh.search_code` makes another name for a tool."""
        for name, nodes in self.stores.items():
            parent = self.up[nodes[0]][0]
            if len(nodes) == 1 and type(parent) is ast.Assign and self.is_tool(parent.value):
                self.tools.add(name)

    def is_tool(self, node):
        """Whether an expression is a function that calls a tool."""
        if type(node) is ast.Name:
            return node.id in self.tools
        return type(node) is ast.Attribute and not node.attr.startswith("_") and self._is_server(node.value)

    def _is_server(self, node):
        if type(node) is ast.Name:
            return self.packages.get(node.id) == "server"
        if type(node) is not ast.Attribute or type(node.value) is not ast.Name:
            return False
        return self.packages.get(node.value.id) == "root" and node.attr in servers.names()

    def _keeps_calls(self):
        """Whether anything here could await a call that was put somewhere first."""
        if _SCHEDULERS & self.loads.keys():
            return True
        for node in self.up:
            kind = type(node)
            if kind is ast.Attribute and node.attr in _SCHEDULERS:
                return True
            if kind is ast.ImportFrom and any(alias.name in _SCHEDULERS for alias in node.names):
                return True
            if kind is ast.Await and not self._awaits_itself(node.value):
                return True
            if kind is ast.AsyncFor or kind is ast.comprehension and node.is_async:
                return True
        return False

    def _awaits_itself(self, node):
        """Whether an awaited expression is a call of something known not to await others."""
        if type(node) is not ast.Call:
            return False
        function = node.func
        if self.is_tool(function) or type(function) is ast.Name and function.id in self.stores:
            return True
        return type(function) is ast.Attribute and function.attr == "sleep"

    # --- where a call stands -------------------------------------------------------------

    def _can_await(self, node):
        """Whether `await` is allowed where a node is: top level, or an async function."""
        while node is not self.tree:
            parent, field, at = self.up[node]
            if isinstance(parent, (*_FUNCTIONS, ast.ClassDef)) and field == "body":
                return type(parent) is ast.AsyncFunctionDef
            if field in ("annotation", "returns", "type_params") or type(parent).__name__ == "TypeAlias":
                return False
            if type(parent) is ast.GeneratorExp and not (field == "generators" and at == 0 and self._in_iter(node)):
                return False
            self._came_from = (parent, field)
            node = parent
        return True

    def _is_run(self, node):
        """Whether a node is part of a plain function's own steps: not of a type, not of a class."""
        while node is not self.tree:
            parent, field, _ = self.up[node]
            if field in ("annotation", "returns", "type_params") or type(parent).__name__ == "TypeAlias":
                return False
            if isinstance(parent, (*_FUNCTIONS, ast.ClassDef)) and field == "body":
                return type(parent) is not ast.ClassDef
            node = parent
        return True

    def _in_iter(self, comprehension):
        return self._came_from == (comprehension, "iter")

    def _is_value(self, node, met):
        """Whether what an expression gives is used as a value wherever it goes."""
        parent, field, at = self.up[node]
        kind = type(parent)
        if kind is ast.Await:
            return False
        if kind is ast.Attribute:
            return parent.attr not in _OWN
        if kind is ast.Return:
            # What a plain function returns may be awaited by whoever called it.
            return self._can_await(parent)
        if kind in _USES:
            return True
        if kind is ast.comprehension:
            return not parent.is_async
        if kind is ast.BoolOp:
            return at != len(parent.values) - 1 or self._is_value(parent, met)
        if kind is ast.IfExp:
            return field == "test" or self._is_value(parent, met)
        if kind is ast.NamedExpr:
            return self._is_value(parent, met) and self._names_are_values([parent.target], met)
        if kind is ast.Assign:
            return self._assigned(node, parent, parent.targets, met)
        if kind is ast.AnnAssign:
            return self._assigned(node, parent, [parent.target], met)
        if kind is ast.Call:
            return field == "args" and self._reads(parent.func, _COLLECTORS)
        if kind is ast.keyword:
            return parent.arg is None or self._reads(self._callee(parent), _COLLECTORS)
        if kind in _DISPLAYS:
            return self._kept(parent, met)
        return False

    def _kept(self, display, met):
        """Whether the members of a list or dict are used as values."""
        parent, field, _ = self.up[display]
        kind = type(parent)
        if kind in _DISPLAYS or kind is ast.IfExp and field != "test":
            return self._kept(parent, met)
        if kind is ast.Assign and type(display) is ast.Tuple and len(parent.targets) == 1:
            # `a, b = f(), g()`
            target = parent.targets[0]
            if type(target) is ast.Tuple and len(target.elts) == len(display.elts):
                return self._names_are_values(target.elts, met)
        if kind is ast.Return or kind is ast.Expr:
            # A program's own value is waited for at its end, all calls in it at once.
            return self._function(parent) is not None and (kind is ast.Expr or self._can_await(parent))
        if kind is ast.FormattedValue:
            return True
        if kind is ast.Call and field == "args" and self._reads(parent.func, ()):
            return True
        if kind is ast.keyword and parent.arg is not None and self._reads(self._callee(parent), ()):
            return True
        return not self.keeps and kind in (ast.Assign, ast.AnnAssign, ast.For, ast.comprehension, ast.Subscript)

    def _assigned(self, node, parent, targets, met):
        if node is not parent.value:
            return False
        names = [one for target in targets for one in (target.elts if type(target) is ast.Tuple else [target])]
        if any(type(target) in (ast.Tuple, ast.List) for target in targets):
            return True  # Unpacking reads it.
        if not all(type(one) is ast.Name for one in names):
            return not self.keeps  # `found[key] = f()`
        return self._names_are_values(names, met)

    def _names_are_values(self, names, met):
        for target in names:
            if type(target) is not ast.Name:
                if self.keeps:
                    return False
                continue
            scope = self._scope(target)
            if (target.id, scope) in met:
                continue
            met.add((target.id, scope))
            for load in self.loads.get(target.id, ()):
                if self._scope(load) is scope and not self._is_value(load, met):
                    return False
        return True

    def _scope(self, name):
        """The function or comprehension a name belongs to; None for the program's own."""
        node = name
        while node is not self.tree:
            parent, field, _ = self.up[node]
            if isinstance(parent, _COMPREHENSIONS) and self._binds(parent, name.id):
                return parent
            if isinstance(parent, _FUNCTIONS) and field == "body":
                own = self.locals.get(parent, {}).get(name.id)
                if own:
                    return parent
            node = parent
        return None

    @staticmethod
    def _binds(comprehension, name):
        targets = [one.target for one in comprehension.generators]
        return any(type(node) is ast.Name and node.id == name for target in targets for node in ast.walk(target))

    def _callee(self, keyword):
        """The function a keyword argument is for; classes have keywords too."""
        return getattr(self.up[keyword][0], "func", None)

    def _reads(self, function, collectors):
        """Whether a function that is called wants values for its arguments."""
        if self.is_tool(function):
            return True
        if type(function) is ast.Name:
            name = function.id
            if name in self.functions:
                return True
            if name in self.stores:
                return not self.keeps  # One of the program's own, and nothing here awaits.
            return name in _READERS or name in collectors
        if type(function) is not ast.Attribute:
            return False
        root = function.value
        while type(root) is ast.Attribute:
            root = root.value
        if type(root) is ast.Name and root.id in self.modules and root.id not in self.stores:
            return self.modules[root.id] in _MODULES
        if function.attr in _METHODS:
            return True
        return not self.keeps and function.attr in ("append", "add", "insert", "setdefault", "appendleft")
