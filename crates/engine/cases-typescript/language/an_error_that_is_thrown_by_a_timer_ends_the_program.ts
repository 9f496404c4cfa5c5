// expect: raised Error: from a timer
// line: 1
setTimeout(() => { throw new Error("from a timer") }, 1);
await sleep(1000);
