"""Requests made by chance over data of every kind: each is answered in JSON, or refused with a reason."""

import datetime
import json
import random
import unittest

from .analyses import AnalysisError, ask, needs_pandas

ODD = [
    0, 1, -1, 2.5, True, False, None, "", "a", "2024-01-01", "2024-02-30", "5", [], [1], {"k": 1}, {"k": {"z": [1]}},
    10**30, 2**62, float("nan"), float("inf"), "\ud800", 1e308, "2024-01-01T00:00:00+05:00",
]
KINDS = [
    ODD, [*ODD, datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1)], [0, 1, 2, None], [0.5, 1.5, None], ["x", "y", None],
    [True, False, None], ["2024-01-01", "2024-05-01", None], [None], [{"k": 1}, {"k": 2}, None], [[1], [2]],
    [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 6, 1), None], [10**30, 1], [1, "a"],
    [1.0, float("nan")], [2**62, -(2**62)],
]
OPERATORS = ("==", "!=", "<", ">=", "in", "not_in", "contains", "starts_with", "regex", "between", "is_null")
FUNCTIONS = ("sum", "mean", "median", "min", "max", "count", "std", "first", "last", "nunique", "p95")
CALLS = (
    ("abs", 1), ("floor", 1), ("log", 1), ("min", 2), ("len", 1), ("lower", 1), ("text", 1), ("number", 1), ("coalesce", 3),
    ("year", 1),
)


class Maker:
    """Makes requests; the same seed makes the same."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.pick = self.chance.choice

    def rows(self):
        kinds = {name: self.pick(KINDS) for name in "abcd"}
        return [
            {name: self.pick(kind) for name, kind in kinds.items() if self.chance.random() < 0.95}
            for _ in range(self.pick([0, 1, 2, 9]))
        ]

    def fields(self, most=3):
        return self.chance.sample("abcd", self.chance.randrange(1, most + 1))

    def condition(self, depth=2):
        if depth and self.chance.random() < 0.3:
            return {
                "logic": self.pick(["AND", "OR"]),
                "conditions": [self.condition(depth - 1) for _ in range(self.chance.randrange(3))],
            }
        operator = self.pick(OPERATORS)
        value = {"in": [self.pick(ODD), self.pick(ODD)], "not_in": [self.pick(ODD)], "between": [0, self.pick([5, None])]}
        return {
            "field": self.pick(["a", "b", "c", "d", "a.k"]),
            "operator": operator,
            "value": value.get(operator, self.pick(ODD)),
        }

    def expression(self, depth=3):
        if depth == 0 or self.chance.random() < 0.2:
            return self.pick(["a", "b", "c", "d", "1", "2.5", "'x'", "null", "true", "0", "'2024-01-01'"])
        sign = self.pick(["+", "-", "*", "/", "//", "%", "**", "<", ">=", "==", "!=", "and", "or", "if 1 else", "call"])
        if sign == "call":
            name, count = self.pick(CALLS)
            return f"{name}({', '.join(self.expression(depth - 1) for _ in range(count))})"
        return f"({self.expression(depth - 1)} {sign} {self.expression(depth - 1)})"

    def step(self):
        return self.pick([
            lambda: {"select": self.fields()},
            lambda: {"computed": {self.pick("ae"): self.expression()}},
            lambda: {"cast": {self.pick("abcd"): self.pick(["int", "float", "text", "bool", "date"])}},
            lambda: {"filter": [self.condition()]},
            lambda: {"sort": ["-" + one for one in self.fields(2)]},
            lambda: {"dedupe": self.fields()},
            lambda: {"join": {"with": self.rows(), "on": self.fields(2), "how": self.pick(["inner", "left", "right", "outer"])}},
            lambda: {"pivot": {"index": "a", "columns": "b", "values": "c", "function": self.pick(FUNCTIONS)}},
            lambda: {"unpivot": {"keep": ["a"], "fields": self.fields()}},
        ])()

    def request(self):
        """A type of analysis and its parameters."""
        rule = self.pick(
            [{"type": "date"}, {"type": "number", "min": 0}, {"unique": True}, {"pattern": "a"}, {"allowed": [self.pick(ODD)]}]
        )
        times = {"resample": self.pick(["day", "week", "month"]), "rolling": self.pick([2, "3 days"]), "diff": 1, "gaps": "day"}
        return self.pick(
            [
                lambda: ("filter", {"conditions": [self.condition() for _ in range(2)], "sort": self.fields(2)}),
                lambda: (
                    "aggregate",
                    {"group_by": self.fields(2), "aggregations": {one: [self.pick(FUNCTIONS)] for one in self.fields()}},
                ),
                lambda: ("transform", {"steps": [self.step() for _ in range(3)]}),
                lambda: ("validate", {"rules": {one: rule for one in self.fields()}}),
                lambda: ("timeseries", {"time_field": self.pick("abcd"), "seasonal": "month", **times}),
                lambda: ("correlate", {"fields": self.fields(), "method": "spearman"}),
                lambda: ("describe", {}),
            ]
        )()


@needs_pandas
class Chance(unittest.TestCase):
    def test_every_request_is_answered_or_refused_with_a_reason(self):
        answered = 0
        for seed in range(600):
            maker = Maker(seed)
            (kind, parameters), rows = maker.request(), maker.rows()
            with self.subTest(seed=seed, kind=kind, parameters=parameters):
                try:
                    first = ask(kind, rows, **parameters)
                except AnalysisError as error:
                    self.assertNotIn("could not be computed", str(error))
                    self.assertLess(len(str(error)), 2000)
                else:
                    answered += 1
                    self.assertEqual(json.dumps(first), json.dumps(ask(kind, rows, **parameters)))
        self.assertGreater(answered, 300)


if __name__ == "__main__":
    unittest.main()
