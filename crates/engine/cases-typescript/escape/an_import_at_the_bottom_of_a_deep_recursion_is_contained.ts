// expect: value true
writeFile("deep.ts", "export default " + "!".repeat(2_900) + "1");
writeFile("wide.ts", "export default " + "[".repeat(190) + "/" + "(".repeat(5) + ")".repeat(5) + "/" + "]".repeat(190));
const waited: Promise<unknown>[] = [];
const down = (): void => {
  try {
    down();
  } catch {
    // Where there is hardly any stack left, and again a little above.
    if (waited.length < 40) waited.push(import(waited.length % 2 ? "./deep.ts" : "./wide.ts"));
  }
};
down();
const ends = await Promise.allSettled(waited);
ends.length > 0
