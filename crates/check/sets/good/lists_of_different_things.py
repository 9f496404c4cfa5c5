mixed = [1, "two", 3.0, None, [4]]
shown = []
for item in mixed:
    if isinstance(item, str):
        shown.append(item.upper())
    elif isinstance(item, list):
        shown.append(item[0] + 1)
    elif item is None:
        shown.append("none")
    else:
        shown.append(item * 2)
shown
