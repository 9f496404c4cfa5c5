# expect: raised ValueError: cannot parse caf
# freeze: true
kept = [1]
name = b"caf\xe9".decode("utf8", "surrogateescape")
raise ValueError(f"cannot parse {name}")
# --- next
# expect: value [1]
kept
