"""Models and other programs to talk to: `ask_model`, `post` and `receive`.

    kind = await ask_model("Is this a complaint?\\n" + text, schema={"type": "object", "properties": {"complaint": {"type": "boolean"}}})
    await post("work", {"row": 7})
    message = await receive("work", timeout=60)

Each is a call like any other: it rests until it is answered. A model that does not answer, or not by the schema, raises
ToolError, whose message says what to change. A message that does not come in time raises TimeoutError, which is one, too.
"""

import inspect
import sys

from _tidegate import values
from _tidegate.calls import ToolCall, What

_frame = sys._getframe
_mark = getattr(inspect, "markcoroutinefunction", lambda function: function)


def ask_model(prompt, schema=None):
    """Asks a model: the text of its answer, or with a JSON Schema what the answer says, as dicts and lists."""
    if not isinstance(prompt, str):
        raise TypeError(f"ask_model(): prompt is text, not {type(prompt).__name__}; put the data into it, as with json.dumps(...)")
    asked = {"prompt": str(prompt)}
    if schema is not None:
        if not isinstance(schema, dict):
            raise TypeError(
                "ask_model(): schema is a JSON Schema as a dict, such as "
                f"{{'type': 'object', 'properties': {{...}}}}, not {type(schema).__name__}"
            )
        asked["schema"] = schema
    return ToolCall(What("ask_model", '"$ask_model"', None, None, _answer), values.encode_arguments(asked), _frame(1))


def post(box, message):
    """Puts a message into a mailbox, for another program of the same owner: any value that is JSON."""
    asked = {"box": _box("post", box), "message": message}
    return ToolCall(What("post", '"$post"'), values.encode_arguments(asked), _frame(1))


def receive(box, timeout=None):
    """Takes the first message of a mailbox, once there is one; TimeoutError after `timeout` seconds without."""
    asked = {"box": _box("receive", box)}
    if timeout is not None:
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout < float("inf"):
            raise ValueError(f"receive(): timeout is a number of seconds from 0 on, not {timeout!r}")
        asked["timeout"] = timeout
    return ToolCall(What("receive", '"$receive"'), values.encode_arguments(asked), _frame(1))


def _box(function, box):
    if not isinstance(box, str):
        raise TypeError(f"{function}(): box is the name of a mailbox, such as 'work', not {type(box).__name__}")
    return str(box)


def _answer(answer):
    """What the host says of an answer besides is for its receipt."""
    return answer["answer"]


PUBLIC = {one.__name__: one for one in (ask_model, post, receive)}
for _function in PUBLIC.values():
    _function.__module__ = "tidegate"
    _mark(_function)
