// expect: value 2
// servers: demo client.ts
import { demo } from "servers";
(await demo.get_devices()).count
