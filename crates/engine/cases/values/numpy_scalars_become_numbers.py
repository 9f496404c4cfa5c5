# expect: value [1, 2.5, true, 255, 7, "NaN"]
import numpy as np

[np.int64(1), np.float64(2.5), np.bool_(True), np.uint8(255), np.int32(7), np.float64("nan")]
