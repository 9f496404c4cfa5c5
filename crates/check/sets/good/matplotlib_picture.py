import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 6.28, 100)
fig, ax = plt.subplots(figsize=(4, 3))
ax.plot(x, np.sin(x), label="sin")
ax.legend()
plt.title("tides")
