# expect: value ["A", "b", "c"]
# servers: demo
# freeze: true
from servers.demo import slow


async def shout(text):
    answer = slow(text)
    return answer["text"].upper()


async def pass_on(text):
    return slow(text)


async def read(text):
    answer = await pass_on(text)
    return answer["text"]


[await shout("a"), (await pass_on("b"))["text"], await read("c")]
