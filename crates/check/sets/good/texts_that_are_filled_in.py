name, size = "a", 3
row = {"name": "a", "size": 3}
print("{} is {}".format(name, size), "{0} {0} {1}".format(name, size, "more"), "{:>{}}".format(name, 5))
print("{name}: {size:>{width}.1f}".format(name=name, size=size, width=8), "{name}".format(**row), "{a[b]}".format(a={"b": 1}))
print("{{}} {}".format(name), "{}".format(*[name]), "{0.real:d} {1!r}".format(size, name), "{name[0]}".format(name=name))
print("%s is %d" % (name, size), "%(name)s" % row, "100%%", "%5.1f%%" % 3.2, "%*d" % (5, size), "%s" % name, "%s" % (name,))
pair = (name, size)
print("%s %s" % pair, "%s" % [1, 2], "a%c" % "b")
template = "{} {}"
print(template.format(1, 2), len("{} {}"), "%" + "s")
try:
    print("{} {}".format(name))
except IndexError:
    print("too few")
