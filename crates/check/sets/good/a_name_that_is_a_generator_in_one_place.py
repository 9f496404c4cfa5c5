async def numbers():
    yield 1

async def number():
    return 2

pick = number
print(await pick())
async for one in numbers():
    print(one)
