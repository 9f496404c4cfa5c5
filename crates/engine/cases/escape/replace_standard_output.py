# expect: value "still here"
import sys


class Broken:
    def write(self, text):
        raise OSError("no")

    def flush(self):
        raise OSError("no")


sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Broken()
"still here"
