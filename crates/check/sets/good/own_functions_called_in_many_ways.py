def plain(a, b=2, /, c=3, *rest, d, e=5, **more):
    return a, b, c, rest, d, e, more

print(plain(1, d=4), plain(1, 2, 3, 4, 5, d=4), plain(1, d=4, f=6, c=9), plain(*[1], **{"d": 4}))
keep = plain
print(keep(1, d=2), (lambda *a, **k: (a, k))(1, x=2))
