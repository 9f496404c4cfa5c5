# expect: value 3
```python
1 + 2
```
