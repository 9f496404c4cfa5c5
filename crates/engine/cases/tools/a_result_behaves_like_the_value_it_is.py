# expect: value [5, 7, true, "5", [1, 2, 3], ["a", "b"], true, 2.5, "ab", true]
# servers: demo
from servers.demo import answer


def plain():
    number = answer({"v": 5})
    items = answer({"v": [1, 2]})
    pairs = answer({"v": {"a": 1, "b": 2}})
    text = answer({"v": "a"})
    return [
        int(number), number + 2, number == 5, str(number), items + [3], list(pairs), bool(items),
        number / 2, text + "b", isinstance(pairs, dict),
    ]


plain()
