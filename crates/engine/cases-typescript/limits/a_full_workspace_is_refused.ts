// expect: raised FileError: workspace
// limits: {"workspace_bytes": 10000}
for (let i = 0; i < 20; i++) writeFile(`f${i}`, "x".repeat(1000));
