"""The client that waits, made of the one that does not: the same text with other words."""

import re

HEAD = "# Generated from _async/{name} by scripts/generate-clients; not to be edited.\n"
WORDS = [
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\baread\b", "read"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\banyio\.sleep\b", "time.sleep"),
    (r"\bimport anyio\b", "import time"),
    (r"\bwebsockets\.asyncio\b", "websockets.sync"),
    (r"\b_async\b", "_sync"),
]


def write(name, text):
    """The module that waits, of the module of this name."""
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    return HEAD.format(name=name) + text
