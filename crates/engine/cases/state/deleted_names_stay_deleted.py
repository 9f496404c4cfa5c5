# expect: value true
# freeze: true
gone = 1
del gone
"gone" not in globals()
# --- next
# expect: raised NameError: gone
gone
