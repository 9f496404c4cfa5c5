# expect: value "result"
result = "result"
other = "other"
