// expect: raised TypeError: of undefined
// hint: `all` is an array of promises: write `await Promise.all(all)`.
// servers: demo client.ts
import { echo } from "servers/demo";
const all: any[] = [0, 1].map(id => echo({ id, shipping: { days: 2 } }));
all.reduce((sum, one) => sum + one.shipping.days, 0)
