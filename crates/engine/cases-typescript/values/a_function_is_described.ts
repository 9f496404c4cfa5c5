// expect: value {"$type": "function", "repr": "double"}
function double(n: number) { return n * 2 }
return double;
