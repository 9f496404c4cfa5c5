// expect: raised RangeError: America/New_York
// line: 1
// hint: Add the hours yourself
new Date(0).toLocaleString("en-US", { timeZone: "America/New_York" });
