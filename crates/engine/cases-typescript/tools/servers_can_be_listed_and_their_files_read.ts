// expect: value [["client.ts", "demo/"], true, true]
// servers: demo client.ts
const names = listDirectory("servers/");
const text = readFile("servers/demo/createIssue.ts");
[names, text.includes("export async function createIssue"), listDirectory("./servers/demo").includes("index.ts")]
