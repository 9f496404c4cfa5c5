# expect: raised NameError: undefined_name
# line: 2
```python
defined = 1
undefined_name
```
