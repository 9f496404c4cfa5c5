# expect: value [true, true]
import os

refused = []
with open("sparse", "wb") as file:
    for attempt in (lambda: os.ftruncate(file.fileno(), 1 << 40), lambda: os.pwrite(file.fileno(), b"x", 1 << 40)):
        try:
            attempt()
        except (OSError, AttributeError):
            refused.append(True)
refused if os.path.getsize("sparse") <= 10 << 20 else os.path.getsize("sparse")
