// expect: value ["FileError", "EFBIG"]
// limits: {"file_bytes": 50000}
try {
  writeFile("big", new Uint8Array(60_000));
} catch (error) {
  result = [error.name, error.code];
}
