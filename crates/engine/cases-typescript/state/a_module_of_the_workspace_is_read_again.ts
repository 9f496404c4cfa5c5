// expect: value 1
writeFile("v.ts", "export const v = 1");
const { v } = await import("./v.ts");
v
// --- next
// expect: value 2
writeFile("v.ts", "export const v = 2");
(await import("./v.ts")).v
