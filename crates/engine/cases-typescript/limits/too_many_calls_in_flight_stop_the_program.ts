// expect: limit calls_in_flight
// limits: {"calls_in_flight": 3}
await Promise.all([1, 2, 3, 4].map(n => call("later", { n })));
