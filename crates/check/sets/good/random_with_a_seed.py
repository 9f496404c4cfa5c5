import random

random.seed(7)
deck = list(range(10))
random.shuffle(deck)
picked = random.sample(deck, k=3)
weights = random.choices(["a", "b"], weights=[3, 1], k=5)
[len(set(picked)), set(weights) <= {"a", "b"}, 0 <= random.random() < 1]
