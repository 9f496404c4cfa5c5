# expect: raised TypeError: must be text, not int
from tidegate import call
await call(5)
