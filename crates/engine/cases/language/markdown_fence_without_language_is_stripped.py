# expect: value "plain"
```
text = "plain"
text
```
