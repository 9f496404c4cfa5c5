# expect: certain-crash 3
word = "hallo"
word[1] = "e"
print(word)
