"""What programs find out without a call of a tool: here, values in few tokens."""

import unittest

from . import GUEST  # noqa: F401  (names the package)
from _tidegate import discovery


class Summaries(unittest.TestCase):
    def test_none_gives_the_value_as_it_is(self):
        value = {"a": [1, 2, object()]}
        self.assertIs(discovery.summarize(value, "none"), value)

    def test_a_strategy_that_is_none_is_refused_with_those_there_are(self):
        with self.assertRaisesRegex(ValueError, "'truncate', 'none', not 'short'"):
            discovery.summarize([1], "short")


if __name__ == "__main__":
    unittest.main()
