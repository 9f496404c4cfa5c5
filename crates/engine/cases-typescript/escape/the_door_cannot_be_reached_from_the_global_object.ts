// expect: value []
const seen = new Set<unknown>();
const found: string[] = [];
const walk = (value: any, path: string, depth: number) => {
  if (depth > 4 || value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value)) return;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    const own = Object.getOwnPropertyDescriptor(value, key);
    if (["door", "readText", "makeFolder"].includes(String(key))) found.push(`${path}.${String(key)}`);
    if (own && "value" in own) walk(own.value, `${path}.${String(key)}`, depth + 1);
  }
};
walk(globalThis, "global", 0);
found
