// expect: value 3
const a = 1;
const total = a + 2;
