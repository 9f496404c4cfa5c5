// expect: raised ImportError: node:child_process
// line: 1
// hint: `await spawn(code, context)`
import { execSync } from "node:child_process";
execSync("ls");
