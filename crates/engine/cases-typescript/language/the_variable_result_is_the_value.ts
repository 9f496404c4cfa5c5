// expect: value 6
result = 0;
for (const n of [1, 2, 3]) {
  result += n;
}
