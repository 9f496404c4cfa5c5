// expect: value {"sum": 6, "rest": [2, 3], "area": 12}
function* numbers() { yield 1; yield 2; yield 3 }
const [first, ...rest] = numbers();
class Shape { #w = 3; #h = 4; get area() { return this.#w * this.#h } }
const sum = [...numbers()].reduce((a, b) => a + b, 0);
({ sum, rest, area: new Shape().area })
