// expect: raised Deadlock
return { then() {} };
