# expect: value 9
total = 4 + 5
