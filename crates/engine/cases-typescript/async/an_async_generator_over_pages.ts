// expect: value [0, 1, 2]
// freeze: true
async function* pages() {
  for (let page = 0; page < 3; page++) {
    yield (await call("later", { page })).page;
  }
}
const seen: number[] = [];
for await (const page of pages()) {
  seen.push(page);
}
seen
