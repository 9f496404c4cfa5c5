from servers.weather import current

now = await current(city="Oslo")
width = 12
print(f"{now['city']:>{width}} {now['temperature']:+.1f} {now['humidity']:>3d}% {now['temperature']!s:>8} {now['conditions']!r:^20} {now=}")
print("{city} {temperature:.0f}".format(**now), "%(city)s %(humidity)d" % now, "{0[city]}".format(now))
