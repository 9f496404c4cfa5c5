# expect: value "big"
n = 12
if n > 10:
    return "big"
else:
    return "small"
