// expect: value 3
const x = 3;
export { x as default };
