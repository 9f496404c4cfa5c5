# expect: certain-crash 3
values = [5, 2, 9, 1]
for index in range(len(values) / 2):
    print(values[index])
