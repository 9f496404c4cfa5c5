# expect: value 1
try:
    return 1
except:
    return 2
