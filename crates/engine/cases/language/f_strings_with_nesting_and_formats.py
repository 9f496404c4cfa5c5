# expect: value "name='tide' | 1,234.50 | 00ff | (a, b)"
name = "tide"
parts = ["a", "b"]
f"{name=} | {1234.5:,.2f} | {255:04x} | ({', '.join(f'{p}' for p in parts)})"
