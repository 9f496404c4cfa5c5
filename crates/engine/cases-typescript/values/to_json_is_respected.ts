// expect: value [{"shown": 1}, "https://a.example/b?c=d"]
class Money { toJSON() { return { shown: 1 } } }
[new Money(), new URL("https://a.example/b?c=d")]
