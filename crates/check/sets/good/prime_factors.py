def factors(n):
    found = []
    p = 2
    while p * p <= n:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    if n > 1:
        found.append(n)
    return found


assert factors(84) == [2, 2, 3, 7]
factors(9973)
