// expect: raised Error: half-way
let before = "set";
throw new Error("half-way");
let after = "never";
// --- next
// expect: value ["set", "undefined"]
[before, typeof after]
