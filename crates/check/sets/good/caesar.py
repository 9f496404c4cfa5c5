import string


def shifted(text, by):
    alphabet = string.ascii_lowercase
    table = str.maketrans(alphabet, alphabet[by:] + alphabet[:by])
    return text.translate(table)


secret = shifted("attack at dawn", 3)
assert shifted(secret, 23) == "attack at dawn"
print(secret)
