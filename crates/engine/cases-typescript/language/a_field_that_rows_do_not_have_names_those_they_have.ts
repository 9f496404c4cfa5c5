// expect: raised TypeError: of undefined
// line: 3
// hint: `row` is an object with: symbol, price; it has no 'ticker'.
const found: any = { rows: [{ symbol: "A", price: 3 }] };
const names = found.rows
  .map((row: any) => row.ticker.toLowerCase());
names
