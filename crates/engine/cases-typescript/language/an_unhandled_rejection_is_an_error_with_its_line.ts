// expect: raised Error: nobody listens
// line: 2
async function background() {
  throw new Error("nobody listens");
}
background();
"the value"
