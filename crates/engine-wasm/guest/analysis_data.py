"""Where the rows of an analysis come from: the request, a file, a kept result, a tool.

A tool is called here, inside the sandbox, so its rows never pass through the model. What
comes back from any of them is looked at in the same way: a list of records, an object that
has one, columns, or text.
"""

import io
import json
import os

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
_MAX_DEPTH = 6
_MOST_COLUMNS = 10_000


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
        raise AnalysisError(f"there is no result {shown(handle)}.{nearest(handle, known)} Kept: {listed(known)}") from None


# --- text ---------------------------------------------------------------------------------


def parsed(text, where="data"):
    """Text as the value or frame it is: JSON, one JSON value a line, or CSV."""
    start = text.lstrip("\ufeff \t\r\n")
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
    first = text.lstrip("\r\n").partition("\n")[0]
    if separator is None:
        separator = max(",;\t|", key=first.count)
        if not first.count(separator) and not text.strip().count("\n"):
            raise AnalysisError(f"{where} is text, but neither JSON nor CSV with a header line: {shown(text)}. Valid: {FORMS}")
    try:
        frame = pandas.read_csv(io.StringIO(text), sep=separator, dtype_backend="numpy_nullable", skipinitialspace=True)
    except (ValueError, OverflowError) as error:
        raise AnalysisError(f"{where} is no CSV that can be read: {str(error)[:200]}") from None
    return frame


# --- values -------------------------------------------------------------------------------


def table(value, notes, field=None, where="data"):
    """The rows in a value, as a table."""
    import pandas

    if isinstance(value, str):
        value = parsed(value, where)
    if field is not None:
        value = _rows_of_ours(_followed(value, field, where))
    elif isinstance(value, dict):
        value = _rows_of_ours(value)
        value = _only_list(value, notes, where) if isinstance(value, dict) else value
    if isinstance(value, str):
        value = parsed(value, where)
    if isinstance(value, pandas.DataFrame):
        return _of_frame(value)
    if isinstance(value, dict):
        return _of_columns(value, where)
    if not isinstance(value, (list, tuple)):
        raise AnalysisError(f"{where} is {shown(value)}, not rows. Valid: {FORMS}")
    return _of_list(value, notes, where)


_CUT = "this is an answer of which a part was left out; give the whole result by its handle: {\"result\": \"r_...\"}"


def _is_gap(row):
    """Whether a row says that others were left out of an answer."""
    return isinstance(row, dict) and list(row) == ["$left_out"]


def _rows_of_ours(value):
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
        return [dict(zip(names, row)) for row in found]
    form = value.get("$type")
    index = value.get("index") if isinstance(value.get("index"), list) else None
    if form == "dataframe" and isinstance(value.get("records"), list):
        found = value["records"]
        name = value.get("index_name") if isinstance(value.get("index_name"), str) else "index"
        if index is not None and len(index) == len(found) and all(name not in row for row in found[:1]):
            return [{name: at, **row} for at, row in zip(index, found)]
        return found
    if form == "series" and isinstance(value.get("values"), list):
        name = value.get("name") if isinstance(value.get("name"), str) else "value"
        if index is not None and len(index) == len(value["values"]):
            return [{"index": at, name: one} for at, one in zip(index, value["values"])]
        return [{name: one} for one in value["values"]]
    return value


def _of_frame(frame):
    """A frame of a file, with the column types the rest expects."""
    made = {}
    for name in frame.columns:
        column = frame[name].reset_index(drop=True)
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
        made[str(name)] = column
    return Table(type(frame)(made, index=range(len(frame))))


def _of_list(found, notes, where):
    if any(_is_gap(row) for row in found[:50]):
        raise AnalysisError(_CUT)
    kinds = set(map(type, found))
    if kinds and not all(issubclass(one, dict) for one in kinds):
        if any(issubclass(one, (dict, list, tuple)) for one in kinds):
            at = next(at for at, one in enumerate(found) if not isinstance(one, dict))
            raise AnalysisError(f"every row of {where} must be an object, but row {at} is {kind(found[at])}: {shown(found[at])}")
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
            looked = f"{shown(part)} was looked for in {shown(value)}"
            raise AnalysisError(f"{where} has no {shown(path)}: {looked}; leave out 'data_field'")
        if part not in value:
            raise AnalysisError(f"{where} has no {shown(path)}.{nearest(part, value)} There is: {listed(list(value))}")
        value = value[part]
    if isinstance(value, dict) and "$type" not in value and "$columns" not in value and not _are_columns(value):
        raise AnalysisError(f"{shown(path)} of {where} is an object, not a list. It has: {listed(list(value))}")
    return value


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
            return _headed(value["columns"], body, where)
    if _are_columns(value):
        return value
    level = [("", value)]
    for _ in range(_MAX_DEPTH):
        lists = [(path, one) for path, one in _below(level) if isinstance(one, (list, tuple))]
        records = [pair for pair in lists if pair[1] and all(isinstance(row, dict) for row in pair[1][:10])]
        if len(records) == 1 and len(lists) > 1:
            notes.add(f"{where} has several lists; {records[0][0]!r} is the only one of records")
        if len(records) == 1 or len(lists) == 1:
            return (records or lists)[0][1]
        if lists:
            names = [f"{path} ({rows(len(one))})" for path, one in lists]
            raise AnalysisError(f"{where} has several lists; say which with 'data_field': {listed(names)}")
        level = [pair for pair in _below(level) if isinstance(pair[1], dict)]
    raise AnalysisError(f"{where} is an object without a list. It has: {listed(list(value))}. Valid: {FORMS}")


def _below(level):
    return [(f"{path}.{key}" if path else str(key), one) for path, value in level for key, one in value.items()]


def _headed(names, body, where):
    """Rows given as lists, below the names of their columns."""
    names = [one.get("name") if isinstance(one, dict) else one for one in names]
    wrong = next((at for at, one in enumerate(body) if len(one) != len(names)), None)
    if wrong is not None:
        raise AnalysisError(f"row {wrong} of {where} has {len(body[wrong])} values for {len(names)} columns")
    return [dict(zip(names, row)) for row in body]
