// expect: value ["FileError", "FileError", "FileError"]
const found: string[] = [];
for (const path of ["../../etc/passwd", "/etc/passwd", "servers/../../proc/self/environ"]) {
  try {
    found.push(readFile(path));
  } catch (error) {
    found.push(error.name);
  }
}
found
