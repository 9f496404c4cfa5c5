def is_balanced(text: str) -> bool:
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for letter in text:
        if letter in pairs.values():
            stack.append(letter)
        elif letter in pairs:
            if not stack or stack.pop() != pairs[letter]:
                return False
    return not stack


[is_balanced("([]{})"), is_balanced("([)]")]
