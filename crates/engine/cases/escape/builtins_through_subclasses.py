# expect: value []
found = []
for kind in ().__class__.__base__.__subclasses__():
    if kind.__name__ == "Popen":
        try:
            kind(["id"])
            found.append("Popen ran")
        except Exception:
            pass
    init = getattr(kind, "__init__", None)
    module = getattr(init, "__globals__", {}).get("os")
    if module is not None:
        try:
            module.system("id")
            found.append(kind.__name__)
        except Exception:
            pass
found
