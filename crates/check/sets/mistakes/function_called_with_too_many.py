# expect: certain-crash 6
def area(width, height):
    return width * height


print(area(3, 4, 5))
