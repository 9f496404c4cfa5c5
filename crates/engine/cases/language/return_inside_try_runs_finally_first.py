# expect: value "from try"
# stdout: "finally\n"
try:
    return "from try"
finally:
    print("finally")
