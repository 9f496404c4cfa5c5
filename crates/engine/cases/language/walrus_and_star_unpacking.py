# expect: value [10, 1, [2, 3], 4]
data = [1, 2, 3, 4]
if (total := sum(data)) > 5:
    first, *middle, last = data
[total, first, middle, last]
