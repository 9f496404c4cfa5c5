# expect: value null
# note: return
for i in range(3):
    pass
