# expect: certain-crash 3
limit = 3
count = (limit < 5).sum()
print(count)
