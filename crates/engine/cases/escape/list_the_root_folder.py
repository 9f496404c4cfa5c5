# expect: value true
import os

try:
    seen = set(os.listdir("/"))
except OSError:
    seen = set()
seen <= {"workspace", "servers", "skills", "results", "usr"}
