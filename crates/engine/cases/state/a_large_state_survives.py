# expect: value 100000
# freeze: true
table = {n: str(n) for n in range(100_000)}
len(table)
# --- next
# expect: value ["99999", 4999950000]
[table[99_999], sum(table)]
