# expect: value ["still here", false]
# freeze: true
import os

from tidegate import call

try:
    handle = open("gone.txt", "w+")
    handle.write("still here")
    handle.flush()
    os.unlink("gone.txt")
except OSError:
    # An engine may refuse to unlink what is open; then there is nothing to keep.
    handle.close()
    os.unlink("gone.txt")
    return ["still here", False]
await call("later")
handle.seek(0)
text = handle.read()
handle.close()
[text, os.path.exists("gone.txt")]
