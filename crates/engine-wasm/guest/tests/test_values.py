"""What leaves a program as JSON."""

import array
import base64
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import json
import pathlib
import random
import sqlite3
import sys
import types
import typing
import unittest
import uuid

from . import GUEST  # noqa: F401  (names the package)
from _tidegate import values

try:
    import numpy as np
    import pandas as pd
except ImportError:
    np = pd = None


def through(value, limit=None):
    """The one place that knows how `encode` is called: what the host would read."""
    text, too_large = values.encode(value, limit)
    text.encode("utf-8")
    assert too_large is False
    return json.loads(text)


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Order:
    id: int
    when: dt.date
    lines: list = dataclasses.field(default_factory=list)
    kind: typing.ClassVar[str] = "order"
    unset: int = dataclasses.field(init=False)


class Plain(unittest.TestCase):
    def test_json_values_cross_as_themselves(self):
        for value in (None, True, False, 0, -1, 2**70, 1.5, -0.0, 1e308, 5e-324, "", "é\u2028\x00", [], {}, [[]], {"a": {}}):
            self.assertEqual(repr(through(value)), repr(value))

    def test_any_json_value_survives(self):
        rng = random.Random(7)
        for _ in range(3000):
            value = json.loads(json.dumps(_random_json(rng, rng.randint(0, 6))))
            self.assertEqual(json.dumps(through(value)), json.dumps(value))
            # The slow way gives the same.
            self.assertEqual(json.dumps(values._Walk().plain(value, 0)), json.dumps(value))

    def test_depth_of_64_survives(self):
        value = 1
        for at in range(64):
            value = [value] if at % 2 else {"k": value}
        self.assertEqual(through(value), value)

    def test_big_integers_stay_exact_and_huge_ones_are_described(self):
        big = 10**3999 + 7
        self.assertEqual(through(big), big)
        self.assertEqual(through([big, float("nan")]), [big, "NaN"])
        self.assertEqual(through({"a": 10**5000}), {"a": {"$type": "int", "repr": "<an integer of about 5001 digits>"}})
        self.assertEqual(through(-(1 << 100000))["$type"], "int")

    def test_huge_integers_are_described_even_if_the_program_allows_them(self):
        before = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)
        try:
            self.assertEqual(through([10**5000])[0]["$type"], "int")
        finally:
            sys.set_int_max_str_digits(before)

    def test_non_finite_floats_are_named(self):
        nan, inf = float("nan"), float("inf")
        self.assertEqual(through(nan), "NaN")
        self.assertEqual(through({"a": [inf, -inf, 1.0]}), {"a": ["Infinity", "-Infinity", 1.0]})

    def test_lone_surrogates_are_escaped(self):
        text, _ = values.encode({"é\ud800": "\udfff"})
        self.assertEqual(text, '{"é\\ud800":"\\udfff"}')
        self.assertEqual(json.loads(text), {"é\ud800": "\udfff"})


def _random_json(rng, depth):
    kind = rng.randint(0, 9 if depth else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randint(-(10 ** rng.randint(1, 40)), 10 ** rng.randint(1, 40))
    if kind in (2, 3):
        return rng.choice([rng.random(), rng.uniform(-1e307, 1e307), 1e308, -0.0, 5e-324, 1e22, 1e-7])
    if kind <= 6:
        return "".join(chr(rng.choice([rng.randint(0, 127), rng.randint(128, 0xD7FF), rng.randint(0xE000, 0x10FFFF)])) for _ in range(rng.randint(0, 8)))
    if kind == 7:
        return {_random_json(random.Random(rng.random()), 0).__repr__(): _random_json(rng, depth - 1) for _ in range(rng.randint(0, 4))}
    return [_random_json(rng, depth - 1) for _ in range(rng.randint(0, 4))]


class Standard(unittest.TestCase):
    def test_times_are_iso_8601(self):
        zone = dt.timezone(dt.timedelta(hours=2))
        self.assertEqual(through(dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=zone)), "2024-01-02T03:04:05+02:00")
        self.assertEqual(through([dt.date(2024, 1, 2), dt.time(3, 4)]), ["2024-01-02", "03:04:00"])

    def test_durations_are_iso_8601(self):
        for value, text in (
            (dt.timedelta(), "PT0S"),
            (dt.timedelta(days=1), "P1D"),
            (dt.timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=500000), "P1DT2H3M4.5S"),
            (dt.timedelta(minutes=-90), "-PT1H30M"),
            (dt.timedelta(microseconds=1), "PT0.000001S"),
        ):
            self.assertEqual(through(value), text)

    def test_numbers_json_lacks(self):
        self.assertEqual(through(decimal.Decimal("1.10")), "1.10")
        self.assertEqual(through(decimal.Decimal("sNaN")), "sNaN")
        self.assertEqual(through(fractions.Fraction(1, 3)), "1/3")
        self.assertEqual(through(complex(1, float("inf"))), {"$type": "complex", "real": 1.0, "imag": "Infinity"})

    def test_text_like_values(self):
        some = uuid.UUID(int=5)
        self.assertEqual(through([some, pathlib.PurePosixPath("/a/b"), pathlib.Path("x")]), [str(some), "/a/b", "x"])

    def test_bytes(self):
        for value in (b"\x00hi", bytearray(b"\x00hi"), memoryview(b"\x00hi")):
            self.assertEqual(through(value), {"$type": "bytes", "base64": base64.b64encode(b"\x00hi").decode()})

    def test_enums_are_their_values(self):
        self.assertEqual(through([Colour.RED, Level.HIGH]), ["red", 3])
        self.assertEqual(through({Colour.RED: 1, Level.HIGH: 2}), {"red": 1, "3": 2})

    def test_sets_have_an_order(self):
        self.assertEqual(through({3, 1, 2}), [1, 2, 3])
        self.assertEqual(through(frozenset({"b", 1, "a"})), [1, "a", "b"])
        self.assertEqual(through({frozenset({1}), frozenset({2})}), [[1], [2]])

    def test_sequences_are_lists(self):
        one = {"a": 1}
        for value in ((1, 2), collections.deque([1, 2]), range(1, 3), {1: 0, 2: 0}.keys(), collections.UserList([1, 2]), array.array("i", [1, 2])):
            self.assertEqual(through(value), [1, 2])
        self.assertEqual(through([one.values(), one.items()]), [[1], [["a", 1]]])

    def test_named_fields_are_objects(self):
        self.assertEqual(through([Point(1, 2)]), [{"x": 1, "y": 2}])
        order = Order(1, dt.date(2024, 1, 2), [Point(0, 0)])
        self.assertEqual(through(order), {"id": 1, "when": "2024-01-02", "lines": [{"x": 0, "y": 0}]})
        self.assertEqual(through(types.SimpleNamespace(a=1)), {"a": 1})
        row = sqlite3.connect(":memory:")
        row.row_factory = sqlite3.Row
        self.assertEqual(through(row.execute("select 1 as a, 'x' as b").fetchone()), {"a": 1, "b": "x"})

    def test_models_are_objects(self):
        class Model:
            def model_dump(self):
                return {"when": dt.date(2024, 1, 1)}

        class Old:
            __fields__ = {"a": None}

            def dict(self):
                return {"a": 1}

        class Attrs:
            __attrs_attrs__ = (types.SimpleNamespace(name="a"),)
            a = 5

        self.assertEqual(through([Model(), Old(), Attrs()]), [{"when": "2024-01-01"}, {"a": 1}, {"a": 5}])

    def test_kinds_of_mapping(self):
        ordered = collections.OrderedDict(a=1, b=2)
        ordered.move_to_end("a")
        self.assertEqual(list(through(ordered)), ["b", "a"])
        for value in (collections.Counter("aab"), collections.ChainMap({"a": 2, "b": 1}), types.MappingProxyType({"a": 2, "b": 1})):
            self.assertEqual(through(value), {"a": 2, "b": 1})

    def test_subclasses_of_plain_types(self):
        class Text(str):
            def __str__(self):
                return "lie"

        class Number(int):
            def __repr__(self):
                return "lie"

        self.assertEqual(through([Text("a"), Number(5), {Text("k"): Number(1)}]), ["a", 5, {"k": 1}])


class Keys(unittest.TestCase):
    def test_keys_become_text_as_in_json(self):
        self.assertEqual(through({1: "a", 2: "b"}), {"1": "a", "2": "b"})
        self.assertEqual(through({None: 1, True: 2, 2.5: 3, "x": 4}), {"null": 1, "true": 2, "2.5": 3, "x": 4})
        self.assertEqual(through({(1, "a"): 1, dt.date(2024, 1, 2): 2, b"x": 3}), {"(1, 'a')": 1, "2024-01-02": 2, "b'x'": 3})

    def test_keys_that_would_become_equal_lose_nothing(self):
        self.assertEqual(through({1: "a", "1": "b", 2: "c"}), {"$type": "dict", "items": [[1, "a"], ["1", "b"], [2, "c"]]})

    def test_nested_collisions_stay_within_the_depth(self):
        value = 1
        for _ in range(90):
            value = {1: value, "1": 0}
        self.assertLess(_depth(through(value)), 110)

    def test_a_type_key_of_the_program_passes(self):
        self.assertEqual(through({"$type": "mine", "x": 1}), {"$type": "mine", "x": 1})


def _depth(value):
    deepest, level = 0, [value]
    while level:
        deepest += 1
        level = [one for group in level for one in (group.values() if isinstance(group, dict) else group if isinstance(group, list) else ())]
    return deepest


class Described(unittest.TestCase):
    def test_what_cannot_cross_is_described(self):
        async def job():
            pass

        pending = job()
        for value, name in ((object(), "object"), (len, "builtin_function_or_method"), (json, "module"), (int, "type"), (pending, "coroutine"), (ValueError("x"), "ValueError"), (json.JSONDecoder(), "json.decoder.JSONDecoder")):
            made = through({"a": [value]})["a"][0]
            self.assertEqual(made["$type"], name)
            self.assertEqual(made["repr"], repr(value)[:200])
        pending.close()

    def test_generators_are_not_consumed(self):
        numbers = (n for n in range(3))
        self.assertEqual(through(numbers)["$type"], "generator")
        self.assertEqual(through([map(str, [])])[0]["$type"], "map")
        self.assertEqual(list(numbers), [0, 1, 2])

    def test_cycles_are_described(self):
        loop = [1]
        loop.append(loop)
        made = through(loop)
        self.assertEqual(made[0], 1)
        self.assertEqual(made[1]["$type"], "list")
        knot = {}
        knot["self"] = {"again": knot}
        self.assertEqual(through(knot)["self"]["again"]["$type"], "dict")

    def test_the_same_object_twice_is_no_cycle(self):
        shared = {1, 2}
        self.assertEqual(through([shared, shared]), [[1, 2], [1, 2]])

    def test_too_deep_is_described_at_the_depth(self):
        for levels, fits in ((100, True), (101, False), (100_000, False)):
            value = "x"
            for _ in range(levels):
                value = [value]
            made = through(value)
            self.assertLessEqual(_depth(made), 103)
            while isinstance(made, list):
                made = made[0]
            self.assertEqual(made == "x", fits)

    def test_hostile_objects_never_raise(self):
        class BadRepr:
            def __repr__(self):
                raise SystemExit(1)

        class Liar:
            __class__ = property(lambda self: dict)

        class BadClass:
            @property
            def __class__(self):
                raise KeyboardInterrupt

        class BadMap(dict):
            def items(self):
                raise ValueError

        class BadModel:
            def model_dump(self):
                raise KeyboardInterrupt

        class SelfModel:
            def model_dump(self):
                return self

        class NewModel:
            def model_dump(self):
                return NewModel()

        class BadGetattr:
            def __getattribute__(self, name):
                raise RuntimeError(name)

        class Meta(type):
            def __getattribute__(cls, name):
                raise RuntimeError(name)

        class BadMeta(metaclass=Meta):
            pass

        class BadDate(dt.date):
            def isoformat(self):
                return 5

        class BadHash:
            def __hash__(self):
                return 1

            def __eq__(self, other):
                raise ValueError

            def __lt__(self, other):
                raise SystemExit

        class BadReprType:
            def __repr__(self):
                return type("S", (str,), {"__getitem__": lambda s, i: 1 / 0})("x")

        for make in (BadRepr, Liar, BadClass, BadModel, SelfModel, NewModel, BadGetattr, BadMeta, BadReprType):
            made = through([make()])[0]
            while "$type" not in made:
                self.fail(made)
        self.assertEqual(through([BadRepr()])[0]["repr"], "<unprintable>")
        self.assertEqual(through(BadMap(a=1)), {"a": 1})
        self.assertIn("$type", through(BadDate(2024, 1, 1)))
        through({BadHash()})
        through({BadRepr(): 1})

    def test_repr_is_cut(self):
        class Long:
            def __repr__(self):
                return "x" * 1000

        self.assertEqual(len(through(Long())["repr"]), 200)


class Limits(unittest.TestCase):
    def test_too_large_says_so_and_shows_the_start(self):
        text, too_large = values.encode(["é" * 10] * 1000, 5000)
        note = json.loads(text)
        self.assertTrue(too_large)
        self.assertEqual((note["$type"], note["limit"]), ("too_large", 5000))
        self.assertEqual(note["bytes"], len(json.dumps(["é" * 10] * 1000, ensure_ascii=False, separators=(",", ":")).encode()))
        self.assertTrue(note["preview"].startswith('["éé'))
        self.assertEqual(len(note["preview"]), 500)

    def test_exactly_the_limit_fits(self):
        self.assertEqual(values.encode("abc", 5), ('"abc"', False))
        self.assertTrue(values.encode("abc", 4)[1])

    def test_a_bomb_of_shared_lists_ends_quickly(self):
        bomb = ["x"]
        for _ in range(90):
            bomb = [bomb, bomb]
        text, too_large = values.encode(bomb, 1_000_000)
        self.assertTrue(too_large)
        text, too_large = values.encode({"s": {1}, "b": bomb}, 1_000_000)
        self.assertTrue(too_large)
        self.assertIn("$type", text)

    def test_endless_ranges_end_quickly(self):
        self.assertTrue(values.encode(range(10**9), 1000)[1])
        self.assertEqual(through(range(10**30), 1000)["$type"], "range")

    def test_large_values_of_every_kind_have_a_preview(self):
        for value in (set(range(5000)), {n: dt.date.min for n in range(5000)}, b"x" * 9000, "\ud800" * 9000):
            text, too_large = values.encode(value, 2000)
            self.assertTrue(too_large)
            self.assertTrue(json.loads(text)["preview"], value)


@unittest.skipIf(np is None, "needs numpy and pandas")
class Arrays(unittest.TestCase):
    def test_scalars_are_python_values(self):
        self.assertEqual(through([np.int64(3), np.float32(0.5), np.bool_(True), np.str_("a"), np.float64("nan"), np.uint64(2**64 - 1)]), [3, 0.5, True, "a", "NaN", 2**64 - 1])
        self.assertEqual(through(np.longdouble("0.5")), 0.5)
        self.assertEqual(through({np.int64(1): 2}), {"1": 2})
        self.assertEqual(through(np.datetime64("2024-01-02T03:04:05.500000000")), "2024-01-02T03:04:05.5")
        self.assertEqual(through([np.datetime64("2024-01-02"), np.datetime64("NaT")]), ["2024-01-02", None])
        self.assertEqual(through([np.timedelta64(90, "m"), np.timedelta64(1, "ns"), np.timedelta64("NaT", "s")]), ["PT1H30M", "PT0.000000001S", None])
        self.assertEqual(through(np.complex64(1 + 2j)), {"$type": "complex", "real": 1.0, "imag": 2.0})
        self.assertEqual(through(np.dtype("int32")), "int32")

    def test_arrays_are_nested_lists(self):
        self.assertEqual(through(np.arange(6).reshape(2, 3)), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(through(np.array(5)), 5)
        self.assertEqual(through(np.array([1.0, np.nan, np.inf])), [1.0, "NaN", "Infinity"])
        self.assertEqual(through(np.array([[True], [False]])), [[True], [False]])
        self.assertEqual(through(np.array(["a", "b"])), ["a", "b"])
        self.assertEqual(through(np.array([1, None, {2}, np.nan, dt.date(2024, 1, 1)], dtype=object)), [1, None, [2], "NaN", "2024-01-01"])
        self.assertEqual(through(np.array(["2024-01-01", "NaT"], dtype="M8[ns]")), ["2024-01-01T00:00:00", None])
        self.assertEqual(through(np.zeros((2, 0))), [[], []])
        self.assertEqual(through(np.zeros((0, 2))), [])
        self.assertEqual(through(np.zeros((2, 0, 3))), [[], []])
        self.assertEqual(through(np.zeros((1,) * 20)), np.zeros((1,) * 20).tolist())

    def test_masked_cells_are_null(self):
        self.assertEqual(through(np.ma.array([1, 2, 3], mask=[0, 1, 0])), [1, None, 3])
        self.assertEqual(through(np.ma.masked), None)

    def test_structured_arrays_are_objects(self):
        table = np.array([(1, "a", [1.0, 2.0])], dtype=[("n", "i4"), ("s", "U3"), ("v", "f8", 2)])
        self.assertEqual(through(table), [{"n": 1, "s": "a", "v": [1.0, 2.0]}])
        self.assertEqual(through(table[0]), {"n": 1, "s": "a", "v": [1.0, 2.0]})
        self.assertEqual(through(table.view(np.recarray)), [{"n": 1, "s": "a", "v": [1.0, 2.0]}])

    def test_large_arrays_are_refused_before_they_are_built(self):
        text, too_large = values.encode(np.zeros((3000, 3000)), 10_000)
        self.assertTrue(too_large)
        self.assertTrue(json.loads(text)["preview"].startswith("[[0.0,0.0,"))


@unittest.skipIf(pd is None, "needs numpy and pandas")
class Frames(unittest.TestCase):
    def test_a_frame_is_records_with_columns_dtypes_and_shape(self):
        frame = pd.DataFrame({"n": [1, 2], "f": [0.5, None], "s": ["a", None], "t": pd.to_datetime(["2024-01-01", None])})
        made = through(frame)
        self.assertEqual(made["$type"], "dataframe")
        self.assertEqual(made["shape"], [2, 4])
        self.assertEqual(made["columns"], ["n", "f", "s", "t"])
        self.assertEqual(made["dtypes"]["n"], "int64")
        self.assertEqual(made["records"], [{"n": 1, "f": 0.5, "s": "a", "t": "2024-01-01T00:00:00"}, {"n": 2, "f": None, "s": None, "t": None}])
        self.assertNotIn("index", made)

    def test_an_index_that_says_something_is_kept(self):
        frame = pd.DataFrame({"city": ["a", "b", "a"], "v": [1, 2, 3]})
        made = through(frame.groupby("city").sum())
        self.assertEqual((made["index"], made["index_name"]), (["a", "b"], "city"))
        self.assertEqual(through(frame[frame.v > 1])["index"], [1, 2])
        made = through(frame.set_index(["city", "v"]))
        self.assertEqual((made["index"], made["index_name"]), ([["a", 1], ["b", 2], ["a", 3]], ["city", "v"]))
        self.assertEqual(made["records"], [{}, {}, {}])

    def test_equal_column_names_lose_nothing(self):
        made = through(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
        self.assertEqual((made["columns"], made["rows"]), (["a", "a"], [[1, 2], [3, 4]]))
        self.assertEqual(made["dtypes"], ["int64", "int64"])
        self.assertIn("rows", through(pd.DataFrame([[1, 2]], columns=[1, "1"])))

    def test_levels_of_columns_are_joined(self):
        frame = pd.DataFrame({"g": ["a", "a"], "v": [1, 3]}).groupby("g").agg({"v": ["min", "max"]}).reset_index()
        made = through(frame)
        self.assertEqual(made["columns"], ["g", "v.min", "v.max"])
        self.assertEqual(made["records"], [{"g": "a", "v.min": 1, "v.max": 3}])
        frame.columns = pd.MultiIndex.from_tuples([("a", "b.c"), ("a.b", "c"), ("x", "y")])
        self.assertEqual(through(frame)["columns"], [["a", "b.c"], ["a.b", "c"], ["x", "y"]])

    def test_numbered_columns(self):
        made = through(pd.DataFrame([[1, 2]]))
        self.assertEqual((made["columns"], made["records"]), ([0, 1], [{"0": 1, "1": 2}]))

    def test_empty_frames(self):
        self.assertEqual(through(pd.DataFrame())["shape"], [0, 0])
        self.assertEqual(through(pd.DataFrame({"a": []}))["records"], [])

    def test_a_series_has_name_dtype_and_values(self):
        self.assertEqual(through(pd.Series([1, 2], name="x")), {"$type": "series", "name": "x", "dtype": "int64", "shape": [2], "values": [1, 2]})
        made = through(pd.Series([1.0, None], index=["a", "b"]))
        self.assertEqual((made["index"], made["values"]), (["a", "b"], [1.0, None]))

    def test_other_values_of_pandas(self):
        self.assertEqual(through([pd.NA, pd.NaT, pd.Timestamp("2024-01-01T00:00:00.000000001Z")]), [None, None, "2024-01-01T00:00:00.000000001+00:00"])
        self.assertEqual(through(pd.Timedelta("1 days 00:00:00.000000001")), "P1DT0.000000001S")
        self.assertEqual(through([pd.Period("2024-03"), pd.Index(["a", "b"])]), ["2024-03", ["a", "b"]])
        self.assertEqual(through(pd.Interval(0, 1)), {"$type": "interval", "left": 0, "right": 1, "closed": "right"})
        self.assertEqual(through(pd.Categorical(["a", None])), ["a", None])
        self.assertEqual(through(pd.array([1, None], dtype="Int64")), [1, None])
        self.assertEqual(through(pd.MultiIndex.from_tuples([(1, "a")])), [[1, "a"]])
        self.assertEqual(through(pd.date_range("2024-01-01", periods=1)), ["2024-01-01T00:00:00"])
        made = through(pd.Series(pd.Categorical(["x", "y"])).value_counts())
        self.assertEqual(made["index"], ["x", "y"])
        self.assertIn("groupby", through(pd.DataFrame({"a": [1]}).groupby("a"))["$type"].lower())

    def test_cells_may_hold_anything(self):
        frame = pd.DataFrame({"a": [[1, float("nan")], {"b": {1}}, decimal.Decimal("1.5"), object, float("inf")]})
        cells = [record["a"] for record in through(frame)["records"]]
        self.assertEqual(cells[:3], [[1, "NaN"], {"b": [1]}, "1.5"])
        self.assertEqual((cells[3]["$type"], cells[4]), ("type", "Infinity"))

    def test_nullable_and_special_columns(self):
        frame = pd.DataFrame({"i": pd.array([1, None], dtype="Int64"), "b": pd.array([True, None], dtype="boolean"), "c": pd.Categorical(["x", None]), "d": pd.to_timedelta(["1h", None]), "z": pd.to_datetime(["2024-01-01", None]).tz_localize("UTC")})
        self.assertEqual(through(frame)["records"], [{"i": 1, "b": True, "c": "x", "d": "PT1H", "z": "2024-01-01T00:00:00+00:00"}, {"i": None, "b": None, "c": None, "d": None, "z": None}])

    def test_large_frames_are_refused_early_with_a_preview(self):
        text, too_large = values.encode({"df": pd.DataFrame({"a": range(100_000)})}, 10_000)
        self.assertTrue(too_large)
        self.assertTrue(json.loads(text)["preview"].startswith('{"df":{"$type":"dataframe","shape":[100000,1],"columns":["a"]'))


if __name__ == "__main__":
    unittest.main()
