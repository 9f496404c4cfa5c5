"""Times that are written with zones are ordered by when they are, and shown as they came."""

import random
import unittest

from .analyses import ask, needs_pandas, pd, refusal, result

# Ten in Tokyo, nine in New York, five in London: 01:00, 14:00 and 05:00 UTC.
TOKYO, NEW_YORK, LONDON = "2024-06-01T10:00:00+09:00", "2024-06-01T09:00:00-05:00", "2024-06-01T05:00:00Z"
ROWS = [{"t": TOKYO, "u": LONDON}, {"t": NEW_YORK, "u": TOKYO}, {"t": LONDON, "u": None}]


def computed(rows, expression):
    return [row["it"] for row in result("transform", rows, steps=[{"computed": {"it": expression}}])]


def in_order(rows, by):
    return [row["t"] for row in result("filter", rows, sort=by)]


@needs_pandas
class Order(unittest.TestCase):
    def test_zones_are_seen_by_every_order(self):
        self.assertEqual(in_order(ROWS, "t"), [TOKYO, LONDON, NEW_YORK])
        self.assertEqual(in_order(ROWS, "-t"), [NEW_YORK, LONDON, TOKYO])
        found = result("aggregate", ROWS, aggregations={"t": ["min", "max"]})
        self.assertEqual(found, [{"t_min": TOKYO, "t_max": NEW_YORK}])
        self.assertEqual(computed(ROWS, "max(t, u)"), [LONDON, NEW_YORK, LONDON])
        self.assertEqual(computed(ROWS, "min(t, u)"), [TOKYO, TOKYO, LONDON])
        self.assertEqual(computed(ROWS, "max(t, '2024-06-01T04:00')"), ["2024-06-01T04:00", NEW_YORK, LONDON])
        groups = result("aggregate", ROWS, group_by=["t"])
        self.assertEqual([row["t"] for row in groups], [TOKYO, LONDON, NEW_YORK])

    def test_a_time_without_a_zone_among_others_is_utc(self):
        rows = [*ROWS, {"t": "2024-06-01 03:00"}, {"t": None}, {"t": "2024-06-01"}]
        wanted = ["2024-06-01", TOKYO, "2024-06-01 03:00", LONDON, NEW_YORK, None]
        self.assertEqual(in_order(rows, "t"), wanted)
        found = result("aggregate", rows, aggregations={"t": ["min", "max"]})
        self.assertEqual(found, [{"t_min": "2024-06-01", "t_max": NEW_YORK}])

    def test_one_time_in_two_zones_is_one_place_and_two_keys(self):
        same = "2024-06-01T07:00:00+02:00"
        for rows in ([{"t": same}, {"t": LONDON}], [{"t": LONDON}, {"t": same}]):
            given = [row["t"] for row in rows]
            self.assertEqual(in_order(rows, "t"), given)
            self.assertEqual(in_order(rows, "-t"), given)
            self.assertEqual(result("aggregate", rows, aggregations={"t": ["min", "max"]}), [{"t_min": given[0], "t_max": given[0]}])
            self.assertEqual([row["count"] for row in result("aggregate", rows, group_by="t")], [1, 1])

    def test_what_is_not_all_times_is_text(self):
        rows = [*ROWS, {"t": "later"}]
        self.assertEqual(in_order(rows, "t"), sorted([row["t"] for row in rows]))
        self.assertEqual(computed(rows[:1], "max(t, 'a')"), ["a"])

    def test_the_order_is_that_of_pandas(self):
        chance = random.Random(5)
        zones = ("Z", "+00:00", "+09:00", "-05:00", "+05:30", "-0330", "+02", "")
        for _ in range(20):
            rows = [
                {"g": chance.randrange(3), "t": f"2024-06-0{chance.randrange(1, 4)}T{chance.randrange(24):02}:00:00{chance.choice(zones)}"}
                for _ in range(40)
            ]
            texts = pd.Series([row["t"] for row in rows])
            times = pd.to_datetime(texts, utc=True, format="ISO8601")
            self.assertEqual(in_order(rows, "t"), texts[times.sort_values(kind="stable").index].tolist())
            groups = times.groupby([row["g"] for row in rows])
            found = result("aggregate", rows, group_by="g", aggregations={"t": ["min", "max"]})
            self.assertEqual([row["t_min"] for row in found], texts[groups.idxmin()].tolist())
            self.assertEqual([row["t_max"] for row in found], texts[groups.idxmax()].tolist())


@needs_pandas
class Parts(unittest.TestCase):
    def test_parts_of_a_time_are_as_it_is_written(self):
        rows = [{"t": "2024-05-01T00:30:00+02:00"}, {"t": "2024-12-31 23:00-0500"}, {"t": "2024-05-01T07:00Z"}, {"t": "2024-05-01"}]
        self.assertEqual(computed(rows, "hour(t)"), [0, 23, 7, 0])
        self.assertEqual(computed(rows, "day(t)"), [1, 31, 1, 1])
        self.assertEqual(computed(rows, "year(t)"), [2024] * 4)
        self.assertEqual(computed(rows[:2], "weekday(t)"), [2, 1])
        self.assertEqual(computed([{"t": "2024-05-01T00:30+02:00"}, {"t": "x"}, {"t": 5}, {"t": None}], "hour(t)"), [0, None, None, None])

    def test_numbers_are_cast_to_dates_as_a_series_reads_them(self):
        for factor, unit in ((1, "seconds"), (1000, "milliseconds"), (10**6, "microseconds")):
            rows = [{"t": 1_714_550_400 * factor}, {"t": None}]
            answer = ask("transform", rows, steps=[{"cast": {"t": "date"}}])
            self.assertEqual(answer["result"], [{"t": "2024-05-01T08:00:00+00:00"}, {"t": None}])
            self.assertEqual(answer["notes"], [f"'t' holds numbers, read as {unit} since 1970"])
            self.assertEqual(result("timeseries", rows, time_field="t")["start"], "2024-05-01T08:00:00+00:00")
        strict = [{"cast": {"fields": {"t": "date"}, "on_error": "error"}}]
        self.assertIn("no date", refusal("transform", [{"t": True}], steps=strict))
        self.assertIn("no date", refusal("transform", [{"t": 1e30}, {"t": 1.0}], steps=strict))


if __name__ == "__main__":
    unittest.main()
