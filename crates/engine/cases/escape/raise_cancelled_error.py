# expect: raised CancelledError
import asyncio

raise asyncio.CancelledError
