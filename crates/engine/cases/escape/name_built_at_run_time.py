# expect: value ["AttributeError", "AttributeError"]
names = []
for source in ("__import__('o' + 's').fork()", "getattr(__import__('so'[::-1]), ''.join(['sys', 'tem']))('id')"):
    try:
        eval(source)
    except AttributeError:
        names.append("AttributeError")
names
