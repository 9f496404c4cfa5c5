# expect: certain-crash 3
rows = [1, 2]
rows.insert(0)
