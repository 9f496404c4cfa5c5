# expect: certain-crash 3
words = ["tide", "gate"]
print(sum(words))
