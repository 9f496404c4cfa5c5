# expect: value 314572800
# level: development
data = bytearray(300 << 20)
len(data)
