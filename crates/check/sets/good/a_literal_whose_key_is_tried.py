table = {"a": 1}
try:
    print(table["b"])
except KeyError as error:
    print("no", error)
