"""Requests for analyses: where rows come from, and what is said about mistakes."""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from . import GUEST
from .analyses import AnalysisError, analysis, ask, needs_pandas, pd, refusal, result, scipy, sklearn
from _tidegate import analysis_data, analysis_filter, analysis_functions, analysis_hypothesis, analysis_predict
from _tidegate import analysis_transform, binding, hints, values

ROWS = [{"name": "a", "n": 1}, {"name": "b", "n": 2}]


def rows_of(data, **parameters):
    return result("filter", data, **parameters)


def kept(value):
    """What a later request reads of a value that a program returned."""
    return json.loads(values.encode(value)[0])


class Package(unittest.TestCase):
    def test_importing_it_imports_nothing_heavy(self):
        source = (
            "import sys, types; p = types.ModuleType('_tidegate'); p.__path__ = [sys.argv[1]]; sys.modules['_tidegate'] = p\n"
            "from _tidegate import analysis\n"
            "print([one for one in ('numpy', 'pandas', 'scipy', 'sklearn') if one in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-B", "-c", source, str(GUEST)], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")

    def test_the_image_has_every_module_after_those_it_needs(self):
        text = (GUEST.parent / "src" / "build.rs").read_text()
        order = re.findall(r'\("(\w+)", include_str!', text)
        files = sorted(path.stem for path in GUEST.glob("analysis*.py"))
        self.assertEqual(sorted(one for one in order if one.startswith("analysis")), files)
        for name in files:
            source = (GUEST / f"{name}.py").read_text()
            needed = re.findall(r"^from _tidegate\.(\w+) import", source, re.M)
            for line in re.findall(r"^from _tidegate import (.+)$", source, re.M):
                needed += [one.split(" as ")[0].strip() for one in line.split(",")]
            for one in needed:
                self.assertLess(order.index(one), order.index(name), f"{name} needs {one}")


@needs_pandas
class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return {"file": str(path)}

    def test_rows_can_be_written_in_many_ways(self):
        for data in (
            ROWS,
            {"items": ROWS},
            {"total": 2, "items": ROWS},
            {"page": {"items": ROWS}},
            {"items": ROWS, "tags": ["x"]},
            {"name": ["a", "b"], "n": [1, 2]},
            {"columns": ["name", "n"], "rows": [["a", 1], ["b", 2]]},
            json.dumps(ROWS),
            json.dumps({"items": ROWS}),
            "\n".join(map(json.dumps, ROWS)),
            "name,n\na,1\nb,2\n",
            "name;n\r\na;1\r\nb;2\r\n",
            "\ufeffname\tn\na\t1\nb\t2",
            self.write("x.csv", "name,n\na,1\nb,2\n"),
            self.write("x.tsv", "name\tn\na\t1\nb\t2\n"),
            self.write("x.json", json.dumps({"items": ROWS})),
            self.write("x.jsonl", "\n".join(map(json.dumps, ROWS)) + "\n\n"),
        ):
            with self.subTest(data=str(data)[:60]):
                self.assertEqual(rows_of(data), ROWS)

    def test_a_path_says_where_the_rows_are(self):
        data = {"a": {"b": ROWS}, "c": [{"z": 1}]}
        self.assertEqual(rows_of(data, data_field="a.b"), ROWS)
        self.assertEqual(rows_of({"a.b": ROWS, "c": ROWS}, data_field="a.b"), ROWS)
        self.assertEqual(rows_of({"pages": [{"rows": ROWS}, {"rows": []}]}, data_field="pages.0.rows"), ROWS)
        self.assertIn("say which with 'data_field': x (1 row), y (1 row)", refusal("filter", {"x": [{"a": 1}], "y": [{"a": 1}]}))
        self.assertIn("Did you mean 'items'? There is: items", refusal("filter", {"items": ROWS}, data_field="itmes"))
        self.assertIn("not a list. It has: b", refusal("filter", data, data_field="a"))
        self.assertIn("without a list", refusal("filter", {"a": 1}))

    def test_a_path_into_rows_names_their_columns_and_shows_none_of_them(self):
        text = "a,b\nsecret0,0\nsecret1,1\n"
        said = refusal("aggregate", text, data_field="x", aggregations={"a": "count"})
        self.assertIn("'x' was looked for in a table of 2 rows with the columns a, b;", said)
        said = refusal("filter", [{"a": "secret", "b": 1}], data_field="x")
        self.assertIn("'x' was looked for in a list of 1 row with the fields a, b;", said)
        self.assertIn("'y' was looked for in a number;", refusal("filter", {"x": 5}, data_field="x.y"))

    def test_of_two_equal_keys_of_an_object_the_last_counts(self):
        self.assertEqual(rows_of('[{"a": 1, "a": 2}]'), [{"a": 2}])

    def test_a_column_without_a_name_is_one_like_others(self):
        rows = [{"": 2, "a": "x"}, {"": 1, "a": "y"}, {"": None, "a": "y"}]
        self.assertEqual(rows_of(rows, select=[""], sort=""), [{"": 1}, {"": 2}, {"": None}])
        self.assertEqual(rows_of(rows, select=["a"], conditions={"field": "", "operator": ">", "value": 1}), [{"a": "x"}])
        found = result("aggregate", rows, group_by=["a"], aggregations=[{"field": "", "function": "sum", "as": "n"}])
        self.assertEqual(found, [{"a": "x", "n": 2}, {"a": "y", "n": 1}])
        self.assertEqual(result("aggregate", rows, aggregations={"": ["max"]}), [{"_max": 2}])

    def test_whole_numbers_stay_whole_beside_missing_ones(self):
        self.assertEqual(rows_of("a,b\n1,x\n,y\n"), [{"a": 1, "b": "x"}, {"a": None, "b": "y"}])
        big = [{"a": 2**60 + 1}, {"a": None}, {"a": 2**70}]
        self.assertEqual(rows_of({"a": [2**60 + 1, None]}, conditions={"field": "a", "value": 2**60 + 1}), [{"a": 2**60 + 1}])
        self.assertEqual(rows_of(big, conditions={"field": "a", "operator": ">", "value": 2**60}), [big[0], big[2]])
        self.assertEqual(rows_of(f"a\n{2**63}\n5\n"), [{"a": 2**63}, {"a": 5}])
        self.assertEqual(rows_of(f"a\n{-(2**63)}\n5\n"), [{"a": -(2**63)}, {"a": 5}])

    def test_no_rows_are_no_mistake(self):
        empty = [self.write(f"empty.{ending}", text) for ending in ("csv", "tsv", "json", "jsonl") for text in ("", "\ufeff\r\n")]
        for data in ([], "", " \n", {}, {"items": []}, {"a": []}, *empty):
            answer = ask("filter", data, conditions=[{"field": "x", "operator": ">", "value": 1}])
            self.assertEqual((answer["rows_in"], answer["rows_out"], answer["result"]), (0, 0, []))
            self.assertEqual(answer["notes"], ["there are no rows in the data"])

    def test_plain_values_are_a_column(self):
        self.assertEqual(
            rows_of([3, 1, 2], conditions={"field": "value", "operator": ">", "value": 1}), [{"value": 3}, {"value": 2}]
        )
        self.assertTrue(refusal("filter", [{"a": 1}, 5]).endswith("row 1 is number"))
        self.assertIn("row 0 is list", refusal("filter", [[1, 2]]))

    def test_keys_that_are_values_are_refused(self):
        self.assertIn("have 20000 different fields; at most 10000", refusal("describe", [{f"k{at}": 1} for at in range(20_000)]))

    def test_keys_that_are_not_text_become_text(self):
        self.assertEqual(rows_of([{1: "x", None: 2}], conditions={"field": "1", "value": "x"}), [{"1": "x", "None": 2}])
        self.assertIn("the same as text", refusal("filter", [{1: "x", "1": "y"}]))

    def test_what_json_does_not_have_becomes_null_or_text(self):
        when = pd.Timestamp("2024-01-02T03:04:05")
        rows = [{"a": float("nan"), "b": [float("inf")], "c": when, "d": {"e": when}}]
        self.assertEqual(rows_of(rows), [{"a": None, "b": [None], "c": "2024-01-02T03:04:05", "d": {"e": "2024-01-02T03:04:05"}}])

    def test_files_that_cannot_be_read_say_why(self):
        self.write("orders.csv", "a\n1\n2\n")
        self.assertIn("Did you mean 'orders.csv'?", refusal("filter", {"file": str(self.folder / "order.csv")}))
        self.assertIn("save a sheet as CSV", refusal("filter", {"file": "/workspace/x.xlsx"}))
        self.assertIn("is no JSON", refusal("filter", self.write("x.json", "{")))
        self.assertIn("line 2 of", refusal("filter", self.write("x.jsonl", "{}\n{")))
        (self.folder / "latin.csv").write_bytes(b"a\n\xff\n")
        self.assertIn("not UTF-8", refusal("filter", {"file": str(self.folder / "latin.csv")}))
        self.assertIn("cannot read", refusal("filter", {"file": "/work\0space/x.csv"}))
        self.assertIn("neither JSON nor CSV", refusal("filter", "hello"))
        self.assertIn("starts like JSON and is not", refusal("filter", "[1, 2"))
        self.assertIn("starts like JSON", refusal("filter", "[" * 200_000))

    def test_parquet_is_read_where_something_can(self):
        path = self.folder / "x.parquet"
        path.write_bytes(b"PAR1")
        with mock.patch.object(pd, "read_parquet", return_value=pd.DataFrame({"a": pd.Series([1, 2], dtype="int32")})):
            self.assertEqual(rows_of({"file": str(path)}), [{"a": 1}, {"a": 2}])
        with mock.patch.object(pd, "read_parquet", side_effect=ImportError):
            self.assertIn("nothing here reads parquet", refusal("filter", {"file": str(path)}))

    def test_a_kept_result_is_read_by_its_handle(self):
        self.write("r-12.json", json.dumps({"items": ROWS}))
        with mock.patch.object(analysis_data, "RESULTS", str(self.folder)):
            self.assertEqual(rows_of({"result": "r-12"}), ROWS)
            self.assertIn("Did you mean 'r-12'? Kept: r-12", refusal("filter", {"result": "r-13"}))
            self.assertIn("the 'run_id' of an earlier answer", refusal("filter", {"result": "x"}))
            (self.folder / "r-12.json").unlink()
            self.assertIn("No result is kept in this session yet", refusal("filter", {"result": "r-13"}))
            for handle in ("../x", "a/b", ".hidden", "", "a\0b"):
                self.assertIn("is no handle", refusal("filter", {"result": handle}))

    def test_columns_of_one_name_are_told_apart_as_in_csv(self):
        told = ([{"a": 1, "a.1": 2}], ["data has 2 columns called 'a'; here they are a, a.1"])
        frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
        for data in (
            {"columns": ["a", "a"], "rows": [[1, 2]]},
            {"columns": [{"name": "a"}, {"name": "a"}], "data": [[1, 2]]},
            {"$columns": ["a", "a"], "$rows": [[1, 2]]},
            frame,
            kept(frame),
            {"table": kept(frame), "count": 1},
        ):
            with self.subTest(data=str(data)[:60]):
                answer = ask("filter", data)
                self.assertEqual((answer["result"], answer["notes"]), told)
        self.assertEqual(rows_of("a,a\n1,2\n"), told[0])
        three = {"columns": ["a", "a", "a.1"], "rows": [[1, 2, 3]]}
        self.assertEqual(rows_of(three), [{"a": 1, "a.2": 2, "a.1": 3}])

    def test_the_index_of_a_table_is_columns_in_front(self):
        two = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["city", None])
        for index, wanted in (
            (pd.Index(["x", "y"], name="city"), [{"city": "x", "n": 1}, {"city": "y", "n": 2}]),
            (pd.Index(["x", "y"]), [{"index": "x", "n": 1}, {"index": "y", "n": 2}]),
            (two, [{"city": "x", "level_1": 1, "n": 1}, {"city": "y", "level_1": 2, "n": 2}]),
            (pd.RangeIndex(2, name="row"), [{"row": 0, "n": 1}, {"row": 1, "n": 2}]),
            (pd.Index([7, 8], name="n"), [{"n.1": 7, "n": 1}, {"n.1": 8, "n": 2}]),
            (pd.RangeIndex(2), [{"n": 1}, {"n": 2}]),
        ):
            series = pd.Series([1, 2], index=index, name="n")
            for data in (kept(series), kept(series.to_frame()), series.to_frame(), {"a": {"b": kept(series)}}):
                with self.subTest(index=str(index), data=str(data)[:30]):
                    self.assertEqual(rows_of(data), wanted)
        self.assertEqual(rows_of(kept(pd.Series([1, 2]))), [{"value": 1}, {"value": 2}])
        self.assertEqual(rows_of(kept(pd.Series([1], name=("a", "b")))), [{"a.b": 1}])

    def test_infinities_of_a_kept_table_are_numbers(self):
        frame = pd.DataFrame({"v": [1.5, float("inf"), float("-inf"), None], "s": ["Infinity", "a", "b", "c"]})
        answer = ask("filter", kept(frame), conditions={"field": "v", "operator": ">", "value": 1})
        self.assertEqual((answer["result"], answer["notes"]), ([{"v": 1.5, "s": "Infinity"}, {"v": None, "s": "a"}], []))
        self.assertEqual(result("aggregate", kept(frame["v"]), aggregations={"v": "count"}), [{"v_count": 3}])

    def test_a_kept_table_that_is_cut_or_broken_is_refused(self):
        for rows in ([{"a": 1}, {"$left_out": 5}], [[1], {"$left_out": 5}]):
            key = "records" if isinstance(rows[0], dict) else "rows"
            said = refusal("filter", {"$type": "dataframe", "columns": ["a"], key: rows})
            self.assertIn("a part was left out", said)
        self.assertIn("part was left out", refusal("filter", {"$type": "series", "values": [1, {"$left_out": 5}]}))
        broken = {"$type": "dataframe", "columns": ["a", "a"], "rows": [[1, 2], [3]]}
        self.assertIn("row 1 of data has 1 values for 2 columns", refusal("filter", broken))
        self.assertIn("row 0 is number", refusal("filter", {"$type": "dataframe", "records": [5, {"a": 1}]}))

    def test_separators_in_quotes_separate_nothing(self):
        for text, row in (
            ('"a;b;c",d\n1,2\n', {"a;b;c": 1, "d": 2}),
            ('a;"b,c,d"\n1;2\n', {"a": 1, "b,c,d": 2}),
            ('"say ""a;b;c"";",d\n1,2\n', {'say "a;b;c";': 1, "d": 2}),
            ('"a;\n;b",d\n1,2\n', {"a;\n;b": 1, "d": 2}),
            ('a, "b;c;e"\n1, 2\n', {"a": 1, "b;c;e": 2}),
            ('3" pipe,d\n1,2\n', {'3" pipe': 1, "d": 2}),
        ):
            with self.subTest(text=text):
                self.assertEqual(result("filter", text, conditions=[]), [row])

    def test_csv_with_more_values_than_names_is_refused(self):
        said = "the rows of data have more values than the header line, which has 2"
        self.assertEqual(refusal("filter", "a,b\n1,2,\n3,4,\n"), said)

    def test_a_tool_is_called_where_the_rows_are(self):
        seen = []

        async def call(*args):
            seen.append(args)
            return {"orders": ROWS, "customers": [{"name": "a", "city": "Ulm"}]}

        with mock.patch.object(binding, "call_mcp_tool", call):
            self.assertEqual(rows_of({"tool": "shop.list", "arguments": {"x": 1}}, data_field="orders"), ROWS)
            self.assertEqual(rows_of({"server": "shop", "tool": "list.all", "data_field": "orders"}), ROWS)
            joined = result(
                "transform",
                {"tool": "list", "data_field": "orders"},
                steps=[{"join": {"with": {"data_field": "customers"}, "on": "name"}}],
            )
            self.assertEqual(joined, [{"name": "a", "n": 1, "city": "Ulm"}])
        self.assertEqual(seen, [("shop", "list", {"x": 1}), ("shop", "list.all", {}), ("list", {})])
        self.assertIn("must be an object", refusal("filter", {"tool": "a.b", "arguments": [1]}))

    def test_a_mistake_in_the_request_calls_no_tool(self):
        with mock.patch.object(binding, "call_mcp_tool", side_effect=AssertionError("called")):
            for kind, parameters in (
                ("filter", {"conditions": [{"field": "a", "operator": "=~", "value": 1}]}),
                ("aggregate", {"aggregations": {"a": "summ"}}),
                ("transform", {"steps": [{"select": ["a"]}, {"computed": {"b": "a."}}]}),
                ("validate", {"rules": {"a": {"tipe": "text"}}}),
                ("timeseries", {"time_field": "a", "resample": "fortnight"}),
                ("test", {"test": "t"}),
                ("predict", {"model": "linear"}),
            ):
                refusal(kind, {"tool": "shop.list"}, **parameters)

    def test_a_tool_that_fails_raises_what_it_raised(self):
        async def call(*args):
            raise binding.ToolError("the server is gone", "ServerError")

        with mock.patch.object(binding, "call_mcp_tool", call), self.assertRaisesRegex(binding.ToolError, "gone"):
            rows_of({"tool": "shop.list"})


# A host whose guest has no memory left for what it hands over: prints what is said instead.
_FULL = """
import sys, types
p = types.ModuleType('_tidegate'); p.__path__ = [sys.argv[1]]; sys.modules['_tidegate'] = p
sent = []

def door(message):
    if message == b'n':
        return b'x' + source
    if message[:1] == b'd':
        sent.append(message.decode())
        if len(sent) == 1:
            raise MemoryError
    return b''

sys.modules['_host'] = types.SimpleNamespace(call=door)
from _tidegate import runtime

for source in (b"from tidegate import analyze\\nreturn await analyze({'analysis_type': 'filter', 'data': []})", b'1'):
    sent.clear()
    runtime.current.step()
    print(sent[1], flush=True)
"""


class Requests(unittest.TestCase):
    def test_a_request_names_what_it_lacks(self):
        for request, said in (
            (5, "a request is an object with analysis_type, data, parameters, not 5"),
            ({}, "needs 'analysis_type': filter, aggregate, transform"),
            ({"analysis_type": "filtre", "data": []}, "Did you mean 'filter'? Valid: filter, aggregate"),
            ({"analysis_type": ["filter"], "data": []}, "'analysis_type' is a list of 1"),
            ({"analysis_type": "filter"}, "needs 'data': a list of records"),
            ({"analysis_type": "filter", "data": [], "params": {}}, "has no parameter 'params'. Did you mean"),
            ({"analysis_type": "filter", "data": [], "parameters": [1]}, "must be an object"),
            ({"analysis_type": "filter", "data": [], "parameters": {"data_field": 7}}, "'data_field' must be a text"),
        ):
            with self.assertRaises(AnalysisError) as caught:
                asyncio.run(analysis.run(request))
            self.assertIn(said, str(caught.exception))

    @needs_pandas
    def test_what_needs_too_much_memory_says_what_to_ask_for(self):
        request = {"analysis_type": "filter", "data": ROWS}
        with mock.patch.object(analysis_filter, "compute", side_effect=MemoryError), self.assertRaises(MemoryError) as caught:
            asyncio.run(analysis.run(request))
        said = "filter of 2 rows needs more memory than there is: set a limit, select fewer columns"
        self.assertIn(said, str(caught.exception))
        self.assertIsNone(hints._memory_error(caught.exception, str(caught.exception), None))

    def test_a_result_that_is_too_large_to_be_handed_over_says_what_to_ask_for(self):
        done = subprocess.run([sys.executable, "-B", "-c", _FULL, str(GUEST)], capture_output=True, text=True, check=True)
        analyzed, other = [json.loads(line[1:])["error"]["hint"] for line in done.stdout.splitlines()]
        self.assertEqual(analyzed, "Set a limit, select fewer columns, or aggregate the rows.")
        self.assertIn("Work in chunks", other)

    def test_a_parameter_that_does_not_exist_lists_those_that_do(self):
        said = "aggregate has no parameter 'groupby'. Did you mean 'group_by'? Valid: group_by, aggregations"
        self.assertIn(said, refusal("aggregate", [], groupby="a"))
        for kind in analysis.TYPES:
            self.assertRegex(refusal(kind, [], zzz=1), rf"^{kind} has no parameter 'zzz'\. Valid: .*data_field$")


@needs_pandas
class Documentation(unittest.TestCase):
    """The manual's examples run, and it names every parameter."""

    TEXT = (GUEST.parents[2] / "docs" / "src" / "analysis.md").read_text()

    def test_every_example_runs(self):
        blocks = [json.loads(one) for one in re.findall(r"```json\n(.*?)```", self.TEXT, re.S)]
        examples = [one for one in blocks if "data" in one]
        answers = [one for one in blocks if "data" not in one]
        self.assertEqual({one["analysis_type"] for one in examples}, set(analysis.TYPES))
        for one in examples:
            missing = {"test": scipy, "predict": sklearn}.get(one["analysis_type"], True) is None
            with self.subTest(one["analysis_type"]):
                if missing:
                    self.skipTest("scipy or scikit-learn is not installed")
                answer = ask(one["analysis_type"], one["data"], **one["parameters"])
                self.assertTrue(answer["result"])
        shown = ask(examples[0]["analysis_type"], examples[0]["data"], **examples[0]["parameters"])
        self.assertEqual([shown], answers)

    def test_every_parameter_is_named(self):
        for module in analysis.TYPES.values():
            for name in getattr(module, "PARAMETERS", ()):
                self.assertIn(f"`{name}`", self.TEXT)
        for name, (parameters, *_) in analysis_transform.STEPS.items():
            for one in [name, *parameters]:
                self.assertIn(f"`{one}`", self.TEXT)
        for one in (
            *analysis_filter.OPERATORS,
            *analysis_functions.FUNCTIONS,
            *analysis_hypothesis.TESTS,
            *analysis_predict.MODELS,
        ):
            self.assertIn(f"`{one}`", self.TEXT)


if __name__ == "__main__":
    unittest.main()
