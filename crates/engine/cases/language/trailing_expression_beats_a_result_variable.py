# expect: value "expression"
result = "variable"
"expression"
