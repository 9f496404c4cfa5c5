# expect: value [7, 8]
exec("seven = 3 + 4")
[seven, eval("seven + 1")]
