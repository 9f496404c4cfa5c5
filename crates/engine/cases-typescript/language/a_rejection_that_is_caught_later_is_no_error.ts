// expect: value "late"
const failing = Promise.reject(new Error("late"));
await sleep(5);
try { await failing } catch (error) { return error.message }
