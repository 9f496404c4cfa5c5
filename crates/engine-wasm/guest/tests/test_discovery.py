"""What programs find out without a call of a tool: here, values in few tokens."""

import contextlib
import io
import os
import unittest
from unittest import mock

from . import GUEST  # noqa: F401  (names the package)
from _tidegate import discovery, servers


class Summaries(unittest.TestCase):
    def test_none_gives_the_value_as_it_is(self):
        value = {"a": [1, 2, object()]}
        self.assertIs(discovery.summarize(value, "none"), value)

    def test_a_strategy_that_is_none_is_refused_with_those_there_are(self):
        with self.assertRaisesRegex(ValueError, "'truncate', 'none', not 'short'"):
            discovery.summarize([1], "short")


class Folders(unittest.TestCase):
    def test_a_list_of_servers_names_those_that_are_missing_once(self):
        reasons = {"dead": "it ended", "my-dead": "it ended", "house.lamp": "held back", "house": "it was late"}
        told = io.StringIO()
        with (
            mock.patch.object(servers._state, "_reasons", reasons),
            mock.patch.object(servers._state, "_folders", frozenset({"house"})),
            mock.patch.object(os, "listdir", lambda place: [".absent.json", "README.md", "house"]),
            mock.patch.object(os.path, "isdir", lambda place: place.endswith("house")),
            contextlib.redirect_stderr(told),
        ):
            discovery.begin()
            for _ in range(2):
                self.assertEqual(discovery.list_directory("servers/"), ["README.md", "house/"])
        self.assertEqual(told.getvalue(), "list_directory(): dead is missing: it ended\n")


if __name__ == "__main__":
    unittest.main()
