point = (3, 4)
print(point[0], point[1], point[-1], point[-2], point[0:9], point[5:])
