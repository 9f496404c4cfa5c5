# expect: value ["ValueError", "entered", "left"]
# freeze: true
from contextlib import contextmanager

from tidegate import call

log = []


@contextmanager
def scope():
    log.append("entered")
    try:
        yield
    finally:
        log.append("left")


try:
    raise ValueError("outer")
except ValueError as problem:
    with scope():
        await call("later")
    log.insert(0, type(problem).__name__)
log
