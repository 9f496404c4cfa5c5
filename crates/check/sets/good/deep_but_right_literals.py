tree = {"a": {"b": {"c": {"d": [1, [2, [3, [4, {"e": 5}]]]]}}}}
print(tree["a"]["b"]["c"]["d"][1][1][1][1]["e"])
menu = [{"name": "x", "children": [{"name": "y", "children": []}]}]
print(menu[0]["children"][0]["name"], menu[-1]["children"][0]["children"])
