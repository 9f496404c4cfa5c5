# expect: unknown-field 5
from servers.weather import current

now = await current(city="Oslo")
match now["condition"]:
    case "rain":
        print("take an umbrella")
    case _:
        print("go as you are")
