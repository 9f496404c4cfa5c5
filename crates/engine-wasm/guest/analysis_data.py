"""Where the rows of an analysis come from: the request, a file, a kept result, a tool.

A tool is called here, inside the sandbox, so its rows never pass through the model. What
comes back from any of them is looked at in the same way: a list of records, an object that
has one, columns, or text.
"""

import io
import json
import math
import os
import re
from itertools import chain

from _tidegate import analysis_rows, binding
from _tidegate.analysis_check import AnalysisError, kind, listed, nearest, rows, shown
from _tidegate.analysis_table import Table

# Where kept results are, one file for each handle.
RESULTS = "/results"

_SOURCES = {
    "file": ("file", "data_field"),
    "result": ("result", "data_field"),
    "tool": ("tool", "server", "arguments", "data_field"),
}
FORMS = (
    'a list of records, an object that holds one, columns, CSV or JSON text, {"file": path}, {"result": handle} '
    'or {"tool": "server.tool", "arguments": {...}}'
)
_READABLE = ("csv", "tsv", "json", "jsonl", "ndjson", "parquet")
# What a text without rows may still have.
_NOTHING = "\ufeff \t\r\n"
_MAX_DEPTH = 6
_MOST_COLUMNS = 10_000
# Whole numbers from here on are not all floats.
_BIG = 1 << 53


def form_of(data):
    """Which of the sources `data` names, or None when it is the rows themselves."""
    if not isinstance(data, dict):
        return None
    for form, keys in _SOURCES.items():
        if isinstance(data.get(form), str) and all(key in keys for key in data):
            return form
    return None


async def fetch(data):
    """What the source holds: a value, text, or a frame."""
    form = form_of(data)
    if form == "file":
        return _file(data["file"])
    if form == "result":
        return _result(data["result"])
    if form == "tool":
        return await _tool(data)
    return data


async def _tool(data):
    name, server, arguments = data["tool"], data.get("server"), data.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise AnalysisError(f"'arguments' of the tool {shown(name)} must be an object, not {shown(arguments)}")
    if server is None and "." in name:
        server, _, name = name.partition(".")
    if server is not None and not isinstance(server, str):
        raise AnalysisError(f"'server' must be a server's name, not {shown(server)}")
    names = [name] if server is None else [server, name]
    return await binding.call_mcp_tool(*names, arguments or {})


def _file(path):
    ending = os.path.splitext(path)[1].lower().lstrip(".")
    if ending not in _READABLE:
        advice = "; save a sheet as CSV first" if ending in ("xlsx", "xls", "ods") else ""
        raise AnalysisError(f"cannot read {shown(path)}: the ending must be one of {listed(_READABLE)}{advice}")
    try:
        if ending == "parquet":
            return _parquet(path)
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise AnalysisError(f"cannot read {shown(path)}: {_why(error)}{_beside(path)}") from None
    if not text.strip(_NOTHING):
        return []
    if ending in ("csv", "tsv"):
        return _csv(text, "\t" if ending == "tsv" else None, path)
    return _lines(text, path) if ending in ("jsonl", "ndjson") else _json(text, path)


def _parquet(path):
    import pandas

    try:
        with open(path, "rb"):
            return pandas.read_parquet(path)
    except ImportError:
        raise AnalysisError(f"cannot read {shown(path)}: nothing here reads parquet; write it as CSV or JSON") from None


def _why(error):
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 (byte {error.start})"
    return getattr(error, "strerror", None) or str(error)[:200]


def _beside(path):
    """What there is instead of a file that cannot be read."""
    folder, name = os.path.split(path)
    try:
        names = sorted(one for one in os.listdir(folder or ".") if not one.startswith("."))
    except (OSError, ValueError):
        return ""
    return f".{nearest(name, names)} {folder or 'The folder'} has: {listed(names)}" if name not in names else ""


def _result(handle):
    if not handle or not all(one.isalnum() or one in "_-." for one in handle) or handle.startswith("."):
        raise AnalysisError(f"{shown(handle)} is no handle of a result: letters, digits, '-', '_' and '.' only")
    path = os.path.join(RESULTS, handle + ".json")
    try:
        with open(path, encoding="utf-8") as file:
            return _json(file.read(), f"the result {handle}")
    except OSError:
        try:
            known = sorted(one.removesuffix(".json") for one in os.listdir(RESULTS) if one.endswith(".json"))
        except OSError:
            known = []
        kept = f"Kept: {listed(known)}" if known else "No result is kept in this session yet"
        said = f"{kept}. A handle is the 'run_id' of an earlier answer, such as r_..."
        raise AnalysisError(f"there is no result {shown(handle)}.{nearest(handle, known)} {said}") from None


# --- text ---------------------------------------------------------------------------------


def parsed(text, where="data"):
    """Text as the value or frame it is: JSON, one JSON value a line, or CSV."""
    start = text.lstrip(_NOTHING)
    if not start:
        return []
    if start[0] not in "[{":
        return _csv(text, None, where)
    try:
        return json.loads(start)
    except (ValueError, RecursionError) as error:
        first = start.partition("\n")[0].rstrip()
        if first.endswith("}") and getattr(error, "msg", "") == "Extra data":
            return _lines(start, where)
        raise AnalysisError(f"{where} starts like JSON and is not: {_place(error)}") from None


def _json(text, where):
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AnalysisError(f"{where} is no JSON: {_place(error)}") from None


def _place(error):
    return f"{error}"[:200] if isinstance(error, ValueError) else "it is nested too deeply"


def _lines(text, where):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise AnalysisError(f"line {number} of {where} is no JSON: {_place(error)}") from None
    return found


def _csv(text, separator, where):
    import pandas

    text = text.lstrip("\ufeff")
    first = _header(text)
    if separator is None:
        separator = max(",;\t|", key=first.count)
        if not first.count(separator) and not text.strip().count("\n"):
            raise AnalysisError(f"{where} is text, but neither JSON nor CSV with a header line ({len(text)} letters). Valid: {FORMS}")
    try:
        frame = _read_csv(text, separator)
    except (ValueError, OverflowError) as error:
        raise AnalysisError(f"{where} is no CSV that can be read: {str(error)[:200]}") from None
    if type(frame.index) is not pandas.RangeIndex:
        raise AnalysisError(f"the rows of {where} have more values than the header line, which has {first.count(separator) + 1}")
    for at, name in enumerate(frame.columns):
        column = frame.iloc[:, at]
        if str(column.dtype) == "string" and bool((column == "").any()):
            # Digits that no column of numbers holds are text, and so is then what is missing beside them.
            frame[name] = column.mask(column == "")
        elif column.dtype.kind == "f" and bool((column.abs() >= _BIG).any()):
            frame[name] = _exact(_read_csv(text, separator, usecols=[at], dtype="str").iloc[:, 0])
        elif column.dtype.kind == "i" and column.hasnans and str(-(1 << 63)) in text:
            # pandas takes the least whole number of 64 bits for one that is missing.
            frame[name] = _exact(_read_csv(text, separator, usecols=[at], dtype="str").iloc[:, 0])
    return frame


# What stands in quotes, of which only the beginning of a field is one; the first line, which may go on within them.
_QUOTED = re.compile(r'(?:(?<=[,;\t|])|\A) *"(?:[^"]|"")*"')
_FIRST_LINE = re.compile(rf"(?:{_QUOTED.pattern}|[^\n])*")


def _header(text):
    """The first line without what stands in quotes: the separators in it separate."""
    return _QUOTED.sub("", _FIRST_LINE.match(text.lstrip("\r\n"))[0])


def _read_csv(text, separator, **options):
    import pandas

    options = options or {"dtype_backend": "numpy_nullable"}
    return pandas.read_csv(io.StringIO(text), sep=separator, skipinitialspace=True, **options)


def _exact(texts):
    """Numbers of a file some of which are no floats: whole ones as they are written."""
    cells = [None if one != one else float(one) if set(one) & set(".eEnN") else int(one) for one in texts.tolist()]
    return analysis_rows.series_of(cells)


# --- values -------------------------------------------------------------------------------


def table(value, notes, field=None, where="data"):
    """The rows in a value, as a table."""
    import pandas

    if isinstance(value, str):
        value = parsed(value, where)
    if field is not None:
        value = _rows_of_ours(_followed(value, field, where), notes, where)
    elif isinstance(value, dict):
        value = _rows_of_ours(value, notes, where)
        value = _only_list(value, notes, where) if isinstance(value, dict) else value
    if isinstance(value, str):
        value = parsed(value, where)
    if isinstance(value, pandas.DataFrame):
        return _of_frame(value, notes, where)
    if isinstance(value, dict):
        return _of_columns(value, where)
    if not isinstance(value, (list, tuple)):
        raise AnalysisError(f"{where} is {shown(value)}, not rows. Valid: {FORMS}")
    return _of_list(value, notes, where)


_CUT = "this is an answer of which a part was left out; give the whole result by its handle: {\"result\": \"r_...\"}"


def _is_gap(row):
    """Whether a row says that others were left out of an answer."""
    return isinstance(row, dict) and len(row) == 1 and "$left_out" in row


def _rows_of_ours(value, notes, where):
    """The rows of a table or a series that an earlier result holds, in any form that we answer with."""
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$columns"), list) and isinstance(value.get("$rows"), list):
        names, found = value["$columns"], value["$rows"]
        if any(_is_gap(row) for row in found):
            raise AnalysisError(_CUT)
        odd = next((at for at, row in enumerate(found) if not isinstance(row, list) or len(row) != len(names)), None)
        if odd is not None:
            raise AnalysisError(f"row {odd} of '$rows' has not one value for each of the {len(names)} columns: {shown(found[odd])}")
        names = _told_apart(names, notes, where)
        return [dict(zip(names, row)) for row in found]
    form = next((one for one in _OURS if value.get("$type") == one[0] and isinstance(value.get(one[1]), list)), None)
    if form is None:
        return value
    found = value[form[1]]
    if any(_is_gap(row) for row in found):
        raise AnalysisError(_CUT)
    plain = form[1] == "records" and not {"index", "index_name"} & set(value) and not _has_infinities(value, found)
    if plain or not all(isinstance(row, form[2]) for row in found):
        return found
    return _beside_index(value, len(found), *_columns_of_ours(value, form[1], found, where), notes, where)


# How we answer with a table or a series: under which key its rows are, and what each is.
_OURS = (("dataframe", "records", dict), ("dataframe", "rows", list), ("series", "values", object))


def _columns_of_ours(value, key, found, where):
    """The names, the types and the cells of the columns of a table or a series that we answered with."""
    if key == "values":
        return ["value" if value.get("name") is None else value["name"]], [value.get("dtype")], [found]
    dtypes = value.get("dtypes")
    if key == "records":
        names = list(dict.fromkeys(chain.from_iterable(found)))
        dtypes = dtypes if isinstance(dtypes, dict) else {}
        return names, [dtypes.get(one) for one in names], [[row.get(one) for row in found] for one in names]
    # Columns of one name, which records would not tell apart.
    names = value["columns"] if isinstance(value.get("columns"), list) else []
    odd = next((at for at, row in enumerate(found) if len(row) != len(names)), None)
    if odd is not None:
        raise AnalysisError(f"row {odd} of {where} has {len(found[odd])} values for {len(names)} columns")
    dtypes = dtypes if isinstance(dtypes, list) and len(dtypes) == len(names) else [None] * len(names)
    return names, dtypes, [[row[at] for row in found] for at in range(len(names))]


def _beside_index(value, count, names, dtypes, columns, notes, where):
    """The rows that columns make, behind what the index says."""
    levels = _levels(value.get("index"), count)
    called = value.get("index_name")
    if value.get("index") is None and called is not None:
        levels = [list(range(count))]
    called = called if isinstance(called, list) else [called]
    heads = _index_names(called if len(called) == len(levels) else [None] * len(levels))
    # The columns keep their names if the index is called like one of them.
    named = _told_apart([*names, *heads], notes, where)
    cells = [*levels, *[_with_infinities(one, dtype) for one, dtype in zip(columns, dtypes)]]
    named = named[len(names) :] + named[: len(names)]
    return [dict(zip(named, row)) for row in zip(*cells)]


def _levels(index, count):
    """The columns that an index is: one, or one for each of its levels."""
    if not isinstance(index, list) or len(index) != count or not count:
        return []
    if all(isinstance(one, list) and one and len(one) == len(index[0]) for one in index):
        return list(map(list, zip(*index)))
    return [index]


def _index_names(names):
    """What the levels of an index are called, as pandas calls those without a name."""
    if len(names) == 1:
        return ["index" if names[0] is None else names[0]]
    return [f"level_{at}" if one is None else one for at, one in enumerate(names)]


def _is_float(dtype):
    return isinstance(dtype, str) and dtype.lower().startswith("float")


def _has_infinities(value, records):
    dtypes = value["dtypes"] if isinstance(value.get("dtypes"), dict) else {}
    names = [one for one, dtype in dtypes.items() if _is_float(dtype)]
    return any(isinstance(row, dict) and type(row.get(name)) is str for row in records for name in names)


def _with_infinities(cells, dtype):
    """A column of floats, in which JSON had texts for the infinities."""
    if not _is_float(dtype):
        return cells
    return [_INFINITIES.get(one, one) if type(one) is str else one for one in cells]


_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def _told_apart(names, notes, where):
    """Names of columns as texts, repeated ones as CSV has them: a, a.1, a.2."""
    texts = [".".join(filter(None, map(str, one))) if isinstance(one, (list, tuple)) else str(one) for one in names]
    if len(set(texts)) == len(texts):
        return texts
    made, taken, of_name = [], set(texts), {}
    for text in texts:
        name, number = text, len(of_name.setdefault(text, []))
        while number and name in taken:
            name, number = f"{text}.{number}", number + 1
        taken.add(name)
        made.append(name)
        of_name[text].append(name)
    for text, called in of_name.items():
        if len(called) > 1:
            notes.add(f"{where} has {len(called)} columns called {text!r}; here they are {listed(called)}")
    return made


def _of_frame(frame, notes, where):
    """A frame, with the column types the rest expects; what its index says is columns in front."""
    import pandas

    index, levels = frame.index, []
    numbered = type(index) is pandas.RangeIndex and index.start == 0 and index.step == 1 and index.name is None
    if not numbered:
        levels = [index.get_level_values(at).to_series() for at in range(index.nlevels)]
    heads = _index_names(list(index.names)) if levels else []
    names = _told_apart([*frame.columns, *heads], notes, where)
    columns = [*[frame.iloc[:, at] for at in range(frame.shape[1])], *levels]
    columns = [one.reset_index(drop=True) for one in columns]
    width = frame.shape[1]
    made = {}
    for name, column in zip(names[width:] + names[:width], columns[width:] + columns[:width]):
        kind = str(column.dtype)
        whole = kind in ("Int64", "boolean") and not column.hasnans
        plainer = {"string": "str", "Float64": "float64", **({"Int64": "int64", "boolean": "bool"} if whole else {})}
        if kind in plainer:
            column = column.astype(plainer[kind])
        elif kind in ("UInt64", "uint64"):
            column = analysis_rows.series_of(analysis_rows.cells_of(column))
        elif kind in ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float32"):
            column = column.astype("float64" if kind == "float32" else "int64")
        elif column.dtype.kind == "O" and kind not in ("str", "Int64"):
            column = analysis_rows.series_of([analysis_rows.plain(one) for one in column.tolist()])
        made[name] = column
    return Table(type(frame)(made, index=range(len(frame))))


def _of_list(found, notes, where):
    if any(_is_gap(row) for row in found[:50]):
        raise AnalysisError(_CUT)
    kinds = set(map(type, found))
    if kinds and not all(issubclass(one, dict) for one in kinds):
        if any(issubclass(one, (dict, list, tuple)) for one in kinds):
            at = next(at for at, one in enumerate(found) if not isinstance(one, dict))
            raise AnalysisError(f"every row of {where} must be an object, but row {at} is {kind(found[at])}")
        notes.add("the rows are plain values; their column is called 'value'")
        found = [{"value": one} for one in found]
    made = Table(records=found if type(found) is list else list(found))
    if len(made.names) > _MOST_COLUMNS:
        most = f"at most {_MOST_COLUMNS} are taken. Are the keys values?"
        raise AnalysisError(f"the rows of {where} have {len(made.names)} different fields; {most}")
    if not all(type(one) is str for one in made.names):
        made = Table(records=[_with_text_keys(one, where) for one in found])
    return made


def _with_text_keys(row, where):
    made = {one if isinstance(one, str) else str(one): value for one, value in row.items()}
    if len(made) != len(row):
        raise AnalysisError(f"a row of {where} has two keys that are the same as text: {listed(list(row))}")
    return made


def _of_columns(columns, where):
    import pandas

    names = [str(one) for one in columns]
    if len(set(names)) != len(names):
        raise AnalysisError(f"{where} has two columns that are the same as text: {listed(names)}")
    made = {name: analysis_rows.series_of(list(cells)) for name, cells in zip(names, columns.values())}
    return Table(pandas.DataFrame(made, index=range(len(next(iter(made.values()), ())))))


def _followed(value, path, where):
    """What stands under a dotted path."""
    for part in [path] if isinstance(value, dict) and path in value else path.split("."):
        if isinstance(value, str):
            value = parsed(value, where)
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
            continue
        if not isinstance(value, dict):
            looked = f"{shown(part)} was looked for in {_what(value)}"
            raise AnalysisError(f"{where} has no {shown(path)}: {looked}; leave out 'data_field'")
        if part not in value:
            raise AnalysisError(f"{where} has no {shown(path)}.{nearest(part, value)} There is: {listed(list(value))}")
        value = value[part]
    if isinstance(value, dict) and "$type" not in value and "$columns" not in value and not _are_columns(value):
        raise AnalysisError(f"{shown(path)} of {where} is an object, not a list. It has: {listed(list(value))}")
    return value


def _what(value):
    """What kind of thing it is and its columns, but nothing of its rows."""
    if hasattr(value, "columns"):
        return f"a table of {rows(len(value))} with the columns {listed(list(value.columns))}"
    if isinstance(value, (list, tuple)) and value and all(isinstance(row, dict) for row in value):
        return f"a list of {rows(len(value))} with the fields {listed(list(dict.fromkeys(chain.from_iterable(value))))}"
    return shown(value) if isinstance(value, (list, tuple)) else "null" if value is None else f"a {kind(value)}"


def _are_columns(value):
    """Whether an object is a table given by its columns."""
    lengths = {len(one) if isinstance(one, (list, tuple)) else -1 for one in value.values()}
    if len(lengths) != 1 or lengths == {-1}:
        return False
    return not any(isinstance(cell, dict) for one in value.values() for cell in one[:1])


def _only_list(value, notes, where):
    """The one list that an object holds; the object itself if it is columns."""
    if not value:
        return []
    if isinstance(value.get("columns"), list) and len(value) <= 4:
        body = value.get("rows", value.get("data"))
        if isinstance(body, list) and body and all(isinstance(one, (list, tuple)) for one in body):
            return _headed(value["columns"], body, notes, where)
    if _are_columns(value):
        return value
    level = [("", value)]
    for _ in range(_MAX_DEPTH):
        below = [(path, _rows_of_ours(one, notes, where)) for path, one in _below(level)]
        lists = [(path, one) for path, one in below if isinstance(one, (list, tuple))]
        records = [pair for pair in lists if pair[1] and all(isinstance(row, dict) for row in pair[1][:10])]
        if len(records) == 1 and len(lists) > 1:
            notes.add(f"{where} has several lists; {records[0][0]!r} is the only one of records")
        if len(records) == 1 or len(lists) == 1:
            return (records or lists)[0][1]
        if lists:
            names = [f"{path} ({rows(len(one))})" for path, one in lists]
            raise AnalysisError(f"{where} has several lists; say which with 'data_field': {listed(names)}")
        level = [pair for pair in below if isinstance(pair[1], dict)]
    raise AnalysisError(f"{where} is an object without a list. It has: {listed(list(value))}. Valid: {FORMS}")


def _below(level):
    return [(f"{path}.{key}" if path else str(key), one) for path, value in level for key, one in value.items()]


def _headed(names, body, notes, where):
    """Rows given as lists, below the names of their columns."""
    names = [one.get("name") if isinstance(one, dict) else one for one in names]
    wrong = next((at for at, one in enumerate(body) if len(one) != len(names)), None)
    if wrong is not None:
        raise AnalysisError(f"row {wrong} of {where} has {len(body[wrong])} values for {len(names)} columns")
    names = _told_apart(names, notes, where)
    return [dict(zip(names, row)) for row in body]
