"""Aggregates: what figures mean, and that they agree with pandas on rows made by chance."""

import random
import unittest

from .analyses import ask, chance_rows, frame_of, needs_pandas, pd, refusal, result, same

ROWS = [
    {"city": "Ulm", "n": 1, "f": 0.5, "s": "b", "ok": True, "mix": 1},
    {"city": "Bonn", "n": 2, "f": None, "s": "a", "ok": False, "mix": "x"},
    {"city": "Ulm", "n": None, "f": 1.5, "s": None, "ok": True, "mix": 3},
    {"city": None, "n": 4, "f": 2.5, "s": "c", "ok": None, "mix": None},
]


@needs_pandas
class Meaning(unittest.TestCase):
    def test_groups_are_in_order_and_the_missing_one_is_last(self):
        found = result("aggregate", ROWS, group_by="city", aggregations={"n": ["sum", "count"], "s": "min"})
        self.assertEqual(found, [
            {"city": "Bonn", "n_sum": 2, "n_count": 1, "s_min": "a"},
            {"city": "Ulm", "n_sum": 1, "n_count": 1, "s_min": "b"},
            {"city": None, "n_sum": 4, "n_count": 1, "s_min": "c"},
        ])

    def test_no_groups_are_one_row(self):
        asked = [
            {"field": "n", "function": "avg", "as": "mean"},
            {"function": "count"},
            {"field": "f", "function": "p50"},
            {"field": "f", "percentile": 90},
            {"field": "f", "function": {"percentile": 0.1}, "as": "low"},
            {"field": "s", "function": "first"},
            {"field": "s", "function": "last"},
            {"field": "city", "function": "nunique"},
            {"field": "ok", "function": "sum", "as": "oks"},
            {"field": "ok", "function": "max", "as": "any"},
        ]
        found = result("aggregate", ROWS, aggregations=asked)
        self.assertTrue(same(found, [{
            "mean": 7 / 3, "count": 4, "f_p50": 1.5, "f_p90": 2.3, "low": 0.7, "s_first": "b", "s_last": "c", "city_nunique": 2,
            "oks": 2, "any": True,
        }]), found)

    def test_no_rows_have_counts_and_nothing_else(self):
        asked = {"n": ["sum", "count", "mean"]}
        answer = ask("aggregate", ROWS, conditions={"field": "n", "operator": ">", "value": 99}, aggregations=asked)
        self.assertEqual(answer["result"], [{"n_sum": 0, "n_count": 0, "n_mean": None}])
        self.assertEqual((answer["rows_in"], answer["notes"]), (4, ["no row meets the conditions"]))
        self.assertEqual(result("aggregate", [], group_by="city"), [])

    def test_conditions_come_before_and_having_after(self):
        found = result(
            "aggregate",
            ROWS,
            conditions=[{"field": "n", "operator": "not_null"}],
            group_by=["city"],
            having=[{"field": "count", "operator": ">=", "value": 1}, {"field": "city", "operator": "not_null"}],
            sort="-city",
            limit=1,
        )
        self.assertEqual(found, [{"city": "Ulm", "count": 1}])

    def test_sums_of_whole_numbers_are_exact(self):
        rows = [{"a": 2**62}] * 4 + [{"a": None}]
        self.assertEqual(result("aggregate", rows, aggregations={"a": "sum"}), [{"a_sum": 2**64}])
        self.assertEqual(result("aggregate", [{"a": 10**30}, {"a": 1}], aggregations={"a": "sum"}), [{"a_sum": 10**30 + 1}])
        lowest = [{"a": -(2**63)}] * 2 + [{"a": 5}]
        self.assertEqual(result("aggregate", lowest, aggregations={"a": "sum"}), [{"a_sum": -(2**64) + 5}])

    def test_groups_by_paths_lists_and_several_kinds(self):
        rows = [{"k": {"z": 1}, "l": [1], "m": "a"}, {"k": {"z": 1}, "l": [1], "m": 5}, {"k": None, "l": [2], "m": 5}]
        self.assertEqual(result("aggregate", rows, group_by="k.z"), [{"k.z": 1, "count": 2}, {"k.z": None, "count": 1}])
        self.assertEqual(result("aggregate", rows, group_by="l"), [{"l": [1], "count": 2}, {"l": [2], "count": 1}])
        self.assertEqual(result("aggregate", rows, group_by="m"), [{"m": 5, "count": 2}, {"m": "a", "count": 1}])

    def test_values_of_another_kind_are_left_out_and_counted(self):
        answer = ask("aggregate", ROWS, aggregations={"mix": ["sum"]})
        self.assertEqual(answer["result"], [{"mix_sum": 4.0}])
        self.assertEqual(answer["notes"], ["1 row has no number in 'mix' although others do; 'sum' left them out"])

    def test_mistakes_are_explained(self):
        for parameters, said in (
            ({}, "needs 'aggregations'"),
            ({"group_by": "ctiy"}, "Did you mean 'city'?"),
            ({"aggregations": {"n": "summ"}}, "Did you mean 'sum'? Valid: sum, mean"),
            ({"aggregations": {"n": "p101"}}, "must be a percentile"),
            ({"aggregations": {"s": "sum"}}, "'sum' needs numbers, and 's' holds text. Columns with numbers: n, f"),
            ({"aggregations": [{"function": "sum"}]}, "needs a 'field'; only 'count' can do without"),
            ({"aggregations": [{"field": "n"}]}, "needs 'function'"),
            ({"aggregations": [{"field": "n", "func": "sum"}]}, "Did you mean 'function'?"),
            ({"aggregations": [{"field": "n", "function": "percentile"}]}, "needs 'percentile'"),
            ({"aggregations": {"n": ["sum", "sum"]}}, "makes two columns called 'n_sum'"),
            ({"aggregations": 5}, "must be a list"),
            ({"group_by": "city", "having": {"field": "n", "value": 1}}, "there is no column 'n'"),
            ({"group_by": "city", "sort": "n"}, "there is no column 'n'"),
            ({"group_by": {"a": 1}}, "must be a name or a list of names"),
        ):
            with self.subTest(said):
                self.assertIn(said, refusal("aggregate", ROWS, **parameters))


@needs_pandas
class Agreement(unittest.TestCase):
    def test_figures_are_those_of_pandas(self):
        for seed in range(300):
            chance = random.Random(seed)
            rows = chance_rows(chance, chance.choice([1, 3, 40]))
            rows += [{"id": -1, "n": 1, "f": 1.5, "s": "Bonn", "b": True, "d": "2024-01-01", "inner": {"x": 0}}]
            frame = frame_of(rows)
            frame["d"] = pd.Series([row["d"] for row in rows], dtype="str")
            keys = chance.sample(["s", "b", "n", "d"], chance.randrange(1, 4))
            fields = [one for one in ("n", "f") if one not in keys]
            share = chance.choice([0.1, 0.5, 0.95])
            grouped = frame.groupby(keys, dropna=False)
            wanted = {}
            for one in fields:
                wanted |= {f"{one}_{name}": getattr(grouped[one], name)() for name in _FIGURES}
                wanted[f"{one}_p{share * 100:g}"] = grouped[one].quantile(share)
            wanted = pd.DataFrame(wanted).reset_index() if fields else grouped.size().reset_index(name="count")
            asked = {one: [*_FIGURES, f"p{share * 100:g}"] for one in fields}
            found = result("aggregate", rows, group_by=keys, **({"aggregations": asked} if asked else {}))
            with self.subTest(seed=seed, keys=keys):
                self.assertTrue(same(found, wanted.to_dict("records")), (found, wanted))

    def test_figures_of_everything_are_those_of_pandas(self):
        for seed in range(100):
            chance = random.Random(seed)
            rows = chance_rows(chance, 25)
            frame = frame_of(rows)
            wanted = {
                f"{one}_{name}": getattr(frame[one], name)() for one in "nf" for name in _FIGURES if name not in ("first", "last")
            }
            asked = {one: [name for name in _FIGURES if name not in ("first", "last")] for one in "nf"}
            self.assertTrue(same(result("aggregate", rows, aggregations=asked), [wanted]), seed)


_FIGURES = ("sum", "mean", "median", "min", "max", "count", "std", "var", "first", "last", "nunique")

if __name__ == "__main__":
    unittest.main()
