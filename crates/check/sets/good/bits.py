def bits(n):
    return bin(n).count("1")


def swap(n, i, j):
    if (n >> i) & 1 != (n >> j) & 1:
        n ^= (1 << i) | (1 << j)
    return n


[bits(255), swap(0b101, 0, 1)]
