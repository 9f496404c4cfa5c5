values = {"a": 1}
try:
    values["b"]
except KeyError as error:
    missing = error.args[0]
try:
    int("x")
except (TypeError, ValueError):
    pass
try:
    undefined_thing
except NameError:
    missing += "!"
missing
