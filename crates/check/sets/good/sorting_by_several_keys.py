people = [("Ada", 36), ("Bob", 25), ("Cid", 36)]
people.sort(key=lambda person: (-person[1], person[0]))
names = [name for name, _ in people]
first, *rest = names
[first, rest]
