# expect: value "returned"
result = "assigned"
return "returned"
