# expect: value [300000, "0123456789"]
text = "0123456789" * 30_000
[len(text), text[-10:]]
