# expect: certain-crash 4
import statistics

print(statistics.mean([1, 2], weights=[1, 2]))
