// expect: raised TypeError: not a function
// hint: `v` has no method 'sum'; `.reduce((sum, one) => sum + one, 0)` adds up.
const by: any = { a: [1, 2] };
Object.entries(by).map(([k, v]: any) => [k, v.sum()])
