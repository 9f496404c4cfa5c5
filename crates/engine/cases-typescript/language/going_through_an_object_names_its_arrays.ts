// expect: raised TypeError: not iterable
// hint: go through `found.rows`
const found: any = { rows: [1] };
for (const row of found) {
  console.log(row);
}
