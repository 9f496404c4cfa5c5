# expect: certain-crash 3
scores = []
best = max(scores)
print(best)
