// expect: raised Error: null
throw null;
