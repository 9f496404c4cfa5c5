// expect: value 1
writeFile("kinds.ts", "export interface Row { a: number }\nexport type Rows = Row[];\nexport const one = 1;");
1
// --- next
// expect: value [1, 2]
import { Row, Rows, one } from "./kinds.ts";
const row = (a: number): Row => ({ a });
[one, row(2).a]
