# expect: value ["a", "b"]
# servers: demo
# freeze: true
from servers.demo import slow


async def text_of(call):
    return (await call)["text"]


def name_of(answer):
    return answer["text"]


[await text_of(slow("a")), name_of(await slow("b"))]
