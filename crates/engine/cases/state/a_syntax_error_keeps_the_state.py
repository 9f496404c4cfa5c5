# expect: value 7
kept = 7
# --- next
# expect: raised SyntaxError
kept = 8
kept = = 9
# --- next
# expect: value 7
kept
