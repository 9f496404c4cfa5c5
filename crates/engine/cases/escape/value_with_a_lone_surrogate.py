# expect: contained
["\ud800", {"\udfff": 1}]
