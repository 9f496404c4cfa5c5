// expect: value 3
let n = 0;
await new Promise<void>(resolve => {
  const id = setInterval(() => { if (++n === 3) { clearInterval(id); resolve() } }, 2);
});
n
