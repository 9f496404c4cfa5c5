# expect: unknown-module 2
from calendar import list_events

print(list_events())
