# expect: contained
# limits: {"cpu_ms": 1000, "wall_ms": 3000}
def victim():
    pass


victim.__code__ = victim.__code__.replace(co_code=b"\x64\xff" * 64, co_consts=(), co_stacksize=0)
victim()
