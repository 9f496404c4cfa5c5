# expect: raised RecursionError
import pickle

nested = []
for _ in range(5_000):
    nested = [nested]
pickle.dumps(nested)
