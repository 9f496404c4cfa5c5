import textwrap

text = "It was a bright cold day in April, and the tides were striking thirteen."
wrapped = textwrap.fill(text, width=30)
lines = wrapped.splitlines()
max(len(line) for line in lines) <= 30
