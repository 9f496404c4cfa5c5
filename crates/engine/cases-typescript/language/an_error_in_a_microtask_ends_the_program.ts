// expect: raised TypeError: from a microtask
queueMicrotask(() => { throw new TypeError("from a microtask") });
await sleep(1000);
