// expect: value [3, 4]
[eval("1 + 2"), new Function("a", "return a + 1")(3)]
