// expect: value null
writeFile("lib/math.ts", "export const double = (n: number): number => n * 2;\nexport default 7;\n");
writeFile("lib/index.ts", "export { double as twice } from './math.js';\nexport * from './math.js';\n");
return null;
// --- next
// expect: value [8, 10, 7]
import seven, { double } from "./lib/math.ts";
import { twice } from "./lib";
[double(4), twice(5), seven]
