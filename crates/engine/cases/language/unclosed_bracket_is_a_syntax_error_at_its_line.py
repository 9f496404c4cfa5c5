# expect: raised SyntaxError: never closed
# line: 2
a = 1
b = [1, 2
c = 3
