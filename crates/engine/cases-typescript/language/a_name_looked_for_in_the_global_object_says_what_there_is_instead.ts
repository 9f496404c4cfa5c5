// expect: raised TypeError
// line: 1
// hint: There is no process here
(globalThis.process as any).env.HOME;
