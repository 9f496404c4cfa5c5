// The gateway that the tests use: the one at URL, with the token TOKEN, as scripts/test-packages starts it.

import { Tidegate, type Options } from "../src/index.js";

export const URL_ = needed("URL");
export const DEVICES = "from servers.data import get_devices\nreturn len(await get_devices()) > 0";
export const FOREVER = "import asyncio\nprint('begun')\nawait asyncio.sleep(3600)";

export function gateway(options: Options = {}): Tidegate {
  return new Tidegate(URL_, { token: needed("TOKEN"), ...options });
}

export function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run scripts/test-packages`);
  return value;
}
