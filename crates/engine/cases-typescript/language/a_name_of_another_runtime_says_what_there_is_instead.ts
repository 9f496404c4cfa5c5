// expect: raised ReferenceError: fetch
// hint: httpGet
await fetch("https://example.com");
