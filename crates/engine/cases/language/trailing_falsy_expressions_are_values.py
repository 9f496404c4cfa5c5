# expect: value 0
result = "not this"
0
# --- next
# expect: value ""
""
# --- next
# expect: value false
1 > 2
# --- next
# expect: value []
[]
