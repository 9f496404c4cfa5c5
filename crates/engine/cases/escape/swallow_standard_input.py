# expect: value ["", "EOFError"]
import sys

text = sys.stdin.read() if sys.stdin else ""
try:
    input()
    ended = "read something"
except EOFError:
    ended = "EOFError"
except RuntimeError:
    ended = "EOFError"
[text, ended]
