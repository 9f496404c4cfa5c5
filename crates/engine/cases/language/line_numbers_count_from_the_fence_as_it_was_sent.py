# expect: raised NameError: undefined_name
# line: 3
```python
defined = 1
undefined_name
```
