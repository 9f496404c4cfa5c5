// expect: raised Object: { code: 7 }
throw { code: 7 };
