# expect: value ["PermissionError", false]
import os

try:
    os.symlink("/etc/passwd", "innocent.txt")
    outcome = "linked"
except OSError as problem:
    outcome = type(problem).__name__
[outcome, os.path.lexists("innocent.txt")]
