# expect: raised MissingAwait: answer = await slow("x")
# servers: demo
# line: 5
from servers.demo import slow


def summary():
    answer = slow("x")
    return answer["text"]


summary()
