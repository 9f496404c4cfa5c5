# expect: value null
# note: return
pass
