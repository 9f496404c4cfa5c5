# expect: value "closed"
# artifacts: 0
import matplotlib.pyplot as plt

plt.figure(figsize=(1, 1))
plt.close("all")
"closed"
