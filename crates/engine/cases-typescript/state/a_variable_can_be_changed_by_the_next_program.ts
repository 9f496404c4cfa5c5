// expect: value 1
// freeze: true
let n = 1;
const read = () => n;
n
// --- next
// expect: value 6
n += 5;
n
// --- next
// expect: value [6, 6]
[n, read()]
