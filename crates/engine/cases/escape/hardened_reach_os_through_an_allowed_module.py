# expect: value []
# level: hardened
import statistics

escaped = []
for name in ("os", "sys", "subprocess"):
    module = getattr(statistics, name, None)
    if module is not None and hasattr(module, "system"):
        try:
            module.system("id")
            escaped.append(name)
        except Exception:
            pass
for kind in object.__subclasses__():
    found = getattr(getattr(kind, "__init__", None), "__globals__", {}).get("os")
    if found is not None:
        try:
            found.open("/etc/passwd", 0)
            escaped.append(kind.__name__)
        except OSError:
            pass
escaped
