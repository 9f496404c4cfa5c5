# expect: raised RuntimeError: outer
try:
    {}["inner"]
except KeyError as inner:
    raise RuntimeError("outer") from inner
