// expect: value [[0, 255], {"a": 1}, "xy"]
writeFile("b.bin", new Uint8Array([0, 255]));
writeFile("o.json", { a: 1 });
writeFile("t.txt", "x");
workspace.append("t.txt", "y");
[[...readBytes("b.bin")], JSON.parse(readFile("o.json")), readFile("t.txt")]
