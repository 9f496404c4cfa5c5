"""What programs spend their time on when they compute: the same source in a guest and in CPython.

Leaves the best of five times of each part, in seconds, in `result`. The best and not
the mean, because everything that disturbs a measurement makes it longer.
"""

import json
import random
import re
import time

import numpy as np


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def integer_loop():
    total = 0
    for i in range(300_000):
        total = (total + i * i) & 0xFFFF_FFFF
    return total


def dict_building():
    counts = {}
    for i in range(150_000):
        key = f"key-{i % 5_000}"
        counts[key] = counts.get(key, 0) + i
    return len(counts)


records = [
    {"id": i, "name": f"user {i}", "tags": ["a", "b", "c"], "score": i / 7} for i in range(4_000)
]


def json_round_trip():
    return len(json.loads(json.dumps(records)))


text = " ".join(f"user{i}@mail{i % 50}.example.com, on 2024-0{i % 9 + 1}-1{i % 9}" for i in range(4_000))
address = re.compile(r"([a-z0-9]+)@([a-z0-9.]+)\.com")
day = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


def regex():
    return len(address.findall(text)) + len(day.sub(r"\3.\2.\1", text))


chance = random.Random(1)
numbers = [chance.random() for _ in range(100_000)]
words = [f"word {n:.12f}" for n in numbers[:30_000]]


def sort():
    return len(sorted(numbers)) + len(sorted(words, key=lambda word: word[::-1]))


vector = np.random.default_rng(2).random(400_000)
groups = np.random.default_rng(3).integers(0, 50, 400_000)


def numpy_vectors():
    scaled = np.sqrt(vector * 2.0 + 1.0)
    chosen = scaled[vector > 0.5]
    return chosen.mean() + scaled.cumsum()[-1] + np.bincount(groups, weights=scaled).max()


matrix = np.random.default_rng(1).random((160, 160))


def matrix_product():
    return (matrix @ matrix).sum()


def numpy_sort():
    return np.sort(vector)[0]


def best_of_five(work):
    def once():
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return min(once() for _ in range(5))


result = {
    "fib(24)": best_of_five(lambda: fib(24)),
    "integer loop": best_of_five(integer_loop),
    "dict building": best_of_five(dict_building),
    "json round trip": best_of_five(json_round_trip),
    "regex": best_of_five(regex),
    "sort": best_of_five(sort),
    "numpy vectors": best_of_five(numpy_vectors),
    # Hand-written AVX-512 code on the other side.
    "numpy matrix product": best_of_five(matrix_product),
    "numpy sort": best_of_five(numpy_sort),
}
