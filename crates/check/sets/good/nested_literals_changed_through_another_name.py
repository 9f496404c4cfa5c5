settings = {"a": {"b": 1}}
inner = settings["a"]
inner["c"] = 2
print(settings["a"]["c"])
