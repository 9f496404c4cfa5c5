// expect: raised ImportError: no server is connected
import { x } from "servers/github";
x
