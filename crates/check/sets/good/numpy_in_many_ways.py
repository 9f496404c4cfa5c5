import numpy as np

values = np.array([3.0, 1.0, 2.0])
print(values.mean(), np.average(values), np.percentile(values, 50), values.argsort().tolist(), np.sort(values)[::-1], values[values > 1].sum())
grid = np.zeros((2, 3)); grid[0, 1] = 5
print(grid.shape, grid.T.shape, grid.reshape(3, 2), (grid @ grid.T).tolist(), np.linalg.norm(grid), grid.astype(int).max(axis=0))
print(np.random.default_rng(1).integers(3), np.float64(2).item(), np.nan, np.inf, np.pi, np.where(values > 1, 1, 0), np.unique(["a", "b"]).tolist())
print(np.corrcoef([1, 2, 3], [2, 4, 7])[0, 1], np.polyfit([1, 2], [3, 4], 1), np.int32(3) + 1, np.datetime64("2026-01-01"), np.ma.masked_array([1], [True]))
