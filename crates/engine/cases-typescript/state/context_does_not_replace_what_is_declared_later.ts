// expect: value 1
// context: {"x": 1}
x
// --- next
// expect: value 2
const x = 2;
x
// --- next
// expect: value 3
// context: {"x": 3}
x
