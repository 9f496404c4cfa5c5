# expect: value ["cleaned", "timed out"]
# freeze: true
import asyncio

from tidegate import call

log = []
try:
    async with asyncio.timeout(0.03):
        try:
            await call("never")
        finally:
            log.append("cleaned")
except TimeoutError:
    log.append("timed out")
log
