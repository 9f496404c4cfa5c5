// expect: raised ImportError: has no export 'nothing'
// servers: demo client.ts
import { nothing } from "servers/demo";
return 1;
