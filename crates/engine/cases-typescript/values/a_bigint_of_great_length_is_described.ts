// expect: value ["BigInt", 200, 1]
const told: any = await call("echo", { text: [10n ** 5000n, 1n] });
[told.text[0].$type, told.text[0].repr.length, told.text[1]]
