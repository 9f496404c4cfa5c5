// expect: value [{"text": "a"}, {"text": "b"}]
// servers: demo client.ts
import * as demo from "./servers/demo";
import { echo } from "./servers/demo/echo";
[await demo.echo({ text: "a" }), await echo({ text: "b" })]
