// expect: value ["/workspace/a.png", 3, [1, 2, 3], {"$type": "image", "media_type": "image/png", "bytes": 3}]
// servers: demo client.ts
import { answer } from "servers/demo";
const picture = await answer({ answer: { content: [{ type: "image", media_type: "image/png", data: "AQID" }] } });
[picture.save("a.png"), picture.size, [...readBytes("a.png")], picture]
