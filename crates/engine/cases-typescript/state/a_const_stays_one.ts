// expect: value 1
const fixed = 1;
fixed
// --- next
// expect: raised TypeError: fixed
fixed = 2;
