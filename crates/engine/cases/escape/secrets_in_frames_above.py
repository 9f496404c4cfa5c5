# expect: value []
import sys

frame, seen = sys._getframe(), []
while frame is not None:
    for name in {**frame.f_globals, **frame.f_locals}:
        if any(word in name.lower() for word in ("secret", "password", "credential", "api_key")):
            seen.append(name)
    frame = frame.f_back
sorted(set(seen))
