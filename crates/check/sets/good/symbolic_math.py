import sympy

x = sympy.symbols("x")
expression = sympy.expand((x + 1) ** 3)
[str(sympy.diff(expression, x)), str(sympy.integrate(2 * x, (x, 0, 3)))]
