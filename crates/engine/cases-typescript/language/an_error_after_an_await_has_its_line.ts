// expect: raised Error: late
// line: 3
// freeze: true
async function work() {
  await call("later", {});
  throw new Error("late");
}
await work();
