# expect: value ["quick", "slow"]
import asyncio

from tidegate import call

calls = [call("later", n="slow", ms=600), call("later", n="quick", ms=5)]
[(await done)["n"] for done in asyncio.as_completed(calls)]
