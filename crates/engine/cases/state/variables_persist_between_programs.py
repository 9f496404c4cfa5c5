# expect: value 1
# freeze: true
count = 1
# --- next
# expect: value 2
count += 1
count
# --- next
# expect: value [2, "kept"]
text = "kept"
[count, text]
