from types import SimpleNamespace

point = SimpleNamespace(x=1, y=2)
point.z = point.x + point.y
[point.z, vars(point)]
