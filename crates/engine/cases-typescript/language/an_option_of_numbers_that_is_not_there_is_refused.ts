// expect: raised RangeError: style unit is not available here
// hint: Write the unit behind the number
// line: 2
const far = 12;
far.toLocaleString("en-US", { style: "unit", unit: "kilometer" })
