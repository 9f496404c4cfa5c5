# expect: value [1, [1, 2, 3], [1, 2], "a"]
# servers: demo
import copy

from servers.demo import answer


def plain():
    name = answer({"v": "a"})
    assert name == "a"
    items = answer({"v": [1, 2]})
    other = copy.copy(items)
    other.append(3)
    return [{"a": 1}[name], other, copy.deepcopy(items), name]


plain()
