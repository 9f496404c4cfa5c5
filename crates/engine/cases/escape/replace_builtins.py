# expect: value [3, "ok"]
import builtins

kept = builtins.len
for name in ("print", "len", "isinstance", "repr", "str", "type", "getattr", "dict", "list", "open", "hasattr", "Exception"):
    setattr(builtins, name, lambda *args, **kwargs: "forged")
[kept([1, 2, 3]), "ok"]
