// expect: value [11, 12, {"deep": [1, {"x": 2}]}]
// freeze: true
const counter = (start: number) => () => ++start;
const next = counter(10);
const first = next();
const kept = new Map([["deep", [1, { x: 2 }]]]);
await call("later", {});
[first, next(), kept]
