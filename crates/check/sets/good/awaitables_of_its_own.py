class Later:
    def __await__(self):
        yield from ()
        return 5

class Stream:
    def __init__(self):
        self.left = 2

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        self.left -= 1
        return self.left

print(await Later(), [one async for one in Stream()])
