import re
from collections import Counter

text = "The tide comes in, the tide goes out; the gate stays."
words = re.findall(r"[a-z]+", text.lower())
counts = Counter(words)
most, times = counts.most_common(1)[0]
{"most": most, "times": times, "distinct": len(counts), "total": counts.total()}
