// expect: value [0, "string"]
const found: unknown[] = [];
(Error as any).prepareStackTrace = (_: Error, sites: any[]) => {
  found.push(...sites.map(site => site.getFunction?.()));
  return "";
};
const { stack } = new Error("x");
await call("echo", {}).then(() => new Error("y").stack);
[found.length, typeof stack]
