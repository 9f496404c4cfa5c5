# expect: value ["MissingAwait", "slow() was not awaited, so nothing was sent. Line 6 is:", "answer = slow(\"x\")", "answer = await slow(\"x\")", "async def summary():", "later"]
# servers: demo
# limits: {"calls_in_flight": 1}
from servers.demo import slow

kept = []

def summary():
    answer = slow("x")
    kept.append(answer)
    return answer["text"]


try:
    summary()
except TypeError as problem:
    lines = str(problem).split("\n")
    result = [type(problem).__name__, lines[0], lines[1], lines[3], lines[5]]
result.append((await slow("later"))["text"])
result
