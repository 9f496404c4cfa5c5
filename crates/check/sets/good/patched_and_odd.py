import json
from unittest import mock

with mock.patch("json.dumps", lambda *_, **__: 5):
    print(json.dumps(1) + 1)


class Meta(type):
    def __call__(cls, *values):
        return "called"


class Made(metaclass=Meta):
    pass


print(Made(1, 2, 3).upper())


class Text:
    def __new__(cls, *values):
        return "text"


print(Text(1).upper())
