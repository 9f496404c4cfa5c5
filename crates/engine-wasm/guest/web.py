"""Requests to hosts that an operator allowed: `http_get` and `http_request`.

    page = await http_get("https://api.example.com/items")
    page["status"], page["json"]

The host makes them, and refuses whatever is not allowed. An answer is a dict with `status`, `url`, `headers` (by
lower-case name), and its body: `text` for text, with `json` beside it where that is what it is, and `bytes` for
anything else.
"""

import inspect
import json as _json
import sys
from binascii import a2b_base64, b2a_base64
from urllib.parse import urlencode

from _tidegate import values
from _tidegate.calls import ToolCall, What

_frame = sys._getframe
_mark = getattr(inspect, "markcoroutinefunction", lambda function: function)
_decode = _json.JSONDecoder().decode


def http_get(url, headers=None, timeout=None, params=None):
    """Gets what is at an address of an allowed host."""
    return _request("http_get", "GET", url, headers, None, None, params, timeout, _frame(1))


def http_request(method, url, headers=None, body=None, json=None, params=None, timeout=None):
    """Makes any request to an allowed host: `body` is text or bytes, `json` a value that is sent as JSON."""
    return _request("http_request", method, url, headers, body, json, params, timeout, _frame(1))


def _request(function, method, url, headers, body, json, params, timeout, frame):
    if not isinstance(method, str) or not isinstance(url, str):
        raise TypeError(f"{function}(): method and url are texts: http_request('POST', 'https://...')")
    if params:
        url += ("&" if "?" in url else "?") + urlencode(params, doseq=True)
    pairs = headers.items() if isinstance(headers, dict) else headers or ()
    pairs = [(str(name), str(value)) for name, value in pairs]
    if json is not None:
        if body is not None:
            raise TypeError(f"{function}(): give `body` or `json`, not both")
        body = values.encode_arguments(json)
        if not any(name.lower() == "content-type" for name, _ in pairs):
            pairs.append(("content-type", "application/json"))
    asked = {"method": method, "url": url, "headers": pairs}
    if isinstance(body, str):
        asked["body"] = {"text": body}
    elif isinstance(body, (bytes, bytearray, memoryview)):
        asked["body"] = {"base64": b2a_base64(bytes(body), newline=False).decode()}
    elif body is not None:
        raise TypeError(f"{function}(): body is text or bytes, not {type(body).__name__}; `json` sends a value as JSON")
    if timeout is not None:
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
            raise ValueError(f"{function}(): timeout is a number of seconds above 0, not {timeout!r}")
        asked["timeout"] = timeout
    return ToolCall(What(function, '"$http"', None, None, _answer), values.encode_arguments(asked), frame)


def _answer(answer):
    """An answer as a program sees it."""
    body = answer.pop("body")
    if "base64" in body:
        answer["bytes"] = a2b_base64(body["base64"])
        return answer
    answer["text"] = text = body["text"]
    if "json" in answer["headers"].get("content-type", ""):
        try:
            answer["json"] = _decode(text)
        except ValueError:
            pass  # It says so and is none; the text is there.
    return answer


PUBLIC = {one.__name__: one for one in (http_get, http_request)}
for _function in PUBLIC.values():
    _function.__module__ = "tidegate"
    _mark(_function)
