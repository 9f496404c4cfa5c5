"""What a tool answered, as a value: parsed data, text, or objects for what is neither.

The host sends `{"v": value}` or `{"t": text}` when there is nothing to decide, which is
the common case. Otherwise an envelope arrives with all parts of the answer:

* Structured data comes first. Pictures and the like that came with it are in `.content`.
* A single part is its own value; several are a list with every one of them.
* Text that is a JSON object or array is parsed; any other text stays text.
"""

import json
import os
from binascii import a2b_base64

from _tidegate import values

# The C scanner, as in the runtime.
_decode = json.JSONDecoder().decode

_ENDINGS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/svg+xml": ".svg",
    "audio/wav": ".wav",
    "audio/x-wav": ".wav",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "application/zip": ".zip",
    "text/html": ".html",
    "text/csv": ".csv",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
_MAX_NAME = 100


class Content:
    """A part of an answer that is no plain data: `.data`, `.media_type`, `.uri`, `.save(path)`."""

    kind = "content"

    @property
    def data(self):
        """The bytes."""
        if self._data is None:
            self._data = a2b_base64(self._encoded)
            self._encoded = None
        return self._data

    @property
    def size(self):
        """How many bytes there are."""
        if self._data is not None:
            return len(self._data)
        return len(self._encoded) * 3 // 4 - self._encoded[-2:].count("=")

    def save(self, path=None):
        """Writes the bytes to a file in /workspace and returns its path."""
        path = self._default_name() if path is None else os.fspath(path)
        path = os.path.join("/workspace", path)
        if path.endswith("/") or os.path.isdir(path):
            path = os.path.join(path, self._default_name())
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(self.data)
        return path

    def _default_name(self):
        given = self.name or (self.uri or "").partition("?")[0].rstrip("/").rpartition("/")[2]
        kept = "".join([one if one.isalnum() or one in "-_. " else "_" for one in given]).strip(". ")
        kept = kept[-_MAX_NAME:] or self.kind
        ending = _ENDINGS.get((self.media_type or "").partition(";")[0].strip().lower(), "")
        return kept if "." in kept[1:] else kept + ending

    def __repr__(self):
        where = f" {self.uri}" if self.uri else ""
        return f"<{type(self).__name__}{where} {self.media_type or 'of unknown type'}, {self.size} bytes>"


class _Binary(Content):
    def __init__(self, part, encoded):
        self._data = None
        self._encoded = encoded
        self.text = None
        _label(self, part)


class Image(_Binary):
    """A picture."""

    kind = "image"


class Audio(_Binary):
    """A recording."""

    kind = "audio"


class Resource(_Binary):
    """A file that came with the answer, as bytes."""

    kind = "resource"


class TextResource(str, Content):
    """A file that came with the answer, as the text it is."""

    kind = "resource"

    def __new__(cls, part):
        made = str.__new__(cls, part["text"])
        made._data = part["text"].encode("utf-8", "surrogatepass")
        _label(made, part)
        return made

    @property
    def text(self):
        """The text, without what is known about it."""
        return str.__str__(self)

    __repr__ = str.__repr__
    __hash__ = str.__hash__


class Link(Content):
    """A file that the server has: `await read_resource(server, link.uri)` gets it."""

    kind = "link"

    def __init__(self, part):
        self.text = None
        _label(self, part)
        self.description = part.get("description")

    @property
    def data(self):
        """Not here: only the address is known."""
        raise ValueError(f"{self.uri} is a link; get it with `await read_resource({self.uri!r})`")

    def __repr__(self):
        return f"<Link {self.uri}>"


class Answer(dict):
    """Structured data that came with more; all parts are in `.content`."""


class Answers(list):
    """The same for a list."""


def _label(made, part):
    made.media_type = part.get("media_type")
    made.uri = part.get("uri")
    made.name = part.get("name")


def value_of(answer):
    """The program's value for what the host answered."""
    if type(answer) is not dict:
        return answer
    if len(answer) == 1:
        for key in ("v", "t"):
            if key in answer:
                return answer[key]
    return _assembled(answer) if "content" in answer else answer


def _assembled(answer):
    parts = [_part(one) for one in answer["content"] or ()]
    if answer.get("has_structured", answer.get("structured") is not None):
        return _structured(answer.get("structured"), parts, answer["content"] or ())
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else parts


def _structured(value, parts, sent):
    if all(one.get("type") == "text" for one in sent):
        # The text says the same again, as the protocol asks of servers.
        return value
    if type(value) is not dict and type(value) is not list:
        return [value, *parts]
    made = (Answer if type(value) is dict else Answers)(value)
    made.content = parts
    return made


def _part(part):
    kind = part.get("type")
    if kind == "text":
        return _parsed(part["text"])
    if kind == "image" or kind == "audio":
        return (Image if kind == "image" else Audio)(part, part["data"])
    if kind == "resource":
        if part.get("text") is not None:
            return TextResource(part)
        return Resource(part, part.get("blob") or "")
    if kind == "link":
        return Link(part)
    return part.get("value") if kind == "other" else part


def _parsed(text):
    """A JSON object or array as data; `1` or `true` may well be meant as text."""
    if text.lstrip(" \t\r\n")[:1] in ("{", "["):
        try:
            return _decode(text)
        except (ValueError, RecursionError):
            pass
    return text


def _described(content):
    made = {"$type": content.kind}
    for name in ("media_type", "uri", "name"):
        value = getattr(content, name)
        if value is not None:
            made[name] = value
    if content.kind != "link":
        made["bytes"] = content.size
    return made


for _kind in (Image, Audio, Resource, Link):
    values.adopt(_kind, _described)
for _kind in (Content, Image, Audio, Resource, TextResource, Link, Answer, Answers):
    _kind.__module__ = "tidegate"
