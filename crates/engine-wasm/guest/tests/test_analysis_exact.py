"""Whole numbers that floats would change stay as they are, or it is said that they did not."""

import asyncio
import decimal
import unittest

from .analyses import analysis, ask, needs_pandas, result

# No float is this number; the nearest is one less.
BIG = 2**53 + 1
BELOW = float(BIG)
OTHERS = (None, "x", "", "1.5", 1.5, [1])


def steps(data, *asked):
    return result("transform", data, steps=list(asked))


def computed(data, expression):
    return [row["it"] for row in steps(data, {"computed": {"it": expression}})]


def found(data, operator, value):
    """The values of `a` for which a condition holds."""
    condition = {"field": "a", "operator": operator, "value": value}
    return [row["a"] for row in result("filter", data, conditions=condition)]


@needs_pandas
class Casts(unittest.TestCase):
    def test_a_cast_keeps_ids_whatever_is_beside_them(self):
        for other in OTHERS:
            for one in (BIG, str(BIG), f" {BIG}.0", f"+{BIG}"):
                with self.subTest(one=one, other=other):
                    self.assertEqual(steps([{"id": one}, {"id": other}], {"cast": {"id": "int"}})[0], {"id": BIG})

    def test_digits_are_an_int_however_many_there_are(self):
        for text in ("12345678901234567890123", "-9223372036854775809", "18446744073709551616"):
            answer = ask("transform", [{"id": text}, {"id": None}], steps=[{"cast": {"id": "int"}}])
            self.assertEqual((answer["result"], answer["notes"]), ([{"id": int(text)}, {"id": None}], []))
        answer = ask("transform", [{"id": "1e300"}, {"id": "9" * 5000}], steps=[{"cast": {"id": "int"}}])
        self.assertEqual(answer["result"], [{"id": None}, {"id": None}])
        self.assertEqual(answer["notes"], ["'cast' found 2 rows with a value in 'id' that is no int; they have null now"])

    def test_number_keeps_ids_whatever_is_beside_them(self):
        for other in OTHERS:
            for one in (BIG, str(BIG)):
                with self.subTest(one=one, other=other):
                    self.assertEqual(computed([{"id": one}, {"id": other}], "number(id)")[0], BIG)


@needs_pandas
class Expressions(unittest.TestCase):
    def test_arithmetic_is_exact_beside_other_values(self):
        for other in OTHERS[:1] + OTHERS[4:]:
            for expression, wanted in (
                ("a + 1", BIG + 1), ("a - 1", BIG - 1), ("-a", -BIG), ("a * 3", BIG * 3), ("a // 2", BIG // 2),
                ("a % 10", BIG % 10), ("abs(0 - a)", BIG), ("round(a)", BIG), ("floor(a)", BIG),
                ("max(a, 1.5)", BIG), ("coalesce(a, 0)", BIG),
            ):
                with self.subTest(expression, other=other):
                    self.assertEqual(computed([{"a": BIG}, {"a": other}], expression)[0], wanted)

    def test_divisions_of_whole_numbers_stay_whole_beside_gaps(self):
        huge = 2**60 + 1
        for other in ({"a": 5, "b": None}, {"a": 5, "b": 0}, {"a": None, "b": 3}):
            rows = [{"a": huge, "b": 1}, {"a": -9, "b": 2}, other]
            self.assertEqual(repr(computed(rows, "a // b")), repr([huge, -5, None]))
            self.assertEqual(repr(computed(rows, "a % b")), repr([0, 1, None]))
        self.assertEqual(repr(computed([{"b": 2}, {"b": None}, {"b": 0}], "9 // b")), repr([4, None, None]))
        self.assertEqual(repr(computed([{"a": huge}, {"a": None}], "a // 2")), repr([huge // 2, None]))
        self.assertEqual(computed([{"a": 9.5}, {"a": None}], "a // 2"), [4.0, None])
        self.assertEqual(computed([{"a": -(2**63), "b": -1}], "a // b"), [2.0**63])

    def test_the_opposite_of_the_least_number_is_not_that_number(self):
        least = -(2**63)
        for rest in ([], [None], [5, None]):
            rows = [{"a": one} for one in (least, *rest)]
            wanted = [2**63, *rest]
            self.assertEqual(computed(rows, "abs(a)"), wanted)
            self.assertEqual(computed(rows, "-a"), [one and -one for one in (least, *rest)])
        self.assertEqual(computed([{"a": 1}], f"abs({least})"), [2**63])
        self.assertEqual(computed([{"a": 1}, {"a": None}], "-a"), [-1, None])

    def test_whole_numbers_are_rounded_as_they_are(self):
        rows = [{"a": 2**63 - 1}, {"a": -(2**63)}, {"a": None}]
        self.assertEqual(computed(rows, "round(a, -3)"), [9223372036854776000, -9223372036854776000, None])
        self.assertEqual(computed([{"a": 15}, {"a": 25}], "round(a, -1)"), [20, 20])

    def test_columns_are_compared_as_they_are(self):
        rows = [{"a": BIG, "b": BELOW}]
        for expression, wanted in (("a == b", False), ("a > b", True), ("b >= a", False), ("a != b", True)):
            self.assertEqual(computed(rows, expression), [wanted], expression)
        self.assertEqual(computed(rows, "max(a, b)"), [BIG])
        self.assertEqual(computed([{"a": BIG, "b": float("inf")}, {"a": BIG, "b": None}], "a < b"), [True, False])

    def test_what_leaves_64_bits_is_a_float_and_said(self):
        answer = ask("transform", [{"a": 2**70}, {"a": 0}], steps=[{"computed": {"it": "a + 1", "far": f"a * {10**24}"}}])
        self.assertEqual([row["it"] for row in answer["result"]], [2.0**70, 1])
        said = "gives whole numbers beyond 64 bits; they are floating-point numbers now"
        self.assertEqual(answer["notes"], [f"'+' {said}", f"'*' {said}"])
        self.assertEqual(computed([{"a": 0}], f"a * {10**24}"), [0])
        self.assertEqual(computed([{"a": 2**70}], "a % 0"), [None])
        self.assertEqual(computed([{"a": 1}], f"a > -{10**24}"), [True])


@needs_pandas
class Figures(unittest.TestCase):
    def test_sums_and_extremes_are_exact_beside_other_values(self):
        for other in ("x", None, [1]):
            found = result("aggregate", [{"a": BIG}, {"a": 2}, {"a": other}], aggregations={"a": ["sum", "max", "min"]})
            self.assertEqual(found, [{"a_sum": BIG + 2, "a_max": BIG, "a_min": 2}])
        self.assertEqual(result("aggregate", [{"a": BIG}, {"a": 0.5}], aggregations={"a": "max"}), [{"a_max": BIG}])

    def test_a_description_is_exact_beside_other_values(self):
        for other in ("x", None):
            rows = [{"a": BIG}, {"a": other}, *[{"a": at} for at in range(20)]]
            found = result("describe", rows)["fields"]["a"]
            self.assertEqual((found["sum"], found["min"], found["max"]), (BIG + 190, 0, BIG))
            self.assertEqual(found["outliers"]["iqr"]["samples"], [{"index": 0, "value": BIG}])
        huge = result("describe", [{"a": 10**400}, {"a": 1}])["fields"]["a"]
        self.assertEqual((huge["max"], huge["sum"]), (10**400, 10**400 + 1))
        self.assertEqual(result("describe", [{"a": 10**400}, {"a": 0.5}])["fields"]["a"]["max"], 10**400)

    def test_a_figure_that_rounds_says_so(self):
        answer = ask("aggregate", [{"a": BIG}, {"a": 2**60}], aggregations={"a": ["median"]})
        said = "'median' computes with floating-point numbers: 1 row has a whole number in 'a' that is rounded"
        self.assertEqual(answer["notes"], [said])
        self.assertEqual(ask("aggregate", [{"a": 2**60}], aggregations={"a": ["median"]})["notes"], [])

    def test_changes_over_time_are_exact(self):
        rows = [{"t": f"2024-01-0{at}", "a": BIG + at} for at in range(1, 4)]
        found = result("timeseries", rows, time_field="t", diff=1)["rows"]
        self.assertEqual([row["a_diff"] for row in found], [None, 1, 1])


@needs_pandas
class Comparisons(unittest.TestCase):
    def test_whole_numbers_are_compared_with_floats_as_they_are(self):
        whole = [{"a": BIG}, {"a": None}]
        for operator, value, wanted in (
            ("==", BELOW, []), (">", BELOW, [BIG]), ("in", [BELOW], []), ("==", BIG, [BIG]), ("in", [BIG], [BIG]),
        ):
            self.assertEqual(found(whole, operator, value), wanted, operator)
        for operator, value, wanted in (
            ("==", BIG, []), ("<", BIG, [BELOW]), (">=", BIG, []), ("in", [BIG, 10**400], []), ("in", [BIG - 1], [BELOW]),
        ):
            self.assertEqual(found([{"a": BELOW}, {"a": None}], operator, value), wanted, operator)

    def test_keys_of_a_join_are_compared_as_they_are(self):
        other = [{"a": BELOW, "v": 1}, {"a": 1.0, "v": 2}]
        self.assertEqual(steps([{"a": BIG}, {"a": 1}], {"join": {"with": other, "on": "a"}}), [{"a": 1, "v": 2}])

    def test_the_type_of_a_number_does_not_depend_on_its_size(self):
        rules = {"a": {"type": "integer"}}
        self.assertTrue(result("validate", [{"a": 10**400}, {"a": BIG}, {"a": 2.0}], rules=rules)["valid"])
        self.assertEqual(result("validate", [{"a": BIG}, {"a": 1.5}, {"a": "x"}, {"a": True}], rules=rules)["rows_invalid"], 3)


@needs_pandas
class Ways(unittest.TestCase):
    def test_csv_keeps_whole_numbers_beside_floats(self):
        self.assertEqual(result("filter", f"a,b\n{BIG},1\n1.5,2\n,3\n"), [
            {"a": BIG, "b": 1}, {"a": 1.5, "b": 2}, {"a": None, "b": 3},
        ])
        self.assertEqual(result("filter", "a,b\n18446744073709551616,1\n,2\n")[1], {"a": None, "b": 2})

    def test_decimals_keep_their_digits(self):
        self.assertEqual(found([{"a": decimal.Decimal(BIG)}, {"a": decimal.Decimal("1.50")}], ">", 0), [BIG, 1.5])

    def test_a_result_as_a_table_keeps_them_beside_missing_ones(self):
        request = {"analysis_type": "filter", "data": [{"a": BIG}, {"a": None, "b": 1}]}
        table = asyncio.run(analysis.run(request, as_table=True))
        self.assertEqual((table["a"].tolist()[0], list(table.columns), len(table)), (BIG, ["a", "b"], 2))


if __name__ == "__main__":
    unittest.main()
