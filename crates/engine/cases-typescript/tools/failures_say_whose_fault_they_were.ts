// expect: value [["ArgumentError", "demo", "fail", true], ["PolicyError", "demo", "fail", true]]
// servers: demo client.ts
import { fail } from "servers/demo";
const found: unknown[] = [];
for (const kind of ["ArgumentError", "Denied"]) {
  try {
    await fail({ kind, message: "no" });
  } catch (error) {
    found.push([error.name, error.server, error.tool, error instanceof ToolError]);
  }
}
found
