// expect: raised ImportError: did you mean 'getDevices'
// line: 1
// servers: demo client.ts
import { getDevice } from "servers/demo";
await getDevice()
