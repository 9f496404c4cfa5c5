// expect: value ["undefined", "undefined", "undefined", "undefined", "undefined"]
[typeof process, typeof require, typeof Deno, typeof std, typeof os]
