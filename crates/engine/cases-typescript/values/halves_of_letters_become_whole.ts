// expect: value ["\ufffd", "😀"]
["\ud800", "😀"]
