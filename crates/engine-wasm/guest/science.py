# The warm-up of the `science` image: what base has, and the heavier libraries.
import matplotlib, matplotlib.pyplot, scipy, scipy.optimize, scipy.stats, scipy.signal, scipy.linalg
import sklearn, sklearn.linear_model, sklearn.cluster, sklearn.ensemble, sklearn.preprocessing
import sklearn.model_selection, sklearn.metrics, statsmodels.api, statsmodels.formula.api

sklearn.linear_model.LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
scipy.stats.ttest_ind([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
_axes = matplotlib.pyplot.subplots()[1]
_axes.plot([1, 2, 3])
matplotlib.pyplot.gcf().canvas.draw()
matplotlib.pyplot.close("all")
# Fonts keep their files open, which an image cannot hold.
import gc, matplotlib.font_manager
matplotlib.font_manager._get_font.cache_clear()
gc.collect()
del _axes, gc, matplotlib, scipy, sklearn, statsmodels
