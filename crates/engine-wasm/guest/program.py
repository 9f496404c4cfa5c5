"""Makes a program out of the text a model sent, and finds the value of its run.

The text may be wrapped in a Markdown fence or indented; both are removed. Lines and
columns of the code object stay those of the text as it was sent, so nothing that shows
a position has to translate it.

The value of a run is, in this order: what a top-level `return` gives; a trailing
expression, unless it is None; the variable `result`, if this program sets it; what a
trailing assignment assigned.

Two ways lead to the code. Most programs end in an expression, an assignment or a `return`
that stands on its own: then what is before it and the ending itself are compiled apart,
without ever building a syntax tree in Python, which would treble the cost. The others
are rewritten as a tree:

* A `return` elsewhere at top level makes the program the body of a function whose names
  are all global. So `with`, `try` and `finally` around it see an ordinary return, where
  an exception in its place would roll a transaction back.
* `asyncio.run(x)` outside functions becomes `await x`: the loop is running already.
* An `await` that was forgotten before a tool call is put in; see `awaits.py`.
"""

import ast
import re
import textwrap
import types
from collections import Counter

_VALUE = "__tidegate_value__"
_RETURN = "__tidegate_return__"
_MAIN = "__tidegate_main__"
# As many bytes as "return ", and whatever may follow that may follow this, and nothing else.
_RETURNED = "ƿ"
_RETURNING = f"({_RETURNED}):0="

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_TREE = _FLAGS | ast.PyCF_ONLY_AST
_CO_OPTIMIZED, _CO_NEWLOCALS, _CO_COROUTINE = 0x1, 0x2, 0x80

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*)")
_LANGUAGES = ("", "python", "python3", "py", "py3", "ipython", "tool_code")
# Spares the commonest endings that are no expression a futile attempt.
_STATEMENTS = ("if ", "for ", "with ", "def ", "class ", "async ", "import", "from ", "while ", "try:", "else:", "return\n")
_ASYNC = re.compile(r"^async def (\w+)", re.MULTILINE)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)[ \t]*(?:\*\*|//|>>|<<|[-+*/%@&|^])?=(?!=)")
_LOOP_MAKERS = ("get_event_loop", "new_event_loop", "get_running_loop")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Prepared:
    """A program that is ready to run once.

    `run` runs it, `value` says afterwards what it gave. `source` is the text that
    positions refer to, and its first line follows `line_offset` others (always none).
    """

    __slots__ = (
        "code", "tail", "source", "filename", "line_offset", "is_coroutine", "_sets_result", "_names", "_seen", "_returns",
    )

    def __init__(self, source, filename, code, tail=None, sets_result=None, names=(), returns=False):
        self.source = source
        self.filename = filename
        self.line_offset = 0
        self.code = code
        self.tail = tail
        self._sets_result = sets_result  # None: not known yet
        self._names = names
        self._seen = {}
        self._returns = returns  # whether the tail was a `return`
        flags = (code.co_flags if code else 0) | (tail.co_flags if tail else 0)
        self.is_coroutine = bool(flags & _CO_COROUTINE)

    def run(self, namespace):
        """Runs the program; when `is_coroutine`, returns a coroutine that does."""
        # An earlier program that made its own ending fail may have left its value.
        namespace.pop(_VALUE, None)
        namespace.pop(_RETURN, None)
        if self.is_coroutine:
            return self._run_async(namespace)
        try:
            if self.code is not None:
                eval(self.code, namespace)
            if self.tail is not None:
                self._end(eval(self.tail, namespace), namespace)
        finally:
            self._collect(namespace)

    async def _run_async(self, namespace):
        try:
            for code in (self.code, self.tail):
                if code is None:
                    continue
                value = eval(code, namespace)
                if code.co_flags & _CO_COROUTINE:
                    value = await value
                if code is self.tail:
                    self._end(value, namespace)
        finally:
            self._collect(namespace)

    def _end(self, value, namespace):
        if self._returns:
            self._seen[_RETURN] = (namespace.pop(_RETURNED),)
        else:
            self._seen[_VALUE] = value

    def _collect(self, namespace):
        for name in (_VALUE, _RETURN):
            if name in namespace:
                self._seen[name] = namespace.pop(name)

    def value(self, namespace):
        """Returns `(has_value, value)` of a run that ended without an exception."""
        seen = self._seen
        if _RETURN in seen:
            return True, seen[_RETURN][0]
        if seen.get(_VALUE) is not None:
            return True, seen[_VALUE]
        if "result" in namespace and self._assigns_result():
            return True, namespace["result"]
        try:
            if len(self._names) == 1:
                return True, namespace[self._names[0]]
            if self._names:
                return True, tuple([namespace[name] for name in self._names])
        except KeyError:
            pass
        return False, None

    def _assigns_result(self):
        if self._sets_result is None:
            self._sets_result = "result" in self.source and _sets_result(_parse(self.source, self.filename))
        return self._sets_result


def prepare(source, filename, mender=None):
    """Compiles `source`, as it was sent, under the name `filename`.

    `mender(text)` gives a function that mends the program's tree and says how often, or None
    if there is nothing it would look for. Raises SyntaxError with positions in `source` when
    it is no program.
    """
    text = _normal(source)
    mend = mender(text) if mender is not None else None
    try:
        tree = None
        if mend is not None:
            tree = _parses(text, filename)
            if tree is not None and not mend(tree):
                # Nothing to mend, so the text can be compiled as it is, which is quicker.
                tree = None
        # `asyncio.run` needs the tree, and a future import reaches past the split.
        if tree is None and not ("asyncio" in text and "run" in text) and "__future__" not in text:
            prepared = _split(text, filename)
            if prepared is not None:
                return prepared
        if tree is None:
            tree = _tree(text, filename, mend)
    except ValueError as error:
        # A null byte or half a surrogate pair; the newer CPython, the less this happens.
        raise SyntaxError(str(error), (filename, 1, 1, "")) from None
    return _rewrite(tree, text, filename)


def _tree(text, filename, mend):
    try:
        return _parse(text, filename)
    except SyntaxError:
        tree = _unwrapped_tree(text, filename)
        if tree is None:
            raise
        if mend is not None:
            mend(tree)
        return tree


def strip_fences(source):
    """Returns `(code, line_offset)`: the program in `source`, without what is around it.

    Code that parses as it is stays as it is. Only a single fenced block is unwrapped, and
    only if the text around it is no Python: two blocks, or code outside the block, would
    mean dropping something that was meant to run.
    """
    code, offset, margin = _unwrapped(_normal(source))
    return code, offset


def _normal(source):
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    return source[1:] if source.startswith("\ufeff") else source


def _parse(text, filename):
    return compile(text, filename, "exec", _TREE, True)


def _parses(text, filename="<fence>"):
    try:
        return _parse(text, filename)
    except (SyntaxError, ValueError):
        return None


# --- the text --------------------------------------------------------------------


def _unwrapped(text):
    """Returns `(code, line_offset, margin)`, the margin being the removed indentation."""
    offset = 0
    if ("```" in text or "~~~" in text) and _parses(text) is None:
        text, offset = _unfenced(text)
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    if first[:1] not in (" ", "\t"):
        return text, offset, 0
    # A first line that is indented never parses, so nothing can be lost here.
    code = textwrap.dedent(text)
    lines = zip(text.split("\n"), code.split("\n"))
    margin = next((len(old) - len(new) for old, new in lines if new), 0)
    return code, offset, margin


def _unfenced(text):
    lines = text.split("\n")
    opening = next((at for at, line in enumerate(lines) if _FENCE.match(line)), None)
    if opening is None or not _opens(lines[opening]):
        return text, 0
    mark = _FENCE.match(lines[opening]).group(1)
    closings = [at for at in range(opening + 1, len(lines)) if _closes(lines[at], mark)]
    if len(closings) < 2:
        # Without any, the end was cut off or forgotten.
        return _block(lines, opening, closings[0] if closings else len(lines)) or (text, 0)
    # The last one first: the program itself may hold Markdown in a string.
    for closing in (closings[-1], closings[0]):
        if _parses(textwrap.dedent("\n".join(lines[opening + 1 : closing]))) is not None:
            return _block(lines, opening, closing) or (text, 0)
    return text, 0


def _block(lines, opening, closing):
    """The lines between two fences, if those around them are no program."""
    around = lines[:opening], lines[closing + 1 :]
    if any(_FENCE.match(line) for line in around[1]):
        return None
    for outside in around:
        tree = _parses("\n".join(outside))
        if tree is not None and tree.body:
            return None
    return "\n".join(lines[opening + 1 : closing]), opening + 1


def _opens(line):
    words = _FENCE.match(line).group(2).strip("{}. \t").lower().split()
    return (words[0] if words else "") in _LANGUAGES


def _closes(line, mark):
    line = line.strip()
    return len(line) >= len(mark) and set(line) == {mark[0]}


def _unwrapped_tree(text, filename):
    """The tree of what is inside, placed where it stood; None if nothing is around it."""
    code, offset, margin = _unwrapped(text)
    if code == text:
        return None
    try:
        tree = _parse("\n" * offset + code, filename)
    except SyntaxError as error:
        _shift_error(error, text, margin)
        raise error from None
    if margin:
        for node in ast.walk(tree):
            if hasattr(node, "col_offset"):
                node.col_offset += margin
                node.end_col_offset += margin
    return tree


def _shift_error(error, text, margin):
    lines = text.split("\n")
    if margin and error.offset:
        error.offset += margin
        if (error.end_offset or 0) > 0:
            error.end_offset += margin
    if error.lineno and error.lineno <= len(lines):
        error.text = lines[error.lineno - 1]


def _split(text, filename):
    """A program that ends in an expression, `name = ...` or `return ...`, compiled without a tree.

    If what is before the ending is complete, and the ending is so by itself, then
    together they are the one followed by the other: the first line that starts at the
    margin after a complete program starts a statement. Otherwise None.
    """
    end = len(text)
    while True:
        start = text.rfind("\n", 0, end) + 1
        first = text[start : start + 1]
        if first not in ("", "\n", " ", "\t", "#", ")", "]", "}"):
            break
        if start == 0:
            return None
        end = start - 1
    if "async def" in text and any(re.search(rf"^[ \t]*{name}\(", text, re.MULTILINE) for name in _ASYNC.findall(text)):
        return None
    head, last = text[:start], text[start:]
    assigned = _ASSIGNMENT.match(last)
    returns = last.startswith("return ") and last[7:8] != "="
    if last.startswith(_STATEMENTS) or (assigned or returns) and ";" in last:
        return None
    if returns:
        last = _RETURNING + last[7:]
        if not ('"""' in text or "'''" in text or "\\" in text):
            # The line is in no string and goes on from none, so it need not be compiled apart.
            head, last = "", head + last
    names = assigned.groups() if assigned else ()
    try:
        mode = "exec" if assigned or returns else "eval"
        tail = compile("\n" * head.count("\n") + last, filename, mode, _FLAGS, True)
        code = compile(head, filename, "exec", _FLAGS, True) if head else None
    except (SyntaxError, ValueError):
        return None
    return Prepared(text, filename, code, tail, True if names == ("result",) else None, names, returns)


# --- the tree --------------------------------------------------------------------


def _rewrite(tree, text, filename):
    body = tree.body
    if "async def" in text:
        _await_bare(tree)
    if "asyncio" in text and "run" in text:
        _AwaitRuns(tree).visit(tree)
    names = _keep_last(body) if body else ()
    sets_result = "result" in text and _sets_result(tree)
    if "return" in text:
        nodes = list(_outer(body))
        if any(type(node) is ast.Return for node in nodes):
            _wrap(tree, filename, nodes)
            code = _inner(compile(tree, filename, "exec", _FLAGS, True))
            return Prepared(text, filename, code, None, sets_result, names)
    return Prepared(text, filename, compile(tree, filename, "exec", _FLAGS, True), None, sets_result, names)


def _await_bare(tree):
    """`main()` alone on a line does nothing without an `await`, so it gets one.

    Only where it could stand, at module scope or in an async function, and only for a function
    that the name certainly means.
    """
    own = {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and not _is_odd(node)}
    bound = Counter()
    for node in ast.walk(tree):
        bound.update(_bound(node))
        if isinstance(node, ast.arg):
            bound[node.arg] += 1
    own = {name for name in own if bound[name] == 1}
    scopes = [tree.body] + [node.body for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    for node in [node for scope in scopes for node in _outer(scope)] if own else ():
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in own:
            node.value = ast.copy_location(ast.Await(call), call)


def _is_odd(function):
    """Whether calling an async function gives something that is not awaited."""
    yields = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in _outer(function.body))
    return yields or bool(function.decorator_list)


def _outer(nodes):
    """All nodes at module scope: not inside functions, lambdas or classes."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            stack += [one for one in node.args.defaults + node.args.kw_defaults if one]
            stack += getattr(node, "decorator_list", ())
        elif isinstance(node, ast.ClassDef):
            stack += node.bases + node.decorator_list + [keyword.value for keyword in node.keywords]
        else:
            stack += ast.iter_child_nodes(node)


def _bound(node):
    """The names a node at module scope binds."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, _NAMED):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*"]
    name = getattr(node, "rest" if isinstance(node, ast.MatchMapping) else "name", None)
    return [name] if isinstance(name, str) and not isinstance(node, ast.alias) else []


def _sets_result(tree):
    if any("result" in _bound(node) for node in _outer(tree.body)):
        return True
    return any(type(node) is ast.Global and "result" in node.names for node in ast.walk(tree))


def _keep_last(body):
    """Makes the last statement's value outlive it; returns names that hold it."""
    last = body[-1]
    if isinstance(last, ast.If) and _is_main_guard(last.test):
        body = last.body
        last = body[-1]
    if isinstance(last, ast.Expr):
        body[-1] = ast.copy_location(ast.Assign([_store(last)], last.value), last)
        return ()
    if isinstance(last, ast.Assign):
        names = _plain_names(last.targets[0])
        if not names:
            last.targets.insert(0, _store(last))
        return names
    if isinstance(last, ast.AugAssign) or isinstance(last, ast.AnnAssign) and last.value is not None:
        return _plain_names(last.target)
    return ()


def _is_main_guard(test):
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _store(node):
    return ast.copy_location(ast.Name(_VALUE, ast.Store()), node)


def _plain_names(target):
    if isinstance(target, ast.Name):
        return (target.id,)
    if isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(one, ast.Name) for one in target.elts):
        return tuple([one.id for one in target.elts])
    return ()


class _AwaitRuns(ast.NodeTransformer):
    """`asyncio.run(x)` and `loop.run_until_complete(x)` at module scope become `await x`."""

    def __init__(self, tree):
        self.modules = {"asyncio"}
        self.runs = set()
        for node in _outer(tree.body):
            if isinstance(node, ast.Import):
                self.modules |= {alias.asname for alias in node.names if alias.name == "asyncio" and alias.asname}
            elif isinstance(node, ast.ImportFrom) and node.module == "asyncio":
                self.runs |= {alias.asname or "run" for alias in node.names if alias.name == "run"}

    def visit_FunctionDef(self, node):
        return node

    # A generator that awaits would be an asynchronous one, which its reader does not expect.
    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_GeneratorExp = visit_FunctionDef

    def visit_Call(self, node):
        self.generic_visit(node)
        if not (self._is_run(node.func) or self._is_until_complete(node.func)):
            return node
        if node.args:
            awaited = node.args[0]
        else:
            awaited = next((one.value for one in node.keywords if one.arg in ("main", "future")), None)
        if awaited is None or isinstance(awaited, ast.Starred):
            return node
        return ast.copy_location(ast.Await(awaited), node)

    def _is_run(self, function):
        if isinstance(function, ast.Name):
            return function.id in self.runs
        return self._is_of_asyncio(function, ("run",))

    def _is_of_asyncio(self, function, names):
        if not isinstance(function, ast.Attribute) or function.attr not in names:
            return False
        return isinstance(function.value, ast.Name) and function.value.id in self.modules

    def _is_until_complete(self, function):
        if not isinstance(function, ast.Attribute) or function.attr != "run_until_complete":
            return False
        owner = function.value
        if isinstance(owner, ast.Call):
            return self._is_of_asyncio(owner.func, _LOOP_MAKERS)
        return isinstance(owner, ast.Name)


def _wrap(tree, filename, nodes):
    """Puts the program into a function, all of whose names are global.

    `nodes` are those at module scope.
    """
    futures = [one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    body = [one for one in tree.body if one not in futures] if futures else tree.body
    bound = {_VALUE, _RETURN}
    asynchronous = moves = False
    for node in nodes:
        bound.update(_bound(node))
        kind = type(node)
        if kind is ast.Return:
            _give(node, filename)
        elif kind in (ast.Await, ast.AsyncFor, ast.AsyncWith) or kind is ast.comprehension and node.is_async:
            asynchronous = True
        elif kind is ast.AnnAssign or kind is ast.ImportFrom and node.names[0].name == "*":
            moves = True
        elif kind in (ast.Yield, ast.YieldFrom):
            raise SyntaxError("'yield' outside function", (filename, node.lineno, node.col_offset + 1, None))
    if moves:
        body = [_Inside().visit(one) for one in body]
    make = ast.AsyncFunctionDef if asynchronous else ast.FunctionDef
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    first = ast.copy_location(ast.Global(sorted(bound)), body[0])
    main = make(name=_MAIN, args=empty, body=[first, *body], decorator_list=[], type_params=[])
    tree.body = [*futures, ast.copy_location(main, body[0])]


def _give(node, filename):
    """Makes a top-level `return` leave its value where the host finds it."""
    if type(node.value) is ast.Starred:
        place = (filename, node.value.lineno, node.value.col_offset + 1, None)
        raise SyntaxError("can't use starred expression here", place)
    if node.value is not None:
        kept = ast.Tuple([node.value], ast.Load())
        node.value = ast.NamedExpr(ast.Name(_RETURN, ast.Store()), kept)
        for new in (kept, node.value, node.value.target):
            ast.copy_location(new, node)


class _Inside(ast.NodeTransformer):
    """What must change for statements of a module to mean the same inside a function."""

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef

    def visit_AnnAssign(self, node):
        # A global may not be annotated.
        if not node.simple:
            return node
        if node.value is None:
            return ast.copy_location(ast.Expr(node.annotation), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_ImportFrom(self, node):
        if node.names[0].name != "*":
            return node
        statement = ast.Constant(f"from {'.' * node.level}{node.module or ''} import *")
        space = ast.Call(ast.Name("globals", ast.Load()), [], [])
        call = ast.Call(ast.Name("exec", ast.Load()), [statement, space], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


def _inner(code):
    """The function's code, as code of a module: `locals()` is the namespace."""
    inner = next(one for one in code.co_consts if isinstance(one, types.CodeType) and one.co_name == _MAIN)
    flags = inner.co_flags & ~(_CO_OPTIMIZED | _CO_NEWLOCALS)
    return inner.replace(co_name="<module>", co_qualname="<module>", co_flags=flags)
