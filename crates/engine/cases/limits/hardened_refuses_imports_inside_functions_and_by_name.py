# expect: value ["ImportError", "ImportError", "ImportError"]
# level: hardened
def by_statement():
    import subprocess


def by_name():
    __import__("socket")


def by_source():
    exec("from ctypes import CDLL", {})


found = []
for attempt in (by_statement, by_name, by_source):
    try:
        attempt()
        found.append("imported")
    except ImportError:
        found.append("ImportError")
found
