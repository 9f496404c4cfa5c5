# expect: syntax 2
path = "/reports/summary.txt
print(path)
