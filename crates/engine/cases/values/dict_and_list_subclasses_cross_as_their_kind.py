# expect: value [{"a": 2}, {"x": [1]}, {"k": 1}, [1, 2]]
from collections import Counter, OrderedDict, defaultdict, deque

grouped = defaultdict(list)
grouped["x"].append(1)
[Counter("aa"), grouped, OrderedDict(k=1), deque([1, 2])]
