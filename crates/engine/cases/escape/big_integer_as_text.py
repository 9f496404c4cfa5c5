# expect: raised ValueError: 4300
str(10**5000)
