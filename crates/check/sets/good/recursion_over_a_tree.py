tree = {"value": 1, "children": [{"value": 2, "children": []}, {"value": 3, "children": [{"value": 4, "children": []}]}]}


def depth(node):
    return 1 + max((depth(child) for child in node["children"]), default=0)


def values(node):
    yield node["value"]
    for child in node["children"]:
        yield from values(child)


[depth(tree), list(values(tree))]
