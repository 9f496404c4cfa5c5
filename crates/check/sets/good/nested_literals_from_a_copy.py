from copy import deepcopy

BASE = {"retry": {"times": 3}, "hosts": ["a"]}
mine = deepcopy(BASE)
mine["retry"]["wait"] = 2
print(mine["retry"]["wait"], BASE["hosts"][-1])
