# expect: certain-crash 3
point = (3, 4)
point[0] = 5
print(point)
