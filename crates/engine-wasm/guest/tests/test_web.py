"""Requests of programs: what goes to the host, and what its answer becomes."""

import unittest

from .test_tools import Runtime

SHOW = """
from _tidegate import web
from tidegate import http_get, http_request
call = {call}
import json
shown = json.loads(call._text)
call.close()
shown
"""


class Requests(unittest.TestCase):
    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.close)

    def sent(self, call):
        outcome = self.runtime.run(SHOW.format(call=call))
        self.assertIsNone(outcome.get("error"), outcome)
        return outcome["value"]

    def test_a_request_is_what_the_host_reads(self):
        self.assertEqual(
            self.sent("http_get('https://h/a?b=1', headers={'X': 1}, params={'c': 'd e'}, timeout=2)"),
            {"method": "GET", "url": "https://h/a?b=1&c=d+e", "headers": [["X", "1"]], "timeout": 2},
        )
        self.assertEqual(
            self.sent("http_request('POST', 'https://h/', json={'a': [1]})"),
            {
                "method": "POST", "url": "https://h/", "headers": [["content-type", "application/json"]],
                "body": {"text": '{"a":[1]}'},
            },
        )
        self.assertEqual(self.sent("http_request('PUT', 'https://h/', body=b'\\xff')")["body"], {"base64": "/w=="})

    def test_an_answer_is_text_json_or_bytes(self):
        source = """
from _tidegate import web
of = lambda kind, body: web._answer({"status": 200, "headers": {"content-type": kind}, "body": body})
[of("application/json", {"text": "[1]"})["json"], of("application/json", {"text": "["}).get("json"),
 of("text/plain", {"text": "x"})["text"], list(of("image/png", {"base64": "/w=="})["bytes"])]
"""
        self.assertEqual(self.runtime.run(source)["value"], [[1], None, "x", [255]])

    def test_what_is_no_request_says_so(self):
        for call in ("http_get(5)", "http_request('POST', 'https://h/', body=5)",
                     "http_request('POST', 'https://h/', body='a', json=1)", "http_get('https://h/', timeout=0)"):
            outcome = self.runtime.run(f"{call}")
            self.assertIn(outcome["error"]["type"], ("TypeError", "ValueError"), call)


if __name__ == "__main__":
    unittest.main()
