settings = {"a": {"b": 1}, "list": [[1], [2]]}

def fill(place):
    place["a"]["c"] = 5
    place["list"][0].append(7)

fill(settings)
print(settings["a"]["c"], settings["list"][0][1])
