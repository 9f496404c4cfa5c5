// expect: value ["SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError"]
const deep = (one: string, middle: string, other: string) => one.repeat(50_000) + middle + other.repeat(50_000);
const texts = [
  "export default /" + deep("(", "", ")") + "/",
  "export default /" + deep("(?=", "", ")") + "/",
  "export default /" + deep("[", "a", "]") + "/v",
  "let a: " + deep("Array<", "string", ">"),
  "let a: " + deep("[", "string", "]"),
  "let a: " + deep("() => ", "string", ""),
  "export default " + deep("`${", "1", "}`"),
  "export default " + deep("<a>", "", "</a>"),
  "export default <a>'{" + deep("(", "", ")"),
  'export default <a>"{' + deep("!", "1", ""),
  "export default " + deep("(", "1", ")"),
];
const ends: string[] = [];
for (const [at, text] of texts.entries()) {
  writeFile(`t${at}.ts`, text);
  ends.push(await import(`./t${at}.ts`).then(() => "imported", (error: Error) => error.name));
}
ends
