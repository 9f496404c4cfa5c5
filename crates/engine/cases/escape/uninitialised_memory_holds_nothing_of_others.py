# expect: value true
import numpy as np

text = np.empty(4 << 20, dtype="u1").tobytes()
b"HOSTNAME=" not in text and b"CARGO_" not in text and b"BEGIN RSA" not in text
