# expect: limit call_arguments
from tidegate import call

await call("echo", text="E" * (8 << 20))
