# expect: certain-crash 5
from collections import Counter

words = Counter("a b a".split())
print(words.most_commons(1))
