# expect: value "```\ncode\n```"
text = """```
code
```"""
text
