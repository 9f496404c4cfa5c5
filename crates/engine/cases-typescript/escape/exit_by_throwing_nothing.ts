// expect: raised Error: undefined
throw undefined;
