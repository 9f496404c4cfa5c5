// expect: value "quiet"
let told = "quiet";
clearTimeout(setTimeout(() => { told = "loud" }, 1));
await sleep(10);
told
