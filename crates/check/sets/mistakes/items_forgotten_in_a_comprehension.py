# expect: certain-crash 2
print([name * count for name, count in {"a": 1, "b": 2}])
