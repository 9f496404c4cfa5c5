// expect: raised OutOfStock: none left
// line: 4
class OutOfStock extends Error {
  constructor(readonly item: string) { super("none left") }
}
throw new OutOfStock("tea");
