// expect: value 1
globalThis.JSON = null;
globalThis.Promise = null;
globalThis.Map = null;
globalThis.Error = null;
1
