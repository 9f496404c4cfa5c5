// expect: value [3, "ready"]
let looks = 0;
const found = await waitUntil(() => (++looks === 3 ? "ready" : null), { every: 0.005, timeout: 10 });
[looks, found]
