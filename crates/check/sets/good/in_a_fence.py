```python
import asyncio
from servers.weather import current

async def main():
    now = await current(city="Oslo")
    return now["temperature"]

asyncio.run(main())
```
