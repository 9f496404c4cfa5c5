// expect: value 1
// freeze: true
class Counter {
  #n = 0;
  next() { return ++this.#n }
}
const counter = new Counter();
counter.next()
// --- next
// expect: value [2, true]
await call("later", {});
[counter.next(), counter instanceof Counter]
