# expect: missing-await 7
async def label():
    return "ready"


text = label()
print(text.upper())
