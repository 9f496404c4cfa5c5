// Puts everything where programs find it. The last of these files: what it gives back is what the host calls.

const offered = {
  console: consoleObject,
  setTimeout: (function_, delay, ...given) => startTimer(function_, delay, given, false),
  setInterval: (function_, delay, ...given) => startTimer(function_, delay, given, true),
  clearTimeout: stopTimer,
  clearInterval: stopTimer,
  structuredClone: value => cloned(value),
  TextEncoder: TextEncoderClass,
  TextDecoder: TextDecoderClass,
  URL: URLClass,
  URLSearchParams: URLSearchParamsClass,
  crypto: cryptoObject,
  ...TOOLS,
  ...FAILURES,
  ...FILES,
  workspace,
  __tidegate_call: callOf,
};
for (const [name, kind] of Object.entries({ TextEncoder: TextEncoderClass, TextDecoder: TextDecoderClass, URL: URLClass, URLSearchParams: URLSearchParamsClass })) {
  defineProperty(kind, "name", { value: name, configurable: true });
}
for (const [name, value] of Object.entries(offered)) {
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
// The names that programs of other languages know these by.
for (const [name, value] of Object.entries({ call_mcp_tool: callMCPTool, search_tools: searchTools, list_directory: listDirectory, read_file: readFile })) {
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

builtIn.tidegate = Object.freeze(withDefault({ __proto__: null, ...TOOLS, ...FAILURES, ...FILES, workspace }));
builtIn["tool_discovery"] = Object.freeze(withDefault({ __proto__: null, searchTools, listDirectory, readFile, summarize }));

Error.stackTraceLimit = 25;
// It would be handed the functions of these files, which are nobody's to call.
defineProperty(Error, "prepareStackTrace", { get: () => undefined, set: () => undefined, configurable: false });
const own = new Set(keysOf(globalThis));
enter.restart = restart;
return enter;
