for name in ("red", "green"):
    globals()[name] = len(name)
exec("blue = 4")
red + green + blue
