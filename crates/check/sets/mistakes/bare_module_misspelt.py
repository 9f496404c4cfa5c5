# expect: unknown-server 2
import wether

print(await wether.current(city="Oslo"))
