# expect: value [["a", "b"]]
# servers: demo
from servers.demo import echo, fail

caught = []


async def main():
    try:
        fail("b")
    except ToolError as problem:
        caught.append(str(problem))


try:
    fail("a")
except ToolError as problem:
    caught.append(str(problem))
await main()
[caught]
