// expect: value null
writeFile("broken.ts", "export function fail(): never {\n  throw new Error('in the file');\n}\n");
return null;
// --- next
// expect: raised Error: in the file
// line: 2
import { fail } from "./broken.ts";
fail();
