"""Expressions over columns, such as `price * quantity` or `lower(name) == "x"`.

Nothing is evaluated by Python: the text is parsed, only the kinds of nodes listed here are
taken, and each is computed on whole columns. Names are columns; `col("unit price")` is one
whose name is no word, or a dotted path.
"""

import ast
import math
import operator

from _tidegate import analysis_compare as compare
from _tidegate import analysis_functions as functions
from _tidegate import analysis_rows
from _tidegate.analysis_check import AnalysisError, kind, listed, nearest, rows, shown

_MOST_TEXT = 5000
_MAX_DEPTH = 100
_ARITHMETIC = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul), ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod), ast.Pow: ("**", operator.pow),
}
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in",
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_CONSTANTS = {"true": True, "false": False, "null": None}
_PYTHON = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
_TAKEN = "names of columns, numbers, texts, + - * / // % **, comparisons, and/or/not, `a if b else c`, and functions"
_LARGEST = 2.0**63


def parse(text, where):
    """The checked tree of an expression."""
    if not isinstance(text, str) or not text.strip():
        raise AnalysisError(f"{where} must be an expression as text, not {shown(text)}")
    if len(text) > _MOST_TEXT:
        raise AnalysisError(f"{where} has {len(text)} characters; at most {_MOST_TEXT} are taken")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = (getattr(error, "msg", None) or "it is too complicated").partition(";")[0]
        raise AnalysisError(f"{where} is no expression: {shown(text)}: {said}. Taken are {_TAKEN}") from None
    level, depth = [tree], 0
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            raise AnalysisError(f"{where} is nested more than {_MAX_DEPTH} deep; compute parts of it in columns of their own")
        level = [one for node in level for one in _checked(node, where)]
    return tree


def _checked(node, where):
    """The parts of a node that is allowed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str, bool, type(None))):
        return []
    if isinstance(node, ast.Name):
        return []
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub, ast.Not)):
        return [node.operand]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.test, node.body, node.orelse]
    if isinstance(node, ast.Compare) and all(type(one) in _COMPARE for one in node.ops):
        for one, other in zip(node.ops, node.comparators):
            if isinstance(one, (ast.In, ast.NotIn)):
                _constants(other, where)
        return [node.left, *[one for one in node.comparators if not isinstance(one, (ast.List, ast.Tuple))]]
    if isinstance(node, ast.Call):
        return _call(node, where)
    advice = '; write col("a.b") for a path' if isinstance(node, ast.Attribute) else ""
    raise AnalysisError(f"{where} has {_SAID.get(type(node), 'something')} that is not taken{advice}. Taken are {_TAKEN}")


_SAID = {
    ast.Attribute: "an attribute", ast.Subscript: "an index", ast.Lambda: "a lambda", ast.ListComp: "a comprehension",
    ast.NamedExpr: "an assignment", ast.JoinedStr: "an f-string", ast.List: "a list", ast.Tuple: "a tuple", ast.Dict: "a dict",
    ast.Await: "an await", ast.BinOp: "an operator", ast.UnaryOp: "an operator", ast.Compare: "a comparison",
    ast.Starred: "a star",
}


def _constants(node, where):
    """The values in a list after `in`."""
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        found = None
    if not isinstance(found, (list, tuple)):
        raise AnalysisError(f"{where}: after `in` stands a list of numbers or texts, such as ['a', 'b']")
    return list(found)


def _call(node, where):
    name = node.func.id if isinstance(node.func, ast.Name) else None
    known = {**functions.FUNCTIONS, "col": (1, 1)}
    if name not in known:
        shown_name = "something that is no function's name" if name is None else f"the function {shown(name)}"
        raise AnalysisError(f"{where} calls {shown_name}.{nearest(name, known)} Functions: {listed(known)}")
    least, most = known[name][:2]
    if node.keywords or any(isinstance(one, ast.Starred) for one in node.args) or not least <= len(node.args) <= most:
        count = str(least) if least == most else f"{least} or more" if most > 99 else f"{least} to {most}"
        raise AnalysisError(f"{where}: {name}() takes {count} plain arguments")
    if name == "col" and not (isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)):
        raise AnalysisError(f'{where}: col() takes the name of a column in quotes, such as col("unit price")')
    return node.args


def evaluate(tree, table, notes):
    """The column that an expression makes of a table."""
    import pandas

    found = _Evaluation(table, notes).value(tree)
    if isinstance(found, pandas.Series):
        return found
    return analysis_rows.series_of([found] * len(table))


class _Evaluation:
    def __init__(self, table, notes):
        self.table = table
        self.notes = notes

    def value(self, node):
        """A column, or one value where no column is involved."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in _CONSTANTS and node.id not in self.table.names:
                return _CONSTANTS[node.id]
            return self.table.column(node.id)
        if isinstance(node, ast.BinOp):
            name, function = _ARITHMETIC[type(node.op)]
            return self.arithmetic(name, function, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp):
            found = self.value(node.operand)
            if isinstance(node.op, ast.Not):
                found = functions.truth(found)
                return ~found if functions.is_column(found) else not found
            found = self.number(found, "-")
            if not isinstance(node.op, ast.USub) or found is None:
                return found
            return functions.without_wrapping(operator.neg, found) if functions.is_column(found) else -found
        if isinstance(node, ast.BoolOp):
            return self.both([functions.truth(self.value(one)) for one in node.values], isinstance(node.op, ast.And))
        if isinstance(node, ast.IfExp):
            test = functions.truth(self.value(node.test))
            return functions.pick(test, self.value(node.body), self.value(node.orelse))
        if isinstance(node, ast.Compare):
            return self.comparisons(node)
        if node.func.id == "col":
            return self.table.column(node.args[0].value)
        return functions.call(node.func.id, [self.value(one) for one in node.args], self.notes)

    def both(self, found, every):
        made = found[0]
        for one in found[1:]:
            made = made & one if every else made | one
        return made

    def number(self, value, name):
        return functions.number(value, f"'{name}'", self.notes)

    # --- arithmetic -------------------------------------------------------------------

    def arithmetic(self, name, function, left, right):
        if name == "+" and functions.is_text(left) and functions.is_text(right):
            return functions.joined(left, right)
        if functions.is_text(left) or functions.is_text(right):
            advice = "; write text(x) to put a number into a text" if name == "+" else "; number(x) makes numbers of text"
            raise AnalysisError(f"'{name}' needs two numbers{', or two texts' * (name == '+')}, and one side is text{advice}")
        left, right = self.number(left, name), self.number(right, name)
        if not functions.is_column(left) and not functions.is_column(right):
            return _scalar(name, function, left, right)
        if name not in ("/", "**") and (functions.is_exact(left) or functions.is_exact(right)):
            return self.exactly(name, function, left, right)
        left, right = [functions.floats(one) if functions.is_exact(one) else one for one in (left, right)]
        if name in ("/", "//", "%"):
            right = self.without_zero(right)
            if right is None:
                return analysis_rows.series_of([None] * len(left))
            if name != "/" and functions.is_whole(left) and functions.is_whole(right):
                return self.wholly(name, function, left, right)
            return function(math.nan if left is None else left, right)
        return _in_range(name, function, left, right, self.notes)

    def wholly(self, name, function, left, right):
        """A division of whole numbers that gives whole ones, missing where a side is."""
        import numpy
        import pandas

        # pandas makes floats of all of them where one side is missing.
        sides = [
            one.to_numpy(dtype="int64", na_value=instead) if functions.is_column(one) else one
            for one, instead in ((left, 0), (right, 1))
        ]
        # The one quotient that leaves 64 bits.
        if numpy.any((sides[0] == -(1 << 63)) & (sides[1] == -1)):
            return self.exactly(name, function, left, right)
        gone = numpy.zeros(len(left if functions.is_column(left) else right), bool)
        for one in filter(functions.is_column, (left, right)):
            gone |= one.isna().to_numpy()
        found = function(*sides)
        return pandas.Series(pandas.arrays.IntegerArray(found, gone) if gone.any() else found)

    def exactly(self, name, function, left, right):
        """Arithmetic on numbers that only Python holds as they are; 64 bits are the limit here too."""
        beyond = []

        def made(one, other):
            if name in ("//", "%") and other == 0:
                self.notes.add("a division by zero gives null")
                return None
            try:
                found = function(one, other)
                if type(found) is int and not -_LARGEST <= found < _LARGEST:
                    beyond.append(found)
                    found = float(found)
            except OverflowError:
                return None
            return found

        found = functions.by_row(made, left, right)
        if beyond:
            self.notes.add(_beyond(name))
        return found

    def without_zero(self, divisor):
        """Nothing can be divided by zero, so what comes of it is missing."""
        if not functions.is_column(divisor):
            if divisor is None:
                return math.nan
            if divisor == 0:
                self.notes.add("a division by zero gives null")
                return None
            return divisor
        zero = (divisor == 0).to_numpy(dtype=bool, na_value=False)
        if not zero.any():
            return divisor
        self.notes.add(f"{rows(int(zero.sum()), 'have')} a division by zero, which gives null")
        divisor = divisor.astype("Int64") if divisor.dtype.kind in "iu" else divisor
        return divisor.mask(zero)

    # --- comparisons --------------------------------------------------------------------

    def comparisons(self, node):
        left = self.value(node.left)
        made = []
        for one, other in zip(node.ops, node.comparators):
            name = _COMPARE[type(one)]
            right = _constants(other, "the expression") if name in ("in", "not in") else self.value(other)
            made.append(self.compared(name, left, right))
            left = right
        return self.both(made, True)

    def compared(self, name, left, right):
        import pandas

        if name in ("in", "not in"):
            if not functions.is_column(left):
                return (left in right) == (name == "in")
            found = compare.within(compare.Cells(left, _label(left)), right, self.notes)
            return pandas.Series(found if name == "in" else ~found)
        if not functions.is_column(left) and not functions.is_column(right):
            if name not in ("==", "!=") and (kind(left) != kind(right) or left is None):
                raise AnalysisError(f"'{name}' cannot compare {shown(left)} with {shown(right)}")
            return _PYTHON[name](left, right)
        if not functions.is_column(left):
            name, left, right = _TURNED[name], right, left
        if functions.is_column(right):
            return functions.compared(name, _PYTHON[name], left, right, self.notes)
        cells = compare.Cells(left, _label(left))
        if name in ("==", "!="):
            found = compare.equal(cells, right, self.notes)
            return pandas.Series(found if name == "==" else ~found)
        if right is None:
            raise AnalysisError(f"'{name}' cannot compare with null; write x == null")
        return pandas.Series(compare.order(cells, name, right, self.notes))


def _label(series):
    return series.name if isinstance(series.name, str) else "the expression"


def _scalar(name, function, left, right):
    if left is None or right is None or name in ("/", "//", "%") and right == 0:
        return None
    try:
        if name == "**" and isinstance(left, int) and abs(right) * max(left.bit_length(), 1) > 1000:
            left = float(left)
        found = function(left, right)
        float(found)
    except (OverflowError, TypeError, ValueError):
        raise AnalysisError(f"{shown(left)} {name} {shown(right)} is too large, or no real number") from None
    return found


def _in_range(name, function, left, right, notes):
    """Whole numbers stay whole as long as the result fits into 64 bits."""
    import numpy

    left, right = [math.nan if one is None else one for one in (left, right)]
    whole = all(one.dtype.kind in "iu" if functions.is_column(one) else isinstance(one, int) for one in (left, right))
    if not whole:
        return function(functions.floats(left), functions.floats(right)) if name == "**" else function(left, right)
    about = function(functions.floats(left), functions.floats(right))
    sizes = numpy.abs(about.to_numpy())
    lowest = right.min() if functions.is_column(right) else right
    if name == "**" and lowest < 0:
        return about
    if (sizes >= _LARGEST).any():
        notes.add(_beyond(name))
        return about
    return function(left, right)


def _beyond(name):
    return f"'{name}' gives whole numbers beyond 64 bits; they are floating-point numbers now"
