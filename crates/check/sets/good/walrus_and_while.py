data = [5, 3, 8, 1]
found = []
while data and (last := data.pop()) != 3:
    found.append(last)
if (n := len(found)) > 1:
    print(f"{n} found")
found
