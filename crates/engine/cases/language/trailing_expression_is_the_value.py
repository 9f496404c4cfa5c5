# expect: value 42
6 * 7
