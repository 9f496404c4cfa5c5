// expect: value [{"text": "a"}, "function", "function"]
// servers: demo client.ts
import demo from "servers/demo";
import ours from "tidegate";
[await demo.echo({ text: "a" }), typeof demo.echo, typeof ours.call]
