// expect: value null
writeFile("broken.ts", "const a = 1;\nconst b = ;");
null
// --- next
// expect: raised SyntaxError: /workspace/broken.ts:2:11: Unexpected token in `const b = ;`
// line: 2
const x = 1;
await import("./broken.ts");
