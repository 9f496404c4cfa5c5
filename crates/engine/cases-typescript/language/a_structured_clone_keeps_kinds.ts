// expect: value [true, 1, "DataCloneError"]
const made: any = { when: new Date(0), map: new Map([["a", 1]]) };
made.self = made;
const copy = structuredClone(made);
let name = "";
try { structuredClone(() => 1) } catch (error) { name = error.name }
[copy.self === copy && copy.when instanceof Date && copy !== made, copy.map.get("a"), name]
