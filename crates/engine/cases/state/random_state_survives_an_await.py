# expect: value true
# freeze: true
import random

import numpy as np
from tidegate import call

random.seed(5)
generator = np.random.default_rng(5)
straight = [random.random() for _ in range(2)] + generator.random(2).tolist()

random.seed(5)
generator = np.random.default_rng(5)
halved = [random.random()]
await call("later")
halved.append(random.random())
halved.append(float(generator.random()))
await call("later")
halved.append(float(generator.random()))
halved == straight
