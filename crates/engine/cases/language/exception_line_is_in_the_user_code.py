# expect: raised ZeroDivisionError
# line: 6
def ratio(a, b):
    return a / b


one = ratio(1, 1)
two = 1 // 0
