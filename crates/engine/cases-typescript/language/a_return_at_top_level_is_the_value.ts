// expect: value {"rows": 2}
const rows: number[] = [1, 2];
if (rows.length > 1) {
  return { rows: rows.length };
}
return null;
