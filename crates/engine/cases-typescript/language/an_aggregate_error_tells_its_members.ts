// expect: raised AggregateError: RangeError: one
await Promise.any([Promise.reject(new RangeError("one")), Promise.reject(new Error("two"))]);
