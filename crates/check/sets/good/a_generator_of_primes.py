from itertools import count, islice, takewhile


def primes():
    found = []
    for candidate in count(2):
        if all(candidate % p for p in takewhile(lambda p: p * p <= candidate, found)):
            found.append(candidate)
            yield candidate


list(islice(primes(), 10))
