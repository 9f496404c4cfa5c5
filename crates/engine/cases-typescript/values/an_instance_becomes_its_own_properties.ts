// expect: value {"x": 1, "y": {"x": 2}}
class Point { constructor(public x: number, public y?: Point) {} }
new Point(1, new Point(2))
