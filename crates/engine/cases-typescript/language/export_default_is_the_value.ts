// expect: value [1, 2]
const made: number[] = [1];
made.push(2);
export default made;
