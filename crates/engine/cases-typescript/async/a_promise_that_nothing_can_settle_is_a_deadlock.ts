// expect: raised Deadlock: nothing can bring about
await new Promise(() => {});
