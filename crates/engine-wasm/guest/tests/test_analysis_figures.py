"""The other analyses: validity, time, correlation, description, tests and models."""

import asyncio
import random
import unittest

from .analyses import analysis, ask, needs_pandas, needs_scipy, needs_sklearn, np, pd, refusal, result, same, sometimes


def checks_of(rows, **parameters):
    """How many rows break each rule."""
    return {f"{one['field']}.{one['rule']}": one["failed"] for one in result("validate", rows, **parameters)["checks"]}


@needs_pandas
class Validate(unittest.TestCase):
    ROWS = [
        {"id": 1, "mail": "a@x.de", "age": 30, "kind": "a", "born": "1990-01-01", "tags": [1]},
        {"id": 2, "mail": "nobody", "age": -1, "kind": "b", "born": "1890-01-01", "tags": None},
        {"id": 2, "mail": None, "age": "x", "kind": "z", "born": "soon", "tags": {"a": 1}},
    ]

    def test_every_rule(self):
        rules = {
            "id": {"type": "integer", "required": True, "unique": True},
            "mail": {"required": True, "pattern": "^[^@]+@[^@]+$", "type": "string"},
            "age": {"type": "number", "min": 0, "max": 29.5},
            "kind": {"allowed": ["a", "b", None], "references": {"data": [{"k": "a"}, {"k": "z"}], "field": "k"}},
            "born": {"type": "date", "min": "1900-01-01"},
            "tags": {"type": "list"},
            "absent": {"required": True, "unique": False},
        }
        self.assertEqual(checks_of(self.ROWS, rules=rules), {
            "id.type": 0, "id.required": 0, "id.unique": 2, "mail.required": 1, "mail.pattern": 1, "mail.type": 0, "age.type": 1,
            "age.min": 2, "age.max": 2, "kind.allowed": 1, "kind.references": 1, "born.type": 1, "born.min": 2, "tags.type": 1,
            "absent.required": 3,
        })

    def test_a_report_counts_and_shows_rows(self):
        answer = ask("validate", self.ROWS, rules=[{"field": "id", "unique": True}, {"field": "agee", "min": 1}], samples=1)
        self.assertEqual(answer["result"], {
            "valid": False, "rows_valid": 1, "rows_invalid": 2,
            "checks": [
                {
                    "field": "id", "rule": "unique", "expected": True, "checked": 3, "failed": 2,
                    "samples": [{"index": 1, "value": 2, "row": self.ROWS[1]}],
                },
                {"field": "agee", "rule": "min", "expected": 1, "checked": 0, "failed": 0, "samples": []},
            ],
        })
        self.assertIn("no row has the field 'agee'. Did you mean 'age'?", answer["notes"][0])

    def test_rows_keep_their_numbers_behind_conditions(self):
        kept = {"field": "kind", "value": "z"}
        found = result("validate", self.ROWS, rules={"mail": {"required": True}}, conditions=kept)
        self.assertEqual(found["checks"][0]["samples"][0]["index"], 2)

    def test_one_source_can_be_asked_for_two_lists(self):
        both = {"ids": [{"k": 1}], "kinds": [{"k": "a"}, {"k": "b"}, {"k": "z"}]}
        asked = {"id": {"references": {"data": both, "data_field": "ids", "field": "k"}}}
        asked["kind"] = {"references": {"data": both, "data_field": "kinds", "field": "k"}}
        self.assertEqual(checks_of(self.ROWS, rules=asked), {"id.references": 2, "kind.references": 0})

    def test_no_rows_are_valid(self):
        self.assertTrue(result("validate", [], rules={"a": {"required": True}})["valid"])

    def test_mistakes_are_explained(self):
        for rules, said in (
            ({"a": {"tpye": "text"}}, "Did you mean 'type'? Valid: field, required"),
            ({"a": {"type": "varchar"}}, "Valid: text, number, integer"),
            ({"a": {"pattern": "("}}, "is no valid regular expression"),
            ({"a": {"min": "low"}}, "must be a number or a date"),
            ({"a": {}}, "says nothing of 'a'"),
            ({"a": 5}, "must be an object"),
            ({"a": {"references": {"data": []}}}, "needs 'field'"),
            ({"id": {"references": {"data": [{"k": 1}], "field": "kk"}}}, "Did you mean 'k'?"),
        ):
            with self.subTest(said):
                self.assertIn(said, refusal("validate", self.ROWS, rules=rules))


@needs_pandas
class Timeseries(unittest.TestCase):
    def series(self, seed):
        chance = random.Random(seed)
        moments = pd.Timestamp("2024-02-20") + pd.to_timedelta(sorted(chance.randrange(40 * 86400) for _ in range(60)), unit="s")
        rows = [{"t": one.isoformat() + "Z", "v": sometimes(chance, chance.randrange(100), 0.05)} for one in moments]
        values = pd.Series([row["v"] for row in rows], index=moments.tz_localize("UTC"), dtype="float64")
        chance.shuffle(rows)
        return rows, values

    def test_resampling_is_that_of_pandas(self):
        for seed in range(40):
            rows, values = self.series(seed)
            for mine, theirs in (
                ("day", "D"),
                ("6h", "6h"),
                ("15 min", "15min"),
                ("month", "MS"),
                ("quarter", "QS"),
                ("year", "YS"),
            ):
                for function in ("sum", "mean", "max", "count"):
                    wanted = getattr(values.resample(theirs), function)()
                    found = result("timeseries", rows, time_field="t", resample={"frequency": mine, "function": function})["rows"]
                    wanted = [{"t": at.isoformat(), "v": value} for at, value in wanted.items()]
                    self.assertTrue(same(found, wanted), (seed, mine, function, found[:3], wanted[:3]))

    def test_weeks_begin_on_monday(self):
        rows = [{"t": "2024-05-05", "v": 1}, {"t": "2024-05-06", "v": 2}, {"t": "2024-05-12", "v": 3}]
        found = result("timeseries", rows, time_field="t", resample={"frequency": "week", "function": "sum"})["rows"]
        self.assertEqual(found, [{"t": "2024-04-29T00:00:00", "v": 1}, {"t": "2024-05-06T00:00:00", "v": 5}])

    def test_moving_figures_and_changes_are_those_of_pandas(self):
        for seed in range(20):
            rows, values = self.series(seed)
            found = result("timeseries", rows, time_field="t", rolling={"window": 3, "function": "sum"}, diff=2, pct_change=1)[
                "rows"
            ]
            for name, wanted in (
                ("v_rolling_sum", values.rolling(3).sum()),
                ("v_diff", values.diff(2)),
                ("v_pct_change", values.pct_change(fill_method=None).replace([np.inf, -np.inf], np.nan)),
            ):
                self.assertTrue(same([row[name] for row in found], wanted.tolist()), (seed, name))
            found = result("timeseries", rows, time_field="t", rolling={"window": "2 days", "function": "max"})["rows"]
            self.assertTrue(same([row["v_rolling_max"] for row in found], values.rolling("2D").max().tolist()), seed)
            found = result("timeseries", rows, time_field="t", resample="day", rolling=2)["rows"]
            wanted = values.resample("D").mean().rolling(2).mean()
            self.assertTrue(same([row["v_rolling_mean"] for row in found], wanted.tolist()), seed)

    def test_seasons_are_those_of_pandas(self):
        rows, values = self.series(1)
        found = result("timeseries", rows, time_field="t", seasonal={"by": ["hour", "weekday", "month"], "function": "median"})[
            "seasonal"
        ]
        for season, keys in (("hour", values.index.hour), ("weekday", values.index.day_of_week), ("month", values.index.month)):
            wanted = values.groupby(keys).median()
            self.assertEqual([row[season] for row in found[season]], wanted.index.tolist())
            self.assertTrue(same([row["v"] for row in found[season]], wanted.tolist()))
        self.assertEqual(found["weekday"][0]["name"], "Monday")

    def test_gaps_are_listed(self):
        rows = [{"t": f"2024-01-01T{hour:02}:00:00"} for hour in (0, 1, 2, 5, 6, 6, 9)]
        answer = ask("timeseries", rows, time_field="t", gaps={"frequency": "1h", "most": 1})
        self.assertEqual(answer["result"]["gaps"], {
            "frequency": "1 hour", "count": 2, "missing": 4,
            "gaps": [{"after": "2024-01-01T02:00:00", "before": "2024-01-01T05:00:00", "seconds": 10800.0, "missing": 2}],
        })
        self.assertEqual(answer["notes"], ["1 row has the same time as the one before"])
        rows = [{"t": one} for one in ("2024-01-31", "2024-02-29", "2024-03-31", "2024-06-30")]
        self.assertEqual(result("timeseries", rows, time_field="t", gaps="month")["gaps"]["missing"], 2)

    def test_times_are_read_as_they_are_written(self):
        found = result("timeseries", [{"t": "2024-03-31T00:30:00Z", "v": 1}], time_field="t", timezone="Europe/Berlin")
        self.assertEqual(found["start"], "2024-03-31T01:30:00+01:00")
        answer = ask("timeseries", [{"t": 1700000000000, "v": 1}, {"t": None, "v": 2}], time_field="t")
        self.assertEqual(answer["result"]["start"], "2023-11-14T22:13:20+00:00")
        self.assertEqual(answer["notes"][0], "'t' holds numbers, read as milliseconds since 1970")
        answer = ask("timeseries", [{"t": "9999-12-31", "v": 1}, {"t": "0001-01-01", "v": 2}], time_field="t", resample="year")
        self.assertEqual(len(answer["result"]["rows"]), 9999)

    def test_an_hour_that_the_clock_repeats_is_two_hours(self):
        rows = [{"t": f"2024-10-27T{hour:02}:30:00Z", "v": 1} for hour in range(3)]
        found = result(
            "timeseries", rows, time_field="t", timezone="Europe/Berlin", resample={"frequency": "h", "function": "sum"}
        )
        self.assertEqual([row["v"] for row in found["rows"]], [1, 1, 1])
        self.assertEqual(found["rows"][1]["t"], "2024-10-27T02:00:00+01:00")

    def test_mistakes_are_explained(self):
        rows = [{"t": "2024-01-01", "v": 1, "s": "a"}, {"t": "2124-01-01", "v": 2, "s": "b"}]
        for parameters, said in (
            ({}, "needs 'time_field'"),
            ({"time_field": "s"}, "'s' holds text, no times such as"),
            ({"time_field": "tt"}, "there is no column 'tt'"),
            ({"time_field": "t", "resample": "0h"}, "Valid: a count and s, min, h"),
            ({"time_field": "t", "resample": "1s"}, "at most 1000000 are made"),
            ({"time_field": "t", "resample": {"frequency": "day", "function": "avarage"}}, "Did you mean 'average'?"),
            ({"time_field": "t", "rolling": {"window": "month"}}, "fixed length"),
            ({"time_field": "t", "rolling": {"window": 2, "min_rows": 3}}, "more than the window"),
            ({"time_field": "t", "seasonal": "minute"}, "Valid: hour, weekday, month"),
            ({"time_field": "t", "timezone": "Mars/Olympus"}, "there is no time zone"),
            ({"time_field": "t", "fields": ["s"], "diff": 1}, "needs numbers, and 's' holds text"),
            ({"time_field": "t", "diff": -1}, "whole number from 1"),
            ({"time_field": "t", "fields": ["vv"], "gaps": "day"}, "there is no column 'vv'. Did you mean 'v'?"),
            ({"time_field": "t", "fields": ["zz"]}, "there is no column 'zz'. The columns: t, v, s"),
        ):
            with self.subTest(said):
                self.assertIn(said, refusal("timeseries", rows, **parameters))
        self.assertEqual(result("timeseries", [], time_field="t", resample="day")["points"], 0)


@needs_pandas
class Describe(unittest.TestCase):
    def test_a_description_is_a_table_with_a_row_for_each_column(self):
        rows = [{"n": n, "city": "Ulm", "at": f"2024-01-{n + 1:02}"} for n in range(9)] + [{"n": 1000}]
        table = asyncio.run(analysis.run({"analysis_type": "describe", "data": rows}, as_table=True))
        self.assertEqual(table["field"].tolist(), ["n", "city", "at"])
        n, city, at = table.to_dict("records")
        self.assertEqual((n["count"], n["min"], n["median"], n["max"], n["outliers"]), (10, 0, 4.5, 1000, 1))
        self.assertEqual((city["type"], city["missing"], city["top"]), ("text", 1, "Ulm (9)"))
        self.assertEqual((at["min"][:10], at["max"][:10]), ("2024-01-01", "2024-01-09"))
        for data, kept in (([], []), ([{"city": "Ulm"}], ["field", "type", "count", "missing", "unique", "top"])):
            table = asyncio.run(analysis.run({"analysis_type": "describe", "data": data}, as_table=True))
            self.assertEqual(list(getattr(table, "columns", table)), kept)

    def test_numbers_are_described_as_pandas_does(self):
        chance = random.Random(4)
        rows = [
            {"v": sometimes(chance, chance.gauss(0, 1)), "s": chance.choice("aab"), "d": "2024-01-0" + chance.choice("12")}
            for _ in range(200)
        ]
        rows[7]["v"] = 50.0
        values = pd.Series([row["v"] for row in rows], dtype="float64")
        found = result("describe", rows, percentiles=["p10", 0.9])["fields"]
        for name in ("count", "mean", "std", "min", "max", "median"):
            self.assertTrue(same(found["v"][name], float(getattr(values, name)())), name)
        self.assertTrue(same(found["v"]["percentiles"], {"p10": values.quantile(0.1), "p90": values.quantile(0.9)}))
        self.assertEqual(found["v"]["missing"], int(values.isna().sum()))
        self.assertEqual(found["v"]["outliers"]["zscore"]["samples"], [{"index": 7, "value": 50.0}])
        self.assertIn({"index": 7, "value": 50.0}, found["v"]["outliers"]["iqr"]["samples"])
        self.assertEqual([one["value"] for one in found["s"]["top"]], ["a", "b"])
        self.assertEqual(
            (found["d"]["earliest"], found["d"]["latest"]), ("2024-01-01T00:00:00+00:00", "2024-01-02T00:00:00+00:00")
        )

    def test_zero_has_no_sign_in_figures(self):
        for rows in ([{"a": -0.0}] * 3, [{"a": 0.0}, {"a": -0.0}], [{"a": -0.0}, {"a": 10**400}]):
            self.assertNotIn("-0.0", str(result("describe", rows, samples=0)))
        asked = ["sum", "mean", "min", "max", "median", "p95"]
        self.assertNotIn("-0.0", str(result("aggregate", [{"a": -0.0}] * 3, aggregations={"a": asked})))

    def test_columns_of_every_kind_are_described(self):
        rows = [
            {"n": 1, "mix": 1, "l": [1], "b": True, "e": None, "big": 10**30},
            {"n": 1, "mix": "a", "l": [1], "b": None, "e": None, "big": 1},
        ]
        found = result("describe", rows)["fields"]
        self.assertEqual({name: one["type"] for name, one in found.items()}, {
            "n": "number", "mix": "mixed", "l": "nested", "b": "boolean", "e": "empty", "big": "number",
        })
        self.assertEqual(found["mix"]["types"], {"number": 1, "text": 1})
        self.assertEqual((found["l"]["unique"], found["n"]["std"], found["n"]["outliers"]["zscore"]["count"]), (1, 0.0, 0))
        self.assertEqual(result("describe", [])["rows"], 0)
        self.assertIn("Did you mean 'mix'?", refusal("describe", rows, fields=["mixx"]))


@needs_pandas
class Correlate(unittest.TestCase):
    def rows(self):
        chance = random.Random(5)
        rows = [
            {"a": sometimes(chance, chance.gauss(0, 1)), "b": sometimes(chance, chance.gauss(0, 1)), "s": "x"} for _ in range(80)
        ]
        return [{**row, "c": (row["a"] or 0) * 2 + chance.gauss(0, 0.1)} for row in rows]

    def test_it_is_that_of_pandas(self):
        rows = self.rows()
        frame = pd.DataFrame(rows)[["a", "b", "c"]].astype("float64")
        for method in ("pearson", "spearman"):
            found = result("correlate", rows, method=method, covariance=True, top=2)
            self.assertTrue(same(found["matrix"], frame.corr(method=method).to_dict("index")))
            self.assertTrue(same(found["covariance"], frame.cov().to_dict("index")))
            self.assertEqual((found["pairs"][0]["a"], found["pairs"][0]["b"]), ("a", "c"))
            self.assertEqual(found["pairs"][0]["n"], int((frame.a.notna() & frame.c.notna()).sum()))
            self.assertEqual(len(found["pairs"]), 2)

    @needs_scipy
    def test_kendall_is_that_of_pandas(self):
        rows = self.rows()
        frame = pd.DataFrame(rows)[["a", "b", "c"]].astype("float64")
        self.assertTrue(
            same(result("correlate", rows, method="kendall")["matrix"], frame.corr(method="kendall").to_dict("index"))
        )

    def test_what_cannot_correlate_is_said(self):
        self.assertIn("needs two columns of numbers. Columns with numbers: a", refusal("correlate", [{"a": 1, "s": "x"}]))
        self.assertIn("no column 'amont'. Did you mean 'amount'?", refusal("correlate", [{"amount": 1}], fields=["amont"]))
        answer = ask("correlate", [{"a": 1, "b": 2}, {"a": 1, "b": 3}])
        self.assertEqual(answer["result"]["matrix"]["a"], {"a": None, "b": None})
        self.assertEqual(answer["notes"], ["nothing correlates with a column that has one value only: a"])
        self.assertIn("Valid: pearson, spearman, kendall", refusal("correlate", [], method="pearsons"))
        self.assertEqual(result("correlate", [])["pairs"], [])


@needs_pandas
@needs_scipy
class Tests(unittest.TestCase):
    def setUp(self):
        chance = random.Random(6)
        self.rows = [
            {"a": chance.gauss(1, 2), "b": chance.gauss(1.5, 1), "g": chance.choice("xyz"), "h": chance.choice([1, 2])}
            for _ in range(60)
        ]
        self.rows[3]["a"] = None
        self.frame = pd.DataFrame(self.rows)

    def figures(self, **parameters):
        found = result("test", self.rows, **parameters)
        return found["statistic"], found["p_value"]

    def test_figures_are_those_of_scipy(self):
        from scipy import stats

        a, b = self.frame.a.dropna(), self.frame.b
        groups = [self.frame.a[self.frame.g == one].dropna() for one in "xyz"]
        both = self.frame.dropna()
        counts = self.frame.g.value_counts()
        for asked, wanted in (
            ({"test": "t_one_sample", "field": "a", "mean": 0.5}, stats.ttest_1samp(a, 0.5)),
            ({"test": "t_student", "fields": ["a", "b"]}, stats.ttest_ind(a, b)),
            (
                {"test": "t_welch", "fields": ["a", "b"], "alternative": "less"},
                stats.ttest_ind(a, b, equal_var=False, alternative="less"),
            ),
            (
                {"test": "t_welch", "field": "a", "group_field": "g", "groups": ["z", "x"]},
                stats.ttest_ind(groups[2], groups[0], equal_var=False),
            ),
            ({"test": "t_paired", "fields": ["a", "b"]}, stats.ttest_rel(both.a, both.b)),
            ({"test": "mann_whitney", "fields": ["a", "b"]}, stats.mannwhitneyu(a, b)),
            ({"test": "anova", "field": "a", "group_field": "g"}, stats.f_oneway(*groups)),
            ({"test": "chi_squared_fit", "field": "g"}, stats.chisquare(counts)),
            (
                {"test": "chi_squared_fit", "field": "g", "expected": {"x": 2, "y": 1, "z": 1}},
                stats.chisquare([counts["x"], counts["y"], counts["z"]], [30, 15, 15]),
            ),
        ):
            with self.subTest(asked):
                self.assertEqual(self.figures(**asked), (float(wanted.statistic), float(wanted.pvalue)))
        table = pd.crosstab(self.frame.g, self.frame.h)
        for correction in (True, False):
            wanted = stats.chi2_contingency(table, correction=correction)
            found = result("test", self.rows, test="chi_squared", fields=["g", "h"], correction=correction)
            self.assertEqual((found["statistic"], found["p_value"], found["df"]), (wanted.statistic, wanted.pvalue, wanted.dof))

    def test_a_group_of_one_number_is_one_where_scipy_takes_it(self):
        from scipy import stats

        one, many, more = [5.0], [1.0, 2.0, 4.0], [3.0, 3.5]
        rows = [{"g": name, "a": value} for name, some in (("x", one), ("y", many), ("z", more)) for value in some]
        two = {"field": "a", "group_field": "g", "groups": ["x", "y"]}
        for asked, found in (
            ({"test": "anova", "field": "a", "group_field": "g"}, stats.f_oneway(one, many, more)),
            ({"test": "mann_whitney", **two}, stats.mannwhitneyu(one, many)),
            ({"test": "t_student", **two}, stats.ttest_ind(one, many)),
        ):
            with self.subTest(asked=asked):
                made = result("test", rows, **asked)
                self.assertTrue(same([made["statistic"], made["p_value"]], [found.statistic, found.pvalue]), made)
                self.assertEqual(made["groups"][0]["n"], 1)
        columns = [{"x": 5.0, "y": 1.0}, {"x": None, "y": 2.0}, {"x": None, "y": 4.0}]
        made = result("test", columns, test="mann_whitney", fields=["x", "y"])
        self.assertTrue(same(made["p_value"], stats.mannwhitneyu(one, many).pvalue), made)
        self.assertIn("the group 'x' has fewer than 2 numbers in 'a'", refusal("test", rows, test="t_welch", **two))
        answer = ask("test", [rows[0], rows[1]], test="t_student", field="a", group_field="g")
        self.assertEqual(answer["result"]["p_value"], None)
        self.assertIn("the test gives no figure: the values do not vary, or there are too few", answer["notes"])
        none = [*rows, {"g": "w", "a": None}]
        self.assertIn("the group 'w' has no number in 'a'", refusal("test", none, test="anova", field="a", group_field="g"))

    def test_mistakes_are_explained(self):
        for asked, said in (
            ({}, "needs 'test'"),
            ({"test": "kruskal"}, "Valid: t_one_sample, t_student"),
            ({"test": "t_one_sample"}, "needs 'field'"),
            ({"test": "anova", "field": "a"}, "needs 'field' and 'group_field'"),
            ({"test": "anova", "field": "a", "group_field": "g", "mean": 1}, "does not take 'mean'. It takes: alpha, field"),
            (
                {"test": "t_student", "field": "a", "group_field": "g"},
                "exactly 2 groups, and 'g' has 3: x, y, z; choose with 'groups'",
            ),
            ({"test": "t_student", "field": "a", "group_field": "g", "groups": ["x", "q"]}, "has no group 'q'"),
            ({"test": "t_paired", "fields": ["a"]}, "needs two columns"),
            ({"test": "anova", "field": "g", "group_field": "h"}, "needs numbers, and 'g' holds text"),
            ({"test": "chi_squared_fit", "field": "g", "expected": {"x": 1}}, "says nothing of"),
            ({"test": "t_one_sample", "field": "a", "alternative": "bigger"}, "Valid: two-sided, less, greater"),
            ({"test": "t_one_sample", "field": "a", "alpha": 5}, "above 0 and below 1"),
        ):
            with self.subTest(said):
                self.assertIn(said, refusal("test", self.rows, **asked))
        self.assertIn("there are no rows to test", refusal("test", [], test="t_one_sample", field="a"))
        self.assertIn("needs at least 2", refusal("test", self.rows[:1], test="t_one_sample", field="a"))
        answer = ask("test", [{"a": 1}, {"a": 1}], test="t_one_sample", field="a", mean=1)
        self.assertEqual((answer["result"]["p_value"], answer["result"]["significant"]), (None, False))


    def test_expectations_that_are_neither_shares_nor_counts_are_noted(self):
        rows = [{"g": one} for one in ["x"] * 20 + ["y"] * 30 + [None]]
        left_out = "1 row was left out, without a value in 'g'"
        for expected, notes in (
            ({"x": 0.4, "y": 0.6}, [left_out]),
            ({"x": 20, "y": 30}, [left_out]),
            (None, [left_out]),
            ({"x": 0.4, "y": 0.4}, [left_out, "'expected' adds up to 0.8, not to 1; each was taken as its part of that"]),
        ):
            asked = {} if expected is None else {"expected": expected}
            self.assertEqual(ask("test", rows, test="chi_squared_fit", field="g", **asked)["notes"], notes)


@needs_pandas
@needs_sklearn
class Predict(unittest.TestCase):
    def setUp(self):
        chance = random.Random(7)
        self.rows = []
        for _ in range(120):
            row = {"x": chance.gauss(0, 1), "z": chance.gauss(0, 1), "c": chance.choice("pqr"), "l": [1]}
            row["y"] = 3 * row["x"] - row["z"] + (row["c"] == "q") + chance.gauss(0, 0.1)
            row["big"] = row["y"] > 0
            row["level"] = "high" if row["y"] > 2 else "low" if row["y"] < -2 else "middle"
            self.rows.append(row)
        self.rows[5]["x"] = None
        self.rows[9]["c"] = None

    def parts(self, target):
        from sklearn.model_selection import train_test_split

        frame = pd.DataFrame(self.rows).dropna(subset=["x", "c"])
        features = frame[["x", "z"]].assign(q=(frame.c == "q") * 1.0, r=(frame.c == "r") * 1.0)
        return train_test_split(features.to_numpy(), frame[target].to_numpy(), test_size=0.3, random_state=1)

    def asked(self, **parameters):
        return ask("predict", self.rows, features=["x", "z", "c"], test_size=0.3, random_state=1, **parameters)

    def test_linear_regression_is_that_of_sklearn(self):
        from sklearn.linear_model import LinearRegression

        answer = self.asked(model="linear", target="y", new_data=[{"x": 1, "z": 0, "c": "p"}, {"x": 1, "z": 0, "c": "new"}])
        found = answer["result"]
        train, test, train_y, test_y = self.parts("y")
        model = LinearRegression().fit(train, train_y)
        self.assertEqual(found["features"], ["x", "z", "c=q", "c=r"])
        self.assertTrue(same(list(found["coefficients"].values()), model.coef_.tolist()))
        self.assertTrue(same(found["intercept"], float(model.intercept_)))
        self.assertTrue(same(found["score"]["r2"], model.score(test, test_y)))
        self.assertEqual(found["rows_dropped"], {"count": 2, "indexes": [5, 9]})
        self.assertTrue(same(found["predictions"], [model.predict([[1, 0, 0, 0]])[0].item(), None]))
        self.assertEqual(answer["notes"][0], "2 rows were dropped for a missing value in the target or a feature")

    def test_logistic_regression_is_that_of_sklearn(self):
        from sklearn.linear_model import LogisticRegression

        for target in ("big", "level"):
            found = self.asked(model="logistic", target=target)["result"]
            train, test, train_y, test_y = self.parts(target)
            model = LogisticRegression(max_iter=1000, random_state=1).fit(
                train, train_y.astype(bool if target == "big" else object)
            )
            self.assertEqual(found["score"]["accuracy"], model.score(test, test_y.astype(bool if target == "big" else object)))
            if target == "big":
                self.assertEqual((found["score"]["classes"], found["coefficients_of"]), ([False, True], True))
                self.assertTrue(same(list(found["coefficients"].values()), model.coef_[0].tolist()))
            else:
                self.assertTrue(same(list(found["coefficients"]["high"].values()), model.coef_[0].tolist()))

    def test_forests_are_those_of_sklearn(self):
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        for target, kind in (("y", RandomForestRegressor), ("level", RandomForestClassifier)):
            asked = {"features": ["x", "z"], "test_size": 0.25, "random_state": 3, "n_estimators": 20}
            found = result("predict", self.rows, model="random_forest", target=target, **asked)
            from sklearn.model_selection import train_test_split

            frame = pd.DataFrame(self.rows).dropna(subset=["x"])
            parts = train_test_split(frame[["x", "z"]].to_numpy(), frame[target].to_numpy(), test_size=0.25, random_state=3)
            model = kind(n_estimators=20, random_state=3).fit(parts[0], parts[2])
            self.assertEqual(found["model"], kind.__name__)
            self.assertTrue(
                same(found["importances"], dict(sorted(zip("xz", model.feature_importances_.tolist()), key=lambda one: -one[1])))
            )
            score = found["score"].get("r2", found["score"].get("accuracy"))
            self.assertTrue(same(score, model.score(parts[1], parts[3])))

    def test_columns_that_cannot_be_features_are_left_out_and_named(self):
        answer = ask("predict", self.rows, model="linear", target="y")
        self.assertIn("'l' was not taken as a feature: it is nested", answer["notes"])

    def test_mistakes_are_explained(self):
        for asked, said in (
            ({"model": "linear"}, "needs 'target'"),
            ({"model": "svm", "target": "y"}, "Valid: linear, logistic, random_forest"),
            ({"model": "linear", "target": "yy"}, "there is no column 'yy'. Did you mean 'y'?"),
            ({"model": "linear", "target": "level"}, "predicts numbers"),
            ({"model": "logistic", "target": "y"}, "too many for classes"),
            ({"model": "linear", "target": "y", "features": ["y"]}, "cannot be a feature"),
            ({"model": "linear", "target": "y", "features": ["l"]}, "'l' cannot be a feature: it is nested"),
            ({"model": "linear", "target": "y", "max_depth": 3}, "does not take 'max_depth'"),
            ({"model": "linear", "target": "y", "test_size": 1}, "above 0 and below 1"),
        ):
            with self.subTest(said):
                self.assertIn(said, refusal("predict", self.rows, **asked))
        self.assertIn("there are no rows", refusal("predict", [], model="linear", target="y"))
        self.assertIn("at least 5 are needed", refusal("predict", self.rows[:3], model="linear", target="y", features=["x"]))


if __name__ == "__main__":
    unittest.main()
