# expect: raised MemoryError
# limits: {"memory_mib": 48}
import itertools

list(itertools.repeat(None))
