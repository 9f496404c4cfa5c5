# expect: value []
# level: hardened
got = []
for attempt in (
    lambda: __loader__.load_module("subprocess"),
    lambda: __spec__.loader.load_module("subprocess"),
    lambda: __builtins__["__import__"]("os"),
    lambda: __builtins__.__import__("os"),
    lambda: eval("__import__('importlib').import_module('os')"),
):
    try:
        got.append(attempt().__name__)
    except Exception:
        pass
got
