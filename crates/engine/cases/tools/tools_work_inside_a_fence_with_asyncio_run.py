# expect: value ["a", 2]
# servers: demo
# freeze: true
```python
import asyncio
from servers.demo import get_devices, slow


async def main():
    text = slow("a")["text"]
    devices = get_devices()
    return [text, devices["count"]]


asyncio.run(main())
```
