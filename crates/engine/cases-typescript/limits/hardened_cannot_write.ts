// expect: raised FileError
// level: hardened
writeFile("new.txt", "x");
