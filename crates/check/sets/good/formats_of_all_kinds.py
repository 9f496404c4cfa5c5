from datetime import date
from decimal import Decimal

from servers.weather import current

now = await current(city="Oslo")
width = 10
print(f"{now['city']:>10} {now['city']:x<12} {now['city']:^{width}} {now['city']:.3} {now['city']:s}")
print(f"{now['temperature']:.1f} {now['humidity']:d} {now['humidity']:>4} {now['humidity']:.2f}")
print(f"{date(2026, 1, 2):%d.%m.%Y} {Decimal('1.5'):.2f} {True:d} {3:c} {0.5:%}")
print(f"{str(now)} {[1, 2]} {now!r:>10} {now!s:.5} {None} {(1, 2)!s:>8} {'5':>3}")


class Money:
    def __format__(self, spec):
        return f"{spec}!"


print(f"{Money():.2f}")
value = "3"
value = float(value)
print(f"{value:.2f}")


def sorted(rows, key):
    return [key(row) for row in rows]


print(sorted([3, 1], lambda row: -row))


def summarize(rows, words):
    return f"{len(rows)} {words}"


def search_tools(q):
    return [q]


print(summarize([1], words="rows"), search_tools(q="x"), ", ".join(str(n) for n in [1, 2]))
rows = [3, 1]
rows.sort(key=lambda row: -row)
