# expect: value ["ValueError"]
caught = []
try:
    raise ExceptionGroup("mixed", [ValueError("a")])
except* ValueError as group:
    caught += [type(e).__name__ for e in group.exceptions]
caught
