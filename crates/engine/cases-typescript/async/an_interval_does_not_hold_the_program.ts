// expect: value 1
setInterval(() => {}, 1);
1
