"""numpy and pandas values as JSON: nested lists for arrays, records for frames.

Used by `values` and split from it because it is a subject of its own: columns, dtypes,
indexes, missing cells. The libraries are passed in, never imported. Inside a table a
missing cell (NaN, NaT, NA, None) is null; an infinity stays visible as a string.
"""

# Nanoseconds in the units that have a fixed length; months and years have none.
_NANOS = {
    "W": 604_800_000_000_000,
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
# More cells than these cannot show in a preview.
_CUT_CELLS = 600
_WHOLE = {bool, int, type(None)}


def plain(walk, library, name, value, kind, depth):
    """Returns `(found, plain)` for a value of `library`, which is numpy or pandas."""
    return (_numpy if name == "numpy" else _pandas)(walk, library, value, kind, depth)


def duration(nanos):
    """Nanoseconds as an ISO 8601 duration."""
    sign = "-" if nanos < 0 else ""
    seconds, nanos = divmod(abs(nanos), 1_000_000_000)
    days, seconds = divmod(seconds, 86400)
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    clock = f"{hours}H" if hours else ""
    clock += f"{minutes}M" if minutes else ""
    if seconds or nanos or not (days or clock):
        clock += f"{seconds}" + (f".{nanos:09}".rstrip("0") if nanos else "") + "S"
    return f"{sign}P" + (f"{days}D" if days else "") + (f"T{clock}" if clock else "")


# --- numpy -----------------------------------------------------------------------


def _numpy(walk, numpy, value, kind, depth):
    if issubclass(kind, numpy.ndarray):
        if depth + value.ndim > walk.max_depth:
            return False, None
        if value is getattr(numpy.ma, "masked", None):
            return True, None
        return True, _array(walk, numpy, value, depth)
    if issubclass(kind, numpy.generic):
        if kind is numpy.void and value.dtype.names is None:
            return True, walk.plain(value.tobytes(), depth)
        flat = _flat(walk, numpy, numpy.asarray(value).reshape(-1), depth, False)
        return True, flat[0]
    if kind is numpy.dtype or issubclass(kind, numpy.dtype):
        return True, str(value)
    return False, None


def _array(walk, numpy, array, depth):
    # A matrix stays two-dimensional whatever is done to it; its plain array does not.
    if isinstance(array, numpy.matrix):
        array = numpy.asarray(array)
    if walk.cut:
        array = array[_corner(array.shape)]
    walk.take(array.size * 2)
    return _nest(_flat(walk, numpy, array.reshape(-1), depth + array.ndim, False), array.shape)


def _corner(shape):
    """As much of an array as can show at the start of its text."""
    keep = _CUT_CELLS
    slices = []
    for length in reversed(shape):
        taken = min(length, keep)
        slices.append(slice(taken))
        keep = max(1, keep // max(taken, 1))
    return tuple(reversed(slices))


def _flat(walk, numpy, array, depth, cell):
    """The elements of a one-dimensional array as plain values."""
    kind = array.dtype.kind
    masked = isinstance(array, numpy.ma.MaskedArray)
    if kind in "biuU" and not masked:
        return array.tolist()
    if kind == "f" and not masked:
        if array.dtype.itemsize > 8:
            array = array.astype(numpy.float64)
        if numpy.isfinite(array).all():
            return array.tolist()
        return [walk.plain(one, depth, cell) for one in array.tolist()]
    if kind == "M" and not masked:
        return [None if one == "NaT" else _short(one) for one in numpy.datetime_as_string(array).tolist()]
    if kind == "m" and not masked:
        return _durations(numpy, array)
    if kind == "V" and array.dtype.names is not None:
        names = array.dtype.names
        columns = [_column(walk, numpy, array[name], depth + 1) for name in names]
        return [dict(zip(names, row)) for row in zip(*columns)]
    if kind == "c" and array.dtype.itemsize > 16:
        array = array.astype(numpy.complex128)
    return [walk.plain(one, depth, cell) for one in array.tolist()]


def _column(walk, numpy, array, depth):
    """One field of a structured array; a field may itself have dimensions."""
    flat = _flat(walk, numpy, array.reshape(-1), depth + array.ndim, True)
    return _nest(flat, array.shape)


def _nest(flat, shape):
    if not shape:
        return flat[0]
    for length in reversed(shape[1:]):
        if length == 0:
            return _empty(shape)
        flat = [flat[start : start + length] for start in range(0, len(flat), length)]
    return flat


def _empty(shape):
    return [_empty(shape[1:]) for _ in range(shape[0])] if shape else None


def _short(text):
    """Without the zeros that only say how fine the clock was."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _durations(numpy, array):
    unit, count = numpy.datetime_data(array.dtype)
    factor = _NANOS.get(unit)
    if factor is None:
        return [None if numpy.isnat(one) else str(one) for one in array]
    missing = numpy.isnat(array).tolist()
    ticks = array.astype(numpy.int64).tolist()
    return [None if gone else duration(tick * count * factor) for tick, gone in zip(ticks, missing)]


# --- pandas ----------------------------------------------------------------------


def _pandas(walk, pandas, value, kind, depth):
    if value is pandas.NA or value is pandas.NaT:
        return True, None
    if issubclass(kind, pandas.DataFrame):
        return True, _frame(walk, pandas, value, depth)
    if issubclass(kind, pandas.Series):
        return True, _series(walk, pandas, value, depth)
    if issubclass(kind, pandas.Index):
        return True, _labels(walk, pandas, value, depth)
    if issubclass(kind, pandas.api.extensions.ExtensionArray):
        return True, _cells(walk, pandas.Series(value), depth)
    if issubclass(kind, pandas.Period):
        return True, str(value)
    if issubclass(kind, pandas.Interval):
        left = walk.plain(value.left, depth + 1)
        right = walk.plain(value.right, depth + 1)
        return True, {"$type": "interval", "left": left, "right": right, "closed": value.closed}
    if issubclass(kind, pandas.api.extensions.ExtensionDtype):
        return True, str(value)
    return False, None


def _frame(walk, pandas, frame, depth):
    count, width = frame.shape
    shown = frame.iloc[:_CUT_CELLS, :_CUT_CELLS] if walk.cut else frame
    walk.take(shown.size * 2)
    labels = list(shown.columns)
    names = [_column_name(walk, label) for label in labels]
    dtypes = [str(dtype) for dtype in shown.dtypes]
    columns = [_cells(walk, shown.iloc[:, at], depth + 2) for at in range(len(labels))]
    rows = zip(*columns) if columns else [()] * len(shown)
    made = {"$type": "dataframe", "shape": [count, width]}
    if len(set(names)) == len(names):
        # A label that JSON has is shown as it is; a record's key is always text.
        scalars = not any(type(label) is tuple for label in labels)
        made["columns"] = walk.rows(labels, depth + 1) if scalars else names
        made["dtypes"] = dict(zip(names, dtypes))
        made |= _index(walk, pandas, shown.index, depth + 1)
        made["records"] = [dict(zip(names, row)) for row in rows]
    else:
        made["columns"] = walk.rows(labels, depth + 1)
        made["dtypes"] = dtypes
        made |= _index(walk, pandas, shown.index, depth + 1)
        made["rows"] = [list(row) for row in rows]
    return made


def _column_name(walk, label):
    """The key of a column in a record; levels of a MultiIndex are joined."""
    if type(label) is tuple:
        return ".".join(part for part in map(walk.key, label) if part)
    return walk.key(label)


def _series(walk, pandas, series, depth):
    shown = series.iloc[:_CUT_CELLS] if walk.cut else series
    walk.take(len(shown) * 2)
    made = {
        "$type": "series",
        "name": walk.plain(series.name, depth + 1),
        "dtype": str(series.dtype),
        "shape": [len(series)],
    }
    made |= _index(walk, pandas, shown.index, depth + 1)
    made["values"] = _cells(walk, shown, depth + 1)
    return made


def _index(walk, pandas, index, depth):
    """The entries that say how the rows are called; none if they are only numbered."""
    made = {}
    names = list(index.names)
    if any(name is not None for name in names):
        names = walk.rows(names, depth)
        made["index_name"] = names if len(names) > 1 else names[0]
    numbered = type(index) is pandas.RangeIndex and index.start == 0 and index.step == 1
    if not numbered:
        made["index"] = _labels(walk, pandas, index, depth)
    return made


def _labels(walk, pandas, index, depth):
    if walk.cut:
        index = index[:_CUT_CELLS]
    walk.take(len(index) * 2)
    if issubclass(type(index), pandas.MultiIndex):
        return [walk.rows(label, depth + 1, True) for label in index]
    return _cells(walk, index.to_series(), depth)


def _cells(walk, series, depth):
    """A column as a list of plain values."""
    cells = series.tolist()
    missing = series.isna()
    if missing.any():
        cells = [None if gone else cell for cell, gone in zip(cells, missing.tolist())]
    # Whole columns of numbers are left to the C encoder, infinities apart.
    kind = getattr(series.dtype, "kind", "O")
    # A sparse column says it holds integers too, and hands out numpy's.
    if kind in "biu" and set(map(type, cells)) <= _WHOLE:
        return cells
    return [walk.plain(cell, depth, True) for cell in cells]
