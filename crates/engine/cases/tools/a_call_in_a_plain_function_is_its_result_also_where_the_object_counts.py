# expect: value [1, true, true, false, true, 5, "other"]
# servers: demo
from servers.demo import answer


def matched():
    found = answer({"v": {"a": 1}})
    match found:
        case {"a": number}:
            return number
    return "no match"


def listed():
    match answer({"v": [1, 2]}):
        case [_, _]:
            return "two"
    return "no match"


def is_member():
    return answer({"v": "hello"}) in {"hello"}


def is_none():
    found = answer({"v": None})
    return found is None


def is_not_none():
    found = answer({"v": 3})
    return found is None


def is_dict():
    found = answer({"v": {}})
    return type(found) is dict


def looked_up():
    return {"hello": 5}[answer({"v": "hello"})]


def otherwise():
    match answer({"v": "x"}):
        case "y":
            return "y"
        case _:
            return "other"


[matched(), listed() == "two" and is_member(), is_none(), is_not_none(), is_dict(), looked_up(), otherwise()]
