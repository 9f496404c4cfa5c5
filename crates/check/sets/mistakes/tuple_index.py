# expect: certain-crash 3
point = (3, 4)
print(point[2])
