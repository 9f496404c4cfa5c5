// What programs find without importing it, besides the language itself: for a compiler of the user's own.

interface Tidegate {
  call(name: string, given?: object): Promise<any>;
  callMCPTool(server: string, tool: string, given?: object): Promise<any>;
  callMCPTool(tool: string, given?: object): Promise<any>;
  searchTools(query?: string, options?: any): any;
  summarize(value: any, strategy?: string, maxTokens?: number): any;
  listResources(server?: string | null): Promise<any>;
  readResource(server: string, uri?: string): Promise<any>;
  listPrompts(server?: string | null): Promise<any>;
  getPrompt(server: string, name?: any, given?: any): Promise<any>;
  spawn(code: string, context?: object, options?: { agent?: string; language?: string }): Promise<any>;
  spawnMap(code: string, items: Iterable<any>, options?: { parallel?: number; language?: string }): Promise<any[]>;
  askModel(prompt: string, schema?: object): Promise<any>;
  post(box: string, message?: any): Promise<void>;
  receive(box: string, options?: { timeout?: number }): Promise<any>;
  httpGet(url: any, options?: any): Promise<any>;
  httpRequest(method: string, url: any, options?: any): Promise<any>;
  waitUntil(check: () => any, options?: { every?: number; timeout?: number }): Promise<any>;
  sleep(milliseconds: number): Promise<void>;
  readFile(path: any, options?: any): any;
  readBytes(path: any): Uint8Array;
  writeFile(path: any, content: any, append?: boolean): string;
  appendFile(path: any, content: any): string;
  listDirectory(path?: any): string[];
  fileExists(path: any): boolean;
  removeFile(path: any): void;
  makeDirectory(path: any): void;
}

interface Workspace {
  read(path: any, options?: any): any;
  readBytes(path: any): Uint8Array;
  write(path: any, content: any): string;
  append(path: any, content: any): string;
  list(path?: any): string[];
  exists(path: any): boolean;
  remove(path: any): void;
}

declare var call: Tidegate["call"];
declare var callMCPTool: Tidegate["callMCPTool"];
declare var call_mcp_tool: Tidegate["callMCPTool"];
declare var searchTools: Tidegate["searchTools"];
declare var search_tools: Tidegate["searchTools"];
declare var summarize: Tidegate["summarize"];
declare var listResources: Tidegate["listResources"];
declare var readResource: Tidegate["readResource"];
declare var listPrompts: Tidegate["listPrompts"];
declare var getPrompt: Tidegate["getPrompt"];
declare var spawn: Tidegate["spawn"];
declare var spawnMap: Tidegate["spawnMap"];
declare var askModel: Tidegate["askModel"];
declare var post: Tidegate["post"];
declare var receive: Tidegate["receive"];
declare var httpGet: Tidegate["httpGet"];
declare var httpRequest: Tidegate["httpRequest"];
declare var waitUntil: Tidegate["waitUntil"];
declare var sleep: Tidegate["sleep"];
declare var readFile: Tidegate["readFile"];
declare var read_file: Tidegate["readFile"];
declare var readBytes: Tidegate["readBytes"];
declare var writeFile: Tidegate["writeFile"];
declare var appendFile: Tidegate["appendFile"];
declare var listDirectory: Tidegate["listDirectory"];
declare var list_directory: Tidegate["listDirectory"];
declare var fileExists: Tidegate["fileExists"];
declare var removeFile: Tidegate["removeFile"];
declare var makeDirectory: Tidegate["makeDirectory"];
declare var workspace: Workspace;
declare var result: any;

declare class ToolError extends Error {
  constructor(message?: string, kind?: string, server?: string | null, tool?: string | null);
  kind: string;
  server: string | null;
  tool: string | null;
}
declare class ArgumentError extends ToolError {}
declare class UnknownTool extends ToolError {}
declare class ServerError extends ToolError {}
declare class PolicyError extends ToolError {}
declare class FileError extends Error {
  constructor(message?: string, code?: any, path?: any);
  code: any;
  path: any;
}
declare class TimeoutError extends Error {}
declare class InternalError extends Error {}
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  code: number;
}

declare var console: {
  [method: string]: (...values: any[]) => void;
};
declare function setTimeout(handler: (...given: any[]) => any, delay?: number, ...given: any[]): number;
declare function setInterval(handler: (...given: any[]) => any, delay?: number, ...given: any[]): number;
declare function clearTimeout(id?: any): void;
declare function clearInterval(id?: any): void;
declare function queueMicrotask(task: () => any): void;
declare function structuredClone<T = any>(value: T, options?: any): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare var performance: { now(): number; timeOrigin: number };
declare var crypto: {
  getRandomValues<T>(array: T): T;
  randomUUID(): string;
  subtle: { digest(algorithm: any, data: any): Promise<ArrayBuffer> };
};

declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  decode(given?: any, options?: { stream?: boolean }): string;
}
declare class URLSearchParams {
  constructor(given?: any);
  readonly size: number;
  append(name: string, value: any): void;
  delete(name: string, value?: any): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: any): boolean;
  set(name: string, value: any): void;
  sort(): void;
  forEach(each: (value: string, name: string, all: URLSearchParams) => void): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}
declare class URL {
  constructor(url: any, base?: any);
  static canParse(url: any, base?: any): boolean;
  static parse(url: any, base?: any): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}

declare module "tidegate";
declare module "tool_discovery";
declare module "skills";
declare module "skills/*";
declare module "*.json";
