// expect: value 1
const x = 1;
x
// --- next
// expect: value 2
const x = 2;
x
// --- next
// expect: value 2
x
