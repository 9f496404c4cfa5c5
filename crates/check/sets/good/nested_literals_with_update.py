settings = {"a": {"b": 1}}
settings["a"].update({"c": 2})
settings["a"] |= {"d": 3}
print(settings["a"]["c"], settings["a"]["d"])
