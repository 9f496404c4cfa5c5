// expect: value 1
// limits: {"memory_mib": 32}
let keep = 1;
keep
// --- next
// expect: limit memory
// note: rolled back
// limits: {"memory_mib": 32}
keep = 2;
const answers: any[] = [];
while (true) answers.push(await call("blob", { size: 1_000_000 }));
// --- next
// expect: value 1
// limits: {"memory_mib": 32}
keep
