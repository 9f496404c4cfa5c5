// expect: value ["InternalError", "caught", 1000000]
// limits: {"memory_mib": 32}
let held: Uint8Array[] = [];
let name = "";
try {
  for (;;) held.push(new Uint8Array(4 << 20));
} catch (error) {
  held = [];
  name = error.name;
}
[name, "caught", new Uint8Array(1_000_000).length]
