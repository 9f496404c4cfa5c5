import inspect
import sys

sys.modules[__name__].q = 4
print(q)


def define(name, value):
    inspect.currentframe().f_back.f_globals[name] = value


define("r", 5)
print(r)
