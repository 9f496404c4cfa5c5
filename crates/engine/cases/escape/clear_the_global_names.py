# expect: value "gone"
for name in [name for name in globals() if name != "name"]:
    del globals()[name]
"gone"
