// expect: raised TypeError
// line: 1
// hint: subtle.digest
(crypto as any).createHash("md5");
