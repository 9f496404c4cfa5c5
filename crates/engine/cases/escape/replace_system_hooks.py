# expect: raised RuntimeError: real
import sys
import traceback


def forged(*args, **kwargs):
    return ["forged"]


sys.excepthook = sys.unraisablehook = sys.displayhook = forged
traceback.format_exception = traceback.extract_tb = traceback.walk_tb = forged
traceback.TracebackException = None
raise RuntimeError("real")
