import contextvars

current = contextvars.ContextVar("current", default=None)
level = contextvars.ContextVar("level", default=0)


def request():
    return current.get()["id"]


current.set({"id": 1})
level.set([1])
print(request(), level.get()[0], len(level.get()), current.get()["id"])
