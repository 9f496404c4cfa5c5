# expect: value "drawn"
# artifacts: 1
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(2, 2))
axes.plot([1, 2, 3])
"drawn"
