# expect: raised SyntaxError
# line: 3
first = 1
second = 2
third = = 3
