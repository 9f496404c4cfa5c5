# expect: value 1
# context: {"given": 1}
given
# --- next
# expect: value 1
given
# --- next
# expect: value 2
# context: {"given": 2}
given
