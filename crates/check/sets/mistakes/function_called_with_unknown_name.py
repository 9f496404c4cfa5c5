# expect: certain-crash 6
def greet(name, *, polite=False):
    return f"Dear {name}" if polite else f"Hi {name}"


print(greet("Ada", formal=True))
