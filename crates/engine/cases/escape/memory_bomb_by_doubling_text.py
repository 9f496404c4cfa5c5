# expect: raised MemoryError
# limits: {"memory_mib": 48}
text = "x"
while True:
    text += text
