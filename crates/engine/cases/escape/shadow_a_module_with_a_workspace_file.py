# expect: value {"kept": 1}
import sys

for name in ("json", "asyncio", "traceback", "linecache", "encodings", "tidegate"):
    open(f"{name}.py", "w").write("raise SystemExit('shadowed')")
sys.path.insert(0, "/workspace")
{"kept": 1}
# --- next
# expect: raised ValueError: traceback still works
raise ValueError("traceback still works")
