import itertools

pairs = list(itertools.pairwise([1, 4, 9]))
grouped = {key: list(group) for key, group in itertools.groupby("aabbbc")}
chained = list(itertools.chain.from_iterable([[1], [2, 3]]))
product = sum(x * y for x, y in itertools.product(range(3), repeat=2))
[pairs, grouped, chained, product, list(itertools.accumulate([1, 2, 3]))]
