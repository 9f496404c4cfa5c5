// expect: raised TypeError
// line: 4
const rows: any[] = [1, null];
rows.forEach(async row => {
  await sleep(1);
  row.toFixed();
});
await sleep(20);
"the value"
