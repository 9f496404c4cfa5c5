"""A model for the tests of the packages: a small server that speaks OpenAI's chat completions, streamed.

Whoever shows it no result gets a program, and whoever shows one gets an answer; what it says depends on words of the
question. Needs nothing but Python.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = "scripted-1"
# For questions that somebody cancels.
ENDLESS = "Here it is.\n\n```python\nimport asyncio\nprint('begun')\nawait asyncio.sleep(3600)\n```\n"
PROGRAM = "Here it is.\n\n```python\nprint('looking')\nreturn 6 * 7\n```\n"


def reply(asked):
    """What is said to a request, and why it ends there."""
    if "Refuse" in asked:
        return {"refusal": "I will not."}, "stop"
    if "Result of the program" not in asked:
        return {"content": ENDLESS if "Linger" in asked else PROGRAM}, "stop"
    return {"content": "[4, 2]" if "Which" in asked else "It is 42."}, "stop"


def events(delta, reason):
    """A reply as it is streamed, its words in pieces."""
    [(key, words)] = delta.items()
    for at in range(0, len(words), 5):
        yield {"choices": [{"index": 0, "delta": {key: words[at : at + 5]}, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_POST(self):
        asked = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
        told = "".join(f"data: {json.dumps(event)}\n\n" for event in events(*reply(asked))) + "data: [DONE]\n\n"
        content = told.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Model:
    """The server: `with Model() as model: Gateway(binary, model.config)`."""

    def __enter__(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def config(self):
        """What makes it the model of a gateway."""
        url = f"http://127.0.0.1:{self._server.server_port}/v1"
        return f'\n[ask]\nprovider = "openai-compatible"\nmodel = "{NAME}"\nurl = "{url}"\n'
