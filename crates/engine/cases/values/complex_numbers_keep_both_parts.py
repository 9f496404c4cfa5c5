# expect: value {"$type": "complex", "real": 1.0, "imag": -2.5}
complex(1, -2.5)
