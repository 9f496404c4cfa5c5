// expect: value null
// note: returned nothing
let a = 1;
a = 2;
if (a) {}
