// expect: raised ImportError: did you mean 'demo'
// hint: There are: demo
// servers: demo client.ts
import { x } from "servers/demos";
x
