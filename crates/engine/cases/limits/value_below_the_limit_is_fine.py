# expect: value 900
# limits: {"value_bytes": 1000}
text = "x" * 900
len(text)
# --- next
# expect: value true
# limits: {"value_bytes": 1000}
text == "x" * 900
