"""Filters: what conditions mean, and that they agree with pandas on rows made by chance."""

import random
import time
import unittest

from .analyses import CITIES, ask, chance_rows, frame_of, needs_pandas, pd, refusal, result

ROWS = [
    {"id": 1, "city": "Bonn", "n": 5, "when": "2024-01-10", "tags": ["a", "b"], "deep": {"x": {"y": 1}, "l": [7, 8]}},
    {"id": 2, "city": None, "n": 7.5, "when": "2024-02-10T12:00:00Z", "tags": ["b"], "deep": {"x": {"y": 2}, "l": [9]}},
    {"id": 3, "city": "Kiel", "n": "7", "when": "2024-02-10T13:00:00+02:00", "tags": [], "deep": None},
    {"id": 4, "city": "bonn", "n": None, "when": None, "tags": None},
]


def ids(*conditions, **parameters):
    return [row["id"] for row in result("filter", ROWS, conditions=list(conditions), **parameters)]


def condition(field, operator, value=None):
    return {"field": field, "operator": operator, "value": value}


@needs_pandas
class Meaning(unittest.TestCase):
    def test_every_operator(self):
        for field, operator, value, found in (
            ("city", "==", "Bonn", [1]),
            ("city", "!=", "Bonn", [2, 3, 4]),
            ("id", "lt", 3, [1, 2]),
            ("id", "<=", 3, [1, 2, 3]),
            ("id", "gt", 3, [4]),
            ("id", "ge", 3, [3, 4]),
            ("city", "in", ["Bonn", None], [1, 2]),
            ("city", "not_in", ["Bonn", "Kiel"], [2, 4]),
            ("city", "contains", "on", [1, 4]),
            ("city", "starts_with", "B", [1]),
            ("city", "ends_with", "l", [3]),
            ("city", "regex", "^[bB]o+", [1, 4]),
            ("id", "between", [2, 3], [2, 3]),
            ("id", "between", [None, 3], [1, 2, 3]),
            ("city", "is_null", None, [2]),
            ("city", "not_null", None, [1, 3, 4]),
            ("city", "==", None, [2]),
            ("city", ">", "Bonn", [3, 4]),
            ("tags", "contains", "a", [1]),
            ("tags", "==", ["b"], [2]),
            ("deep.x.y", "==", 2, [2]),
            ("deep.l.1", "==", 8, [1]),
            ("deep", "is_null", None, [3, 4]),
        ):
            with self.subTest(field=field, operator=operator):
                self.assertEqual(ids(condition(field, operator, value)), found)
        self.assertEqual(ids({"field": "city", "operator": "contains", "value": "BO", "case_sensitive": False}), [1, 4])
        self.assertEqual(ids({"field": "city", "operator": "regex", "value": "^BO", "case_sensitive": False}), [1, 4])

    def test_a_date_among_other_values_is_still_compared_as_a_time(self):
        """However the same question is asked, the answer is that of each value on its own."""
        dated = ["2024-01-01T00:00:00Z", "n/a", "2024-01-01T01:00:00+01:00", None, "2024-06-01", "x"]
        for cells, values, found in (
            (dated, ["2024-01-01", "n/a"], [0, 1, 2]),
            (dated, ["2024-01-01", 5], [0, 2]),
            (dated, ["2024-06-01T00:00:00Z", None, [1]], [3, 4]),
            ([*dated, 5, True], ["2024-01-01", 5], [0, 2, 6]),
            ([*dated, [1]], ["2024-01-01", [1]], [0, 2, 6]),
            (["2024-01-01T00:00:00Z", None], ["2024-01-01", "2024-13-45", "n/a"], [0]),
            ([pd.Timestamp("2024-01-01"), None], ["2024-01-01T00:00:00Z", [1]], [0]),
        ):
            rows = [{"n": at, "d": one} for at, one in enumerate(cells)]
            others = [at for at in range(len(rows)) if at not in found]
            each = [condition("d", "==", one) for one in values]
            no_one = [condition("d", "!=", one) for one in values]
            with self.subTest(cells=cells, values=values):
                for asked, logic, wanted in (
                    (each, "OR", found),
                    ([condition("d", "in", values)], "AND", found),
                    ([condition("d", "not_in", values)], "AND", others),
                    (no_one, "AND", others),
                ):
                    answered = result("filter", rows, conditions=asked, logic=logic)
                    self.assertEqual([row["n"] for row in answered], wanted)

    def test_true_and_false_equal_no_number_but_one_and_nought(self):
        for cells in ([True, False], [True, False, None]):
            rows = [{"n": at, "b": one} for at, one in enumerate(cells)]
            for value, found in ((1, [0]), (1.0, [0]), (0, [1]), (2, []), (1 << 40, []), (-(1 << 70), []), (0.5, []), (1e300, [])):
                others = [at for at in range(len(rows)) if at not in found]
                with self.subTest(cells=cells, value=value):
                    for operator, wanted in (("==", found), ("!=", others)):
                        answered = result("filter", rows, conditions=[condition("b", operator, value)])
                        self.assertEqual([row["n"] for row in answered], wanted)
        notes = ask("filter", [{"b": True}], conditions=[condition("b", "==", 1 << 40)])["notes"]
        self.assertIn("'b' holds true and false, so nothing in it equals the number 1099511627776", notes)

    def test_many_conditions_are_each_of_them(self):
        chance = random.Random(6)
        pool = [0, 1, 2.5, True, None, "", "a", "1", "2024-01-01", "2024-01-01T01:00:00+01:00", "n/a", 10**18 + 1, [1], {"k": 1}]
        columns = (
            [0, 1, 2.5, None], ["a", "", None], ["2024-01-01", "2024-06-01"], ["2024-01-01T00:00:00Z", "n/a", None],
            [True, False, None], [1, "a", None], pool, [10**18 + 1, None], [[1], [], None], [None], ["2024-01-01", 5],
        )
        for _ in range(300):
            column = chance.choice(columns)
            rows = [{"n": at, "x": chance.choice(column)} for at in range(8)]
            values = [chance.choice(chance.choice((pool, column))) for _ in range(3)]
            conditions = [condition("x", "==", one) for one in values]
            each = [{row["n"] for row in result("filter", rows, conditions=[one])} for one in conditions]
            with self.subTest(rows=rows, values=values):
                either = result("filter", rows, conditions=conditions, logic="OR")
                self.assertEqual({row["n"] for row in either}, set().union(*each))

    def test_letters_may_be_large_or_small_where_that_is_asked_for(self):
        def any_case(field, operator, value):
            return {**condition(field, operator, value), "case_sensitive": False}

        for asked, found in (
            (any_case("city", "==", "BONN"), [1, 4]),
            (any_case("city", "!=", "BONN"), [2, 3]),
            (any_case("city", "in", ["kiel", None, 5]), [2, 3]),
            (any_case("city", "not_in", ["kiel", None, 5]), [1, 4]),
            (any_case("n", "in", ["7", 5]), [1, 3]),
            (any_case("when", "==", "2024-02-10T11:00:00Z"), [3]),
            (any_case("id", "==", 2), [2]),
            (any_case("city", "==", None), [2]),
            (any_case("tags", "==", ["b"]), [2]),
        ):
            with self.subTest(asked=asked):
                self.assertEqual(ids(asked), found)
        self.assertEqual(ids(any_case("city", "==", "BONN"), any_case("city", "==", "KIEL"), logic="OR"), [1, 3, 4])
        self.assertEqual(ids(any_case("city", "==", "BONN"), condition("city", "==", "KIEL"), logic="OR"), [1, 4])
        self.assertEqual(ids(any_case("city", "!=", "BONN"), condition("city", "!=", "KIEL")), [2, 3])

    def test_conditions_nest(self):
        either = {"logic": "OR", "conditions": [condition("id", "==", 1), condition("id", "==", 4)]}
        self.assertEqual(ids(either, condition("city", "==", "Bonn")), [1])
        self.assertEqual(ids({"not": either}), [2, 3])
        self.assertEqual(ids({"not": [condition("id", ">", 1), condition("id", "<", 4)]}), [1, 4])
        self.assertEqual(ids(condition("id", "==", 1), condition("id", "==", 2), logic="or"), [1, 2])
        self.assertEqual(ids(), [1, 2, 3, 4])

    def test_dates_are_compared_as_times(self):
        self.assertEqual(ids(condition("when", ">=", "2024-02-10")), [2, 3])
        # 13:00 two hours east of Greenwich is before noon.
        self.assertEqual(ids(condition("when", "<", "2024-02-10T12:00:00Z")), [1, 3])
        self.assertEqual(ids(condition("when", "==", "2024-02-10T11:00:00")), [3])
        self.assertEqual(ids(condition("when", "in", ["2024-01-10T00:00:00Z", "2024-02-10T12:00:00"])), [1, 2])
        self.assertEqual(ids(condition("when", "between", ["2024-01-01", "2024-01-31"])), [1])
        self.assertIn("is no date: write YYYY-MM-DD", refusal("filter", ROWS, conditions=condition("when", ">", "2024-13-45")))
        far = [{"d": "9999-12-31"}, {"d": "0001-01-01"}, {"d": "2024-99-99"}]
        answer = ask("filter", far, conditions=condition("d", ">", "2024-01-01"))
        self.assertEqual(answer["result"], far[:1])
        self.assertEqual(answer["notes"], ["1 row has no date in 'd' although others do; '>' left them out"])

    def test_text_that_is_no_date_is_compared_as_text(self):
        rows = [{"v": "2024-01-01-alpha"}, {"v": "beta"}]
        self.assertEqual(result("filter", rows, conditions=condition("v", ">", "2024-01-01")), rows)

    def test_values_of_another_kind_are_left_out_and_counted(self):
        answer = ask("filter", ROWS, conditions=condition("n", ">", 4))
        self.assertEqual([row["id"] for row in answer["result"]], [1, 2])
        self.assertEqual(answer["notes"], ["'n' holds values of several kinds: 1 row has no number; '>' left them out"])
        answer = ask("filter", ROWS, conditions=condition("n", ">=", "7"))
        self.assertEqual([row["id"] for row in answer["result"]], [3])
        self.assertIn("2 rows have no text", answer["notes"][0])
        answer = ask("filter", ROWS, conditions=condition("city", "==", 5))
        said = "'city' holds text, so nothing in it equals the number 5; as a text it is written in quotes: \"5\""
        self.assertEqual((answer["result"], answer["notes"]), ([], [said]))
        answer = ask("filter", ROWS, conditions=condition("city", "in", [True]))
        self.assertTrue(answer["notes"][0].endswith('it is written in quotes: "true"'), answer["notes"])

    def test_rows_come_back_as_they_were(self):
        self.assertEqual(result("filter", ROWS, conditions=condition("id", "<=", 4)), ROWS)

    def test_select_sort_limit_and_offset(self):
        found = ask(
            "filter", ROWS, select=["id", "deep.x.y"], sort=["-city", {"field": "id", "order": "desc"}], offset=1, limit=2
        )
        self.assertEqual(found["result"], [{"id": 3, "deep.x.y": None}, {"id": 1, "deep.x.y": 1}])
        self.assertEqual(found["notes"], ["4 rows matched; 'limit' and 'offset' leave 2"])
        self.assertEqual(ids(sort="-n"), [3, 2, 1, 4])
        self.assertEqual(ids(sort="tags", limit=2), [1, 2])
        self.assertEqual(ids(limit=0), [])

    def test_mistakes_are_explained(self):
        for conditions, said in (
            (
                condition("ctiy", "==", 1),
                "there is no column 'ctiy'. Did you mean 'city'? The columns: id, city, n, when, tags, deep",
            ),
            (condition("deep.z", "==", 1), "there is no 'z' in 'deep' of any row. It has: x, l"),
            (condition("city", "like", 1), "'operator' of conditions[0] is 'like'. Valid: ==, !=, <"),
            (condition("city", "contans", 1), "Did you mean 'contains'?"),
            (condition("city", ["=="], 1), "is a list of 1"),
            (condition("city", "<", 5), "holds text, which '<' cannot compare with the number 5; a transform with a 'cast' step"),
            (
                condition("id", "<", "5"),
                "holds numbers, which '<' cannot compare with the text '5'; write numbers without quotes",
            ),
            (condition("id", "<", [5]), "must be a number, a text or a date for '<', not a list of 1"),
            (condition("id", "<", float("nan")), "must be a number"),
            (condition("id", "in", 5), "must be a list for 'in'"),
            (condition("id", "between", [1]), "must be [lowest, highest]"),
            (condition("id", "contains", "1"), "'contains' needs text, and 'id' holds numbers"),
            (condition("city", "contains", 1), "needs a text as 'value' for 'city', not 1; as a text it is written in quotes: \"1\""),
            (condition("city", "starts_with", 1), "must be a text"),
            (condition("city", "regex", "(["), "is no valid regular expression: '(['"),
            (condition("city", "regex", "a" * 20_000), "at most 10000 are taken"),
            (condition("city", "regex", "a{99999999999999}"), "is no valid regular expression"),
            ({"field": "city", "operator": "=="}, "needs 'value'"),
            ({"operator": "==", "value": 1}, "needs 'field'"),
            ({"field": 5, "value": 1}, "'field' of conditions[0] must be a text, not 5"),
            ({"field": "city", "operatr": "==", "value": 1}, "Did you mean 'operator'?"),
            ({"logic": "XOR", "conditions": []}, "'logic' of conditions[0].conditions is 'XOR'. "),
            ({"logic": "NOT", "conditions": []}, '{"not": {...}}'),
            ({"logic": "OR", "conditions": 5}, "must be a list of conditions"),
            ({1: 2}, "has no parameter 1"),
            ("city == 'Bonn'", "must be a list of conditions"),
        ):
            with self.subTest(said):
                self.assertIn(said, refusal("filter", ROWS, conditions=conditions))
        self.assertIn("whole number from 0, not -1", refusal("filter", ROWS, limit=-1))
        self.assertIn("has 'id' twice", refusal("filter", ROWS, select=["id", "id"]))
        self.assertIn('must be "field", "-field"', refusal("filter", ROWS, sort=[5]))


@needs_pandas
class Hostile(unittest.TestCase):
    def test_deep_nesting_is_refused(self):
        nested = condition("id", "==", 1)
        for _ in range(5000):
            nested = {"not": nested}
        self.assertIn("nested more than 50 deep", refusal("filter", ROWS, conditions=nested))

    def test_ten_thousand_conditions_are_one_question(self):
        rows = [{"id": at} for at in range(20_000)]
        many = [condition("id", "==", at * 2) for at in range(10_000)]
        start = time.process_time()
        self.assertEqual(len(result("filter", rows, conditions=many, logic="OR")), 10_000)
        unlike = [condition("id", "!=", at * 2) for at in range(10_000)]
        self.assertEqual(len(result("filter", rows, conditions=unlike)), 10_000)
        self.assertLess(time.process_time() - start, 5)
        self.assertIn("more than 100000 conditions", refusal("filter", rows, conditions=many * 11))

    def test_notes_do_not_pile_up(self):
        many = [condition("city", ">=", "") for _ in range(3)] + [condition("city", "==", at) for at in range(200)]
        answer = ask("filter", ROWS, conditions=[{"logic": "OR", "conditions": [one]} for one in many], logic="OR")
        self.assertLessEqual(len(answer["notes"]), 51)

    def test_huge_texts_are_values_like_others_and_short_in_messages(self):
        huge = "x" * 3_000_000
        rows = [{"a": huge}, {"a": "y"}]
        self.assertEqual(len(result("filter", rows, conditions=condition("a", "==", huge))), 1)
        self.assertEqual(len(result("filter", rows, conditions=condition("a", "contains", huge))), 1)
        self.assertLess(len(refusal("filter", rows, conditions=condition(huge, "==", 1))), 500)
        self.assertLess(len(refusal("filter", rows, conditions=condition("a", huge, 1))), 700)

    def test_numbers_beyond_all_columns(self):
        rows = [{"a": 1}, {"a": 2}]
        self.assertEqual(result("filter", rows, conditions=condition("a", "<", 10**40)), rows)
        self.assertEqual(result("filter", rows, conditions=condition("a", "in", [10**40, 2.0, 1.5, True])), rows)
        self.assertEqual(result("filter", rows, conditions=condition("a", "==", 1e300)), [])

    def test_surrogates_and_odd_names(self):
        rows = [{"\ud800": "\udfff", "": 1, "a.b": 2, "__class__": 3}]
        self.assertEqual(
            result("filter", rows, conditions=[condition("\ud800", "==", "\udfff"), condition("a.b", "==", 2)]), rows
        )
        self.assertEqual(result("filter", rows, conditions=condition("__class__", "==", 3)), rows)
        said = "there is no '__mro__' in '__class__' of any row. It holds no nested records"
        self.assertEqual(refusal("filter", rows, conditions=condition("__class__.__mro__", "==", 3)), said)


# --- agreement with pandas ----------------------------------------------------------------------


def chance_leaf(chance, frame):
    """A condition, and the rows that pandas finds for it."""
    kind = chance.choice(["number", "float", "text", "in", "null", "between", "date", "bool", "like", "path"])
    if kind in ("number", "float", "path"):
        field, column = {"number": ("n", "n"), "float": ("f", "f"), "path": ("inner.x", "x")}[kind]
        value = chance.choice([chance.randrange(-5, 6), round(chance.uniform(-3, 3), 1)])
        name = chance.choice(["==", "!=", "<", "<=", ">", ">="])
        method = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[name]
        return condition(field, chance.choice([name, method]), value), getattr(frame[column], method)(value)
    if kind == "text":
        value = chance.choice(CITIES)
        name, found = chance.choice([("==", frame.s == value), ("!=", frame.s != value), ("<", frame.s < value)])
        return condition("s", name, value), found
    if kind == "in":
        values = chance.sample(CITIES, chance.randrange(4))
        found = frame.s.isin(values)
        return chance.choice([(condition("s", "in", values), found), (condition("s", "not_in", values), ~found)])
    if kind == "null":
        field = chance.choice("nfsd")
        return chance.choice(
            [(condition(field, "is_null"), frame[field].isna()), (condition(field, "not_null"), frame[field].notna())]
        )
    if kind == "between":
        low, high = sorted([chance.randrange(-5, 6), chance.randrange(-5, 6)])
        return condition("n", "between", [low, high]), frame.n.between(low, high)
    if kind == "date":
        value = f"2024-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
        stamp = pd.Timestamp(value)
        name, found = chance.choice([("<", frame.d < stamp), (">=", frame.d >= stamp), ("==", frame.d == stamp)])
        return condition("d", name, value), found
    if kind == "bool":
        value = chance.random() < 0.5
        return condition("b", "==", value), frame.b == value
    name, value, found = chance.choice([
        ("contains", "n", frame.s.str.contains("n", regex=False)),
        ("starts_with", "B", frame.s.str.startswith("B")),
        ("ends_with", "l", frame.s.str.endswith("l")),
        ("regex", "^.o", frame.s.str.contains("^.o")),
    ])
    return condition("s", name, value), found.fillna(False).astype(bool)


def chance_tree(chance, frame, depth):
    if depth == 0 or chance.random() < 0.3:
        return chance_leaf(chance, frame)
    if chance.random() < 0.2:
        inner, found = chance_tree(chance, frame, depth - 1)
        return {"not": inner}, ~found
    logic = chance.choice(["AND", "OR"])
    parts = [chance_tree(chance, frame, depth - 1) for _ in range(chance.randrange(1, 4))]
    found = parts[0][1]
    for _, other in parts[1:]:
        found = found & other if logic == "AND" else found | other
    return {"logic": logic, "conditions": [one for one, _ in parts]}, found


@needs_pandas
class Agreement(unittest.TestCase):
    def test_conditions_find_what_pandas_finds(self):
        for seed in range(400):
            chance = random.Random(seed)
            rows = chance_rows(chance, chance.choice([1, 5, 40]))
            # So that no column is empty, which would have no kind.
            rows += [{"id": -1, "n": 1, "f": 1.5, "s": "Bonn", "b": True, "d": "2024-01-01", "inner": {"x": 0}}]
            frame = frame_of(rows)
            tree, found = chance_tree(chance, frame, 3)
            with self.subTest(seed=seed, tree=tree):
                self.assertEqual(
                    result("filter", rows, conditions=tree), [row for row, keep in zip(rows, found.tolist()) if keep]
                )

    def test_sorting_agrees_with_pandas(self):
        for seed in range(100):
            chance = random.Random(seed)
            rows = chance_rows(chance, 30)
            fields = chance.sample(["n", "f", "s", "b", "d"], chance.randrange(1, 4))
            falling = [chance.random() < 0.5 for _ in fields]
            keys = [("-" if down else "") + field for field, down in zip(fields, falling)]
            start, count = chance.randrange(5), chance.randrange(30)
            wanted = frame_of(rows).sort_values(fields, ascending=[not down for down in falling], kind="stable")
            wanted = wanted.iloc[start : start + count].id.tolist()
            found = result("filter", rows, sort=keys, offset=start, limit=count, select="id")
            self.assertEqual([row["id"] for row in found], wanted, (seed, keys))


if __name__ == "__main__":
    unittest.main()
